// A run that this one does again: what passes now and failed then, with nothing changed in between, is flaky.
#ifndef YARDMASTER_SERVICES_WORKER_VERDICT_EARLIER_RUN_H_
#define YARDMASTER_SERVICES_WORKER_VERDICT_EARLIER_RUN_H_

#include <chrono>
#include <string>
#include <vector>

#include "services/worker/results/run_result.h"

namespace yardmaster::worker {

struct EarlierRun {
  std::string job;
  std::string directory;  // of its result, seen from the new one's; empty: it is elsewhere
  std::string suite_digest;
  std::string commit;
  std::chrono::system_clock::time_point ended;
  // Name, verdict, reason, log and cause (without its excerpt) of the steps that did not pass; tests of the same.
  std::vector<StepResult> steps;
  std::vector<TestResult> tests;
};

// Turns a step that passed, and had failed for what is tested, into a flaky one with the failure before it as its
// cause, and a link to that. A failure of the environment or of a machine was mended.
void MarkAfterFailure(const EarlierRun& before, StepResult& step, std::vector<TestResult>& tests);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_VERDICT_EARLIER_RUN_H_
