// `backport N`.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "clients/git/git_repository.h"
#include "services/core/status_macros.h"
#include "services/workflow/backport.h"

namespace yardmaster::workflow {
namespace {

// "BASE..HEAD" of what the pull request brings. Of one that is merged the base is where it was then: the branch has the
// commits by now.
absl::StatusOr<std::string> RangeOf(const ForgePull& pull, GitRepository& repository) {
  for (const std::string& base : {pull.base_sha, "refs/remotes/upstream/" + pull.base_ref}) {
    if (base.empty()) continue;
    const absl::StatusOr<std::string> tip = repository.Resolve(base);
    if (!tip.ok()) continue;
    const absl::StatusOr<std::string> merge_base = repository.MergeBase(*tip, pull.head_sha);
    if (merge_base.ok()) return absl::StrCat(*merge_base, "..", pull.head_sha);
  }
  return repository.Resolve(pull.head_sha);
}

}  // namespace

absl::StatusOr<Result> BackportPull(BackportRequest request, int64_t number, const Fork& fork, GitProgram& git) {
  Result result;
  result.command = "backport";
  const absl::StatusOr<ForgePull> pull =
      fork.forge.GetPull(CommandCall(), {fork.upstream, number, /*pull_request=*/true});
  if (!pull.ok()) return ForgeRefused(fork, std::move(result), pull.status());
  if (pull->state != ForgeState::kOpen && pull->state != ForgeState::kMerged) {
    return Refuse(std::move(result), absl::StrCat("#", number, " is closed"), "");
  }
  if (!request.dry_run) {
    absl::Status fetched = fork.remotes.FetchBranches("upstream", {pull->base_ref});
    if (fetched.ok()) fetched = fork.remotes.FetchRef("upstream", PullRef(fork, number));
    if (!fetched.ok()) return RefuseOrFail(std::move(result), fetched);
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<GitRepository> repository, GitRepository::Open(request.repo));
  const absl::StatusOr<std::string> range = RangeOf(*pull, *repository);
  if (!range.ok()) return RefuseOrFail(std::move(result), range.status());
  request.commit = *range;
  return Backport(request, git, fork.remotes);
}

}  // namespace yardmaster::workflow
