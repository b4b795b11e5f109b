// What happens in a run, for its log and its progress.
#ifndef YARDMASTER_SERVICES_YARDWORKER_RUN_LOG_OBSERVER_H_
#define YARDMASTER_SERVICES_YARDWORKER_RUN_LOG_OBSERVER_H_

#include <chrono>
#include <string_view>
#include <vector>

#include "services/worker/run/run.h"
#include "services/yardworker/build_tree.h"
#include "services/yardworker/run_folder.h"
#include "services/yardworker/run_log_file.h"
#include "services/yardworker/run_progress.h"

namespace yardmaster::yardworker {

// The log of a run: what happens and what the tests print, as people read it.
class RunLogObserver final : public worker::RunObserver {
 public:
  // `tree` is told when the build has passed; null: nothing of the build is kept. All outlive this object.
  RunLogObserver(const RunFolder& folder, RunLogFile& log, BuildTree* tree)
      : folder_(folder), progress_(folder.progress()), log_(log), tree_(tree) {}

  void LayerBegins(std::string_view layer, size_t number, size_t layers) override;
  void StepBegins(std::string_view layer, std::string_view step) override;
  void Progress(std::string_view step, size_t done, size_t failed, size_t expected) override;
  void TestsEnd(const std::vector<worker::TestResult>& tests) override { progress_.TestsEnd(tests); }
  void StepEnds(const worker::StepResult& step) override;
  void LayerEnds(const worker::LayerResult& layer) override;
  void Output(std::string_view /*step*/, const worker::LogLine& line) override { Say(line.text); }
  void Note(std::string_view text) override;

 private:
  void Started();
  void Say(std::string_view text) { log_.AddLine(text); }

  const RunFolder& folder_;
  RunProgressFile progress_;
  RunLogFile& log_;
  BuildTree* const tree_;
  bool started_ = false;
  std::chrono::steady_clock::time_point progress_said_{};
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_RUN_LOG_OBSERVER_H_
