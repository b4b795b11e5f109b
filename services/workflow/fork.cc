#include "services/workflow/fork.h"

#include <re2/re2.h>

#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/forge_error.h"
#include "services/core/status_macros.h"

namespace yardmaster::workflow {

absl::StatusOr<int64_t> PullNumber(const std::string& text, const Fork& fork) {
  static const RE2 kShort(R"((?:([\w.-]+(?:/[\w.-]+)+)#|#?)(\d{1,12}))");
  static const RE2 kAddress(
      R"((?i:https?)://[^/]+/([\w.-]+(?:/[\w.-]+)+?)/(?:-/)?(?:pull|pulls|merge_requests)/(\d{1,12})(?:[/?#].*)?)");
  std::string repository;
  int64_t number = 0;
  const bool known =
      RE2::FullMatch(text, kAddress, &repository, &number) || RE2::FullMatch(text, kShort, &repository, &number);
  if (!known || number == 0) {
    return absl::InvalidArgumentError(absl::StrCat("\"", text, "\": expected N, #N, OWNER/REPO#N or an address"));
  }
  if (!repository.empty() && !absl::EqualsIgnoreCase(repository, fork.upstream)) {
    return absl::FailedPreconditionError(
        absl::StrCat("\"", text, "\" is a pull request of ", repository, ", but upstream is ", fork.upstream));
  }
  return number;
}

std::string PullRef(const Fork& fork, int64_t number) {
  const size_t at = fork.pull_ref.find("{}");
  return absl::StrCat(fork.pull_ref.substr(0, at), number, fork.pull_ref.substr(at + 2));
}

ForgeCall CommandCall() {
  ForgeCall call;
  call.priority = ForgePriority::kCommand;
  return call;
}

absl::StatusOr<ForgePull> OwnOpenPull(int64_t number, const Fork& fork) {
  ASSIGN_OR_RETURN(ForgePull pull, fork.forge.GetPull(CommandCall(), {fork.upstream, number, /*pull_request=*/true}));
  if (pull.state != ForgeState::kOpen) {
    return absl::FailedPreconditionError(absl::StrCat("#", number, " is ", std::string(ForgeStateName(pull.state))));
  }
  // A fork that the forge does not name is not taken for ours.
  if (!absl::EqualsIgnoreCase(pull.head_repository, fork.origin)) {
    return absl::FailedPreconditionError(
        absl::StrCat("#", number, " does not come from your fork ", fork.origin, " but from ",
                     pull.head_repository.empty() ? "one that the forge does not name" : pull.head_repository));
  }
  return pull;
}

absl::StatusOr<Result> ForgeRefused(Result result, const absl::Status& status) {
  const std::optional<ForgeError> error = ForgeErrorOf(status);
  if (!error) return RefuseOrFail(std::move(result), status);
  Result refused = Refuse(std::move(result), std::string(status.message()), "");
  switch (error->reason) {
    case ForgeReason::kInvalidInput:
    case ForgeReason::kInvalid:
    case ForgeReason::kTextRefused:
    case ForgeReason::kNotFound:
    case ForgeReason::kConflict:
      break;
    case ForgeReason::kUnauthorized:
    case ForgeReason::kForbidden:
      refused.fix = "give a token that may do it: GITCODE_TOKEN, GITHUB_TOKEN or --config";
      [[fallthrough]];
    default:
      refused.outcome = Result::Outcome::kFailed;
  }
  return refused;
}

}  // namespace yardmaster::workflow
