#include "services/worker/verdict/earlier_run.h"

#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/worker/text.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {

void MarkAfterFailure(const EarlierRun& before, StepResult& step, std::vector<TestResult>& tests) {
  if (step.verdict != Verdict::kPassed) return;
  const auto failed = absl::c_find_if(before.steps, [&](const StepResult& other) {
    return other.name == step.name && (other.verdict == Verdict::kFailed || other.verdict == Verdict::kTimedOut);
  });
  if (failed == before.steps.end()) return;
  step.verdict = Verdict::kFlaky;
  step.reason = Concat("passed, and had ", failed->verdict == Verdict::kFailed ? "failed" : "timed out", " in the run ",
                       before.job, " before it, with nothing changed");
  step.cause = failed->cause;
  if (!step.cause.has_value()) step.reason += ": " + failed->reason;
  if (!before.directory.empty() && !failed->log.empty()) {
    const std::string log = before.directory + "/" + failed->log;
    step.reason += "; the failure before it: " + log;
    if (step.cause.has_value()) step.cause->log = log;
  }
  std::vector<TestResult> own;
  const auto of_step = [&](const TestResult& test) { return test.step == step.name; };
  absl::c_copy_if(tests, std::back_inserter(own), of_step);
  std::erase_if(tests, of_step);
  std::vector<TestResult> earlier;
  absl::c_copy_if(before.tests, std::back_inserter(earlier), of_step);
  MarkFlaky(earlier, own);
  absl::c_move(own, std::back_inserter(tests));
}

}  // namespace yardmaster::worker
