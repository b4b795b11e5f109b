// Follows the output of a step line by line: what can be known before it ends, and what is in no file.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_STEP_FOLLOWER_H_
#define YARDMASTER_SERVICES_WORKER_RUN_STEP_FOLLOWER_H_

#include <atomic>
#include <chrono>
#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/suite_model.h"
#include "services/worker/logs/log.h"
#include "services/worker/reports/report.h"
#include "services/worker/run/run.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {

class StepFollower {
 public:
  // `ranks`: of the step, 0 for one without ranks. `signatures` is given where devices are leased: a line that says
  // that one is lost is then noticed at once.
  StepFollower(const rules::SuiteStep& step, std::string name, size_t ranks, RunObserver& observer,
               const Signatures* signatures);

  // From any thread.
  void Line(const LogLine& line);

  bool device_lost() const { return device_lost_.load(); }
  // When the last line came.
  std::chrono::steady_clock::time_point last_line() const {
    return std::chrono::steady_clock::time_point(std::chrono::steady_clock::duration(last_line_.load()));
  }

  // From now on lines are no evidence: the step is being stopped.
  void StopsNow() { stopping_ = true; }
  // When the last line of a rank came (kNoRank in a step without ranks), in microseconds since the log began; -1: none.
  int64_t LastLineOf(int rank);
  // Tests that the output named, where a program's file counts and was not written. Null: none are named.
  LineReport* ProgressOf(int rank);

  // When no more lines come. Tells the observer the last count.
  void Finish();
  // What the output says for report `report` of the step, on a rank (kNoRank in a step without ranks). Null: nothing is
  // read from the output for it. To be called after Finish, once.
  LineReport* TextOf(int rank, size_t report);

 private:
  struct RankReports {
    std::vector<std::unique_ptr<LineReport>> reports;  // by report of the step; null where there is none
    std::unique_ptr<LineReport> progress;              // where no report counts
    int64_t last_micros = -1;
  };
  RankReports* ReportsOf(int rank);
  void ReportProgress(bool last);

  const rules::SuiteStep& step_;
  const std::string name_;
  const bool ranked_;
  RunObserver& observer_;
  const Signatures* const signatures_;
  std::atomic<bool> device_lost_{false};
  std::atomic<bool> stopping_{false};
  std::atomic<std::chrono::steady_clock::rep> last_line_;

  std::mutex mutex_;
  std::vector<RankReports> ranks_;
  size_t told_done_ = 0;
  size_t told_failed_ = 0;
  size_t told_expected_ = 0;
  std::chrono::steady_clock::time_point told_at_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_STEP_FOLLOWER_H_
