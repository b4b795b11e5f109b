// A run of a suite as it goes on, on stderr.
#ifndef YARDMASTER_CLIENTS_CLI_TEST_PROGRESS_H_
#define YARDMASTER_CLIENTS_CLI_TEST_PROGRESS_H_

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <ostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "services/core/clock.h"
#include "services/worker/run/run.h"

namespace yardmaster::cli {

struct TestProgressOptions {
  bool quiet = false;     // nothing is written
  bool terminal = false;  // a line that is written over and over; else plain lines only
  bool color = false;
  int columns = 0;      // of the terminal; 0: 80
  bool follow = false;  // also what the tests print
  std::string prefix;   // of each line
};

// On a terminal the last line says where the run is, ten times a second at most:
//
//     [2/5] correctness · all_reduce[dtype=float32] · 34 of 120 tests · 1 failed · 12/s · 8 s left · 4 s
//
// and layers and steps that ended stand above it, with the first tests that failed. Elsewhere there is a line for each
// layer and each step.
class TestProgress final : public worker::RunObserver {
 public:
  TestProgress(std::ostream& err, const Clock& clock, const TestProgressOptions& options);
  ~TestProgress() override;
  TestProgress(const TestProgress&) = delete;
  TestProgress& operator=(const TestProgress&) = delete;

  void LayerBegins(std::string_view layer, size_t number, size_t layers) override;
  void StepBegins(std::string_view layer, std::string_view step) override;
  void Progress(std::string_view step, size_t done, size_t failed, size_t expected) override;
  void Output(std::string_view step, const worker::LogLine& line) override;
  void TestsEnd(const std::vector<worker::TestResult>& tests) override;
  void StepEnds(const worker::StepResult& step) override;
  void LayerEnds(const worker::LayerResult& layer) override;
  void Note(std::string_view text) override;

  // The line for what is known now.
  std::string Line() const;

 private:
  using Time = std::chrono::steady_clock::time_point;

  // With the lock held.
  void Print(const std::string& line);
  void Show(bool at_once);
  void Hide();
  std::string Text() const;

  std::ostream& err_;
  const Clock& clock_;
  const TestProgressOptions options_;

  mutable std::mutex mutex_;
  std::string layer_;
  size_t number_ = 0;
  size_t layers_ = 0;
  std::string step_;
  size_t done_ = 0;
  size_t failed_ = 0;
  size_t expected_ = 0;
  Time step_began_;
  Time shown_;
  bool visible_ = false;

  // Draws the line again each second, so that the time of a silent step is shown.
  bool over_ = false;
  std::condition_variable ending_;
  std::thread ticker_;
};

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_TEST_PROGRESS_H_
