#include "services/worker/results/run_result.h"

#include <utility>

namespace yardmaster::worker {

std::string_view VerdictName(Verdict verdict) {
  // As they are declared.
  constexpr std::string_view kWords[] = {"passed", "flaky", "not_run", "failed", "timed_out", "error", "cancelled"};
  return kWords[static_cast<size_t>(verdict)];
}

Cause CauseOf(rules::FailureClass cls, std::string signature, std::string message, std::string advice) {
  Cause cause;
  cause.cls = cls;
  cause.signature = std::move(signature);
  cause.message = std::move(message);
  cause.advice = std::move(advice);
  return cause;
}

}  // namespace yardmaster::worker
