// How far a run is, from its supervisor to its worker: a file of the run's folder, which nothing of the run can reach.
#ifndef YARDMASTER_SERVICES_YARDWORKER_RUN_PROGRESS_H_
#define YARDMASTER_SERVICES_YARDWORKER_RUN_PROGRESS_H_

#include <chrono>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/worker/results/run_result.h"
#include "yardmaster/v1/dispatch.pb.h"

namespace yardmaster::yardworker {

// Writes it: at most once a second, but whenever a layer begins or ends.
class RunProgressFile {
 public:
  explicit RunProgressFile(std::filesystem::path file) : file_(std::move(file)) {}

  void LayerBegins(std::string_view layer, size_t layers);
  void StepBegins(std::string_view step);
  void Progress(size_t done, size_t failed, size_t expected);
  void TestsEnd(const std::vector<worker::TestResult>& tests);
  void StepEnds(const worker::StepResult& step);
  void LayerEnds(const worker::LayerResult& layer);

 private:
  void Write(bool now);

  const std::filesystem::path file_;
  v1::RunProgress progress_;
  v1::StepProgress counts_;  // of the step that is about to end
  std::chrono::steady_clock::time_point written_{};
};

// Reads it.
class RunProgressReader {
 public:
  explicit RunProgressReader(std::filesystem::path file) : file_(std::move(file)) {}
  // Nothing is said where it can't be read.
  const v1::RunProgress& Newest();

 private:
  const std::filesystem::path file_;
  std::string read_;
  v1::RunProgress progress_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_RUN_PROGRESS_H_
