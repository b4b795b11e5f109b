#include "services/intake/work_results.h"

#include <optional>
#include <utility>

#include "clients/forge/forge_error.h"
#include "services/intake/reasons.h"

namespace yardmaster {

using store::DeliveryState;

WorkResult Settled(DeliveryState state, std::string reason) {
  WorkResult result;
  result.state = state;
  result.reason = std::move(reason);
  return result;
}

WorkResult Ignored(std::string_view word, std::string_view detail) {
  return Settled(DeliveryState::kIgnored, reasons::WithDetail(word, detail));
}

WorkResult FromStep(const StepResult& step, std::string_view failed_word) {
  WorkResult result;
  result.reason = step.reason;
  result.delay = step.delay;
  switch (step.kind) {
    case StepResult::Kind::kDone:
      break;
    case StepResult::Kind::kWait:
      result.kind = WorkResult::Kind::kWait;
      break;
    case StepResult::Kind::kRetry:
      result.kind = WorkResult::Kind::kRetry;
      break;
    case StepResult::Kind::kStopped:
      result.kind = WorkResult::Kind::kStopped;
      break;
    case StepResult::Kind::kFailed:
      result.state = DeliveryState::kFailed;
      result.reason = reasons::WithDetail(failed_word, step.reason);
      break;
  }
  return result;
}

WorkResult FromRead(const absl::Status& status) {
  const std::optional<ForgeError> error = ForgeErrorOf(status);
  if (error.has_value() && error->reason == ForgeReason::kNotFound) return Ignored(reasons::kGone);
  if (!error.has_value() && absl::IsFailedPrecondition(status)) {
    return Ignored(reasons::kNoPlanner, std::string(status.message()));
  }
  return FromStep(FromForgeError(status), reasons::kForgeFailed);
}

}  // namespace yardmaster
