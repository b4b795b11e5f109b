#include "services/intake/git_failure.h"

#include <string>

#include "clients/forge/forge_error.h"
#include "services/intake/subject_view.h"

namespace yardmaster {

std::optional<absl::Status> RetriedGitFailure(const absl::Status& status) {
  if (IsStillWorking(status) || ForgeErrorOf(status).has_value()) return status;
  if (!absl::IsUnavailable(status) && !absl::IsDeadlineExceeded(status) && !absl::IsCancelled(status)) {
    return std::nullopt;
  }
  // The git server may be there again later.
  const ForgeReason reason = absl::IsCancelled(status) ? ForgeReason::kStopped : ForgeReason::kNetwork;
  return MakeForgeStatus({reason, ForgeOutcome::kNotSent, 0, {}}, std::string(status.message()));
}

}  // namespace yardmaster
