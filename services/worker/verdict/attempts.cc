#include "absl/algorithm/container.h"
#include "services/worker/text.h"
#include "services/worker/verdict/verdict.h"

namespace yardmaster::worker {

StepResult MergeAttempts(const StepResult& first, const StepResult& second) {
  StepResult merged = second;
  merged.attempts = first.attempts + second.attempts;
  merged.begin_micros = first.begin_micros;
  if (merged.recipe.empty()) merged.recipe = first.recipe;
  if (second.verdict != Verdict::kPassed || first.verdict == Verdict::kPassed) return merged;

  const bool fixed = first.cause.has_value() && first.cause->cls == rules::FailureClass::kEnvironment;
  if (fixed) {
    merged.reason = merged.recipe.empty() ? "passed at the second attempt; before: "
                                          : Concat("passed once '", merged.recipe, "' was applied; before: ");
    merged.reason += first.reason;
    return merged;
  }
  // The failure was real, and so was the pass: what came first stays to be looked at.
  merged.verdict = Verdict::kFlaky;
  merged.cause = first.cause;
  // The cause says what the failure was; here it is enough to say where it lies.
  const std::string which = merged.attempts == 2 ? "the second attempt" : Concat("attempt ", merged.attempts);
  merged.reason = Concat("passed at ", which, " only");
  if (!first.cause.has_value()) merged.reason += "; before: " + first.reason;
  if (!first.log.empty()) {
    merged.reason += "; the failure before it: " + first.log;
    merged.artifacts.insert(merged.artifacts.begin(), first.log);
  }
  return merged;
}

void MarkFlaky(const std::vector<TestResult>& before, std::vector<TestResult>& tests) {
  for (TestResult& test : tests) {
    if (test.verdict != Verdict::kPassed) continue;
    const auto failed = absl::c_find_if(before, [&](const TestResult& other) {
      return other.id == test.id && other.rank == test.rank &&
             (other.verdict == Verdict::kFailed || other.verdict == Verdict::kTimedOut ||
              other.verdict == Verdict::kFlaky);
    });
    if (failed == before.end()) continue;
    test.verdict = Verdict::kFlaky;
    test.message = failed->message;
  }
}

}  // namespace yardmaster::worker
