#include "services/worker/results/run_result.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace yardmaster::worker {

namespace {

// As they are declared.
constexpr std::string_view kVerdictWords[] = {"passed",    "flaky", "not_run",  "failed",
                                              "timed_out", "error", "cancelled"};

}  // namespace

std::string_view VerdictName(Verdict verdict) { return kVerdictWords[static_cast<size_t>(verdict)]; }

std::optional<Verdict> VerdictNamed(std::string_view name) {
  const auto* const at = std::find(std::begin(kVerdictWords), std::end(kVerdictWords), name);
  if (at == std::end(kVerdictWords)) return std::nullopt;
  return static_cast<Verdict>(at - std::begin(kVerdictWords));
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
