// `update`.
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/workflow/describe.h"
#include "services/workflow/description.h"
#include "services/workflow/pull.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {
namespace {

constexpr size_t kMaxCommits = 500;

absl::StatusOr<Description> DescribeAnew(const ForgePull& pull, Language language, GitClone& clone,
                                         GitRepository& repository) {
  ASSIGN_OR_RETURN(const std::string base, clone.Ref("refs/remotes/upstream/" + pull.base_ref));
  if (base.empty()) return errors::GitRevisionUnknown("upstream/" + pull.base_ref);
  ASSIGN_OR_RETURN(const std::string merge_base, repository.MergeBase(base, pull.head_sha));
  ASSIGN_OR_RETURN(const std::vector<GitCommit> commits, repository.Commits(merge_base, pull.head_sha, kMaxCommits));
  if (commits.empty()) return absl::FailedPreconditionError("the pull request has no commits");
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> old_tree, repository.TreeOf(merge_base));
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> new_tree, repository.TreeOf(pull.head_sha));
  ASSIGN_OR_RETURN(const std::vector<FileFacts> facts, FactsBetween(repository, *old_tree, *new_tree));
  Description description = Describe(commits, facts, pull.body, language);
  // A title that says more than a made one stays.
  const bool keeps = !absl::StartsWith(pull.title, "Update") && pull.title.size() >= description.title.size();
  if (keeps) description.title = pull.title;
  return description;
}

}  // namespace

absl::StatusOr<Result> UpdatePull(const UpdateRequest& request, const Fork& fork) {
  Result result;
  result.command = "update";
  // Nothing is written here: the clone is only read.
  ASSIGN_OR_RETURN(const Workspace work, OpenWorkspace(request.repo, /*dry_run=*/true));
  const absl::StatusOr<ForgePull> pull = OwnOpenPull(request.number, fork);
  if (!pull.ok()) return ForgeRefused(fork, std::move(result), pull.status());
  result.branch = pull->head_ref;
  result.pull = PullRequest{pull->number, pull->url};
  if (!request.dry_run) {
    absl::Status fetched = fork.remotes.FetchBranches("upstream", {pull->base_ref});
    if (fetched.ok()) fetched = fork.remotes.FetchRef("upstream", PullRef(fork, pull->number));
    if (!fetched.ok()) return RefuseOrFail(std::move(result), fetched);
  }
  absl::StatusOr<Description> description = DescribeAnew(*pull, request.language, *work.clone, *work.repository);
  if (!description.ok()) return RefuseOrFail(std::move(result), description.status());
  if (!request.title.empty()) description->title = request.title;
  if (!request.body.empty()) description->body = request.body;
  if (description->title == pull->title && description->body == pull->body) {
    result.outcome = Result::Outcome::kNothing;
    result.reason = "title and description say it already";
    return result;
  }
  if ((request.title.empty() || request.body.empty()) && !request.yes && !request.dry_run) {
    absl::StatusOr<Description> accepted = AcceptedDescription(request.preview, *description);
    if (!accepted.ok()) return RefuseOrFail(std::move(result), accepted.status());
    description = std::move(accepted);
  }
  for (const std::string& gap : GapsOf(description->body)) result.steps.push_back({"description", "left", gap});
  const Step step{"pull", request.dry_run ? "planned" : "done",
                  absl::StrCat("PATCH /repos/", fork.upstream, "/pulls/", pull->number, ": ", description->title)};
  if (request.dry_run) {
    result.steps.push_back(step);
    return result;
  }
  // While somebody looked at the text, another one may have written.
  const ForgeSubject subject{fork.upstream, pull->number, /*pull_request=*/true};
  const absl::StatusOr<ForgePull> now = fork.forge.GetPull(CommandCall(), subject);
  if (!now.ok()) return ForgeRefused(fork, std::move(result), now.status());
  if (now->title != pull->title || now->body != pull->body) {
    return Refuse(std::move(result), "title or description have been edited meanwhile", "the same command again");
  }
  const absl::StatusOr<ForgePull> edited =
      fork.pulls.EditPull(CommandCall(), subject, description->title, description->body);
  if (!edited.ok()) return ForgeRefused(fork, std::move(result), edited.status());
  result.steps.push_back(step);
  return result;
}

}  // namespace yardmaster::workflow
