#include "services/workflow/fork.h"

#include <re2/re2.h>

#include <optional>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/forge/forge_error.h"
#include "clients/forge/pull_ref.h"
#include "services/core/status_macros.h"

namespace yardmaster::workflow {
namespace {

// With its port or without, and as people's browsers may write it.
bool IsHostOf(const Fork& fork, std::string host) {
  if (absl::StartsWith(host, "www.")) host.erase(0, std::string_view("www.").size());
  return absl::c_any_of(
      fork.hosts, [&host](const std::string& one) { return one == host || one == host.substr(0, host.find(':')); });
}

}  // namespace

absl::StatusOr<int64_t> PullNumber(const std::string& text, const Fork& fork) {
  static const RE2 kShort(R"((?:([\w.-]+(?:/[\w.-]+)+)#|#?)(\d{1,12}))");
  static const RE2 kAddress(
      R"((?i:https?)://(?:[^/@]*@)?([^/@]+)/([\w.-]+(?:/[\w.-]+)+?)/(?:-/)?(?:pull|pulls|merge_requests)/(\d{1,12})(?:[/?#].*)?)");
  std::string host;
  std::string repository;
  int64_t number = 0;
  const bool known =
      RE2::FullMatch(text, kAddress, &host, &repository, &number) || RE2::FullMatch(text, kShort, &repository, &number);
  if (!known || number == 0) {
    return absl::InvalidArgumentError(absl::StrCat("\"", text, "\": expected N, #N, OWNER/REPO#N or an address"));
  }
  if (!host.empty() && !IsHostOf(fork, absl::AsciiStrToLower(host))) {
    return absl::FailedPreconditionError(
        absl::StrCat("\"", text, "\" is on ", host, ", but upstream is on ", absl::StrJoin(fork.hosts, ", ")));
  }
  if (!repository.empty() && !absl::EqualsIgnoreCase(repository, fork.upstream)) {
    return absl::FailedPreconditionError(
        absl::StrCat("\"", text, "\" is a pull request of ", repository, ", but upstream is ", fork.upstream));
  }
  return number;
}

std::string PullRef(const Fork& fork, int64_t number) { return PullRefOf(fork.pull_ref, number); }

ForgeCall CommandCall() {
  ForgeCall call;
  call.priority = ForgePriority::kCommand;
  return call;
}

std::string OriginNow(const Fork& fork) {
  // A redirect from an old name is followed.
  const absl::StatusOr<ForgeRepository> found = fork.forge.GetRepository(CommandCall(), fork.origin);
  return found.ok() && !found->full_name.empty() ? found->full_name : fork.origin;
}

absl::StatusOr<OwnPulls> FindOwnPulls(const Fork& fork, const std::string& branch) {
  OwnPulls own{fork.origin, {}};
  ASSIGN_OR_RETURN(own.pulls, fork.pulls.FindPulls(CommandCall(), fork.upstream, {own.origin, branch}));
  if (!own.pulls.empty()) return own;
  own.origin = OriginNow(fork);
  if (absl::EqualsIgnoreCase(own.origin, fork.origin)) return own;
  ASSIGN_OR_RETURN(own.pulls, fork.pulls.FindPulls(CommandCall(), fork.upstream, {own.origin, branch}));
  return own;
}

absl::StatusOr<ForgePull> OwnOpenPull(int64_t number, const Fork& fork) {
  ASSIGN_OR_RETURN(ForgePull pull, fork.forge.GetPull(CommandCall(), {fork.upstream, number, /*pull_request=*/true}));
  if (pull.state != ForgeState::kOpen) {
    return absl::FailedPreconditionError(absl::StrCat("#", number, " is ", std::string(ForgeStateName(pull.state))));
  }
  // A fork that the forge does not name is not taken for ours.
  if (!absl::EqualsIgnoreCase(pull.head_repository, fork.origin) &&
      (pull.head_repository.empty() || !absl::EqualsIgnoreCase(pull.head_repository, OriginNow(fork)))) {
    return absl::FailedPreconditionError(
        absl::StrCat("#", number, " does not come from your fork ", fork.origin, " but from ",
                     pull.head_repository.empty() ? "one that the forge does not name" : pull.head_repository));
  }
  return pull;
}

absl::StatusOr<Result> ForgeRefused(const Fork& fork, Result result, const absl::Status& status) {
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
      refused.fix = absl::StrCat("give a token that may do it: GITCODE_TOKEN, GITHUB_TOKEN or --config",
                                 fork.token_page.empty() ? "" : absl::StrCat("; make one: ", fork.token_page));
      [[fallthrough]];
    default:
      refused.outcome = Result::Outcome::kFailed;
  }
  return refused;
}

}  // namespace yardmaster::workflow
