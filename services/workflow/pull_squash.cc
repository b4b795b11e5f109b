// `squash N`.
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/short_commit.h"
#include "services/core/status_macros.h"
#include "services/workflow/branch_push.h"
#include "services/workflow/commit_message.h"
#include "services/workflow/pull.h"
#include "services/workflow/squash.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {
namespace {

constexpr size_t kMaxSquashed = 1'000;

// Brings base and branch here, and makes sure that the branch is what the forge shows.
absl::Status FetchBoth(const Fork& fork, const ForgePull& pull, GitClone& clone, bool dry_run) {
  if (!dry_run) {
    RETURN_IF_ERROR(fork.remotes.FetchBranches("upstream", {pull.base_ref}));
    RETURN_IF_ERROR(fork.remotes.FetchBranches("origin", {pull.head_ref}));
  }
  ASSIGN_OR_RETURN(const std::string there, clone.Ref("refs/remotes/origin/" + pull.head_ref));
  return there == pull.head_sha ? absl::OkStatus() : errors::GitRefMoved("origin/" + pull.head_ref);
}

}  // namespace

absl::StatusOr<Result> SquashPull(const SquashPullRequest& request, const Fork& fork, GitProgram& git) {
  Result result;
  result.command = "squash";
  // 1. What there is.
  if (const std::optional<std::string> bad = WhyBadMessage(request.message); bad && !request.message.empty()) {
    return Refuse(std::move(result), *bad, "-m MESSAGE without it");
  }
  ASSIGN_OR_RETURN(std::optional<Workspace> begun, BeginCommand(request.repo, request.dry_run, result));
  if (!begun) return result;
  Workspace& work = *begun;
  if (const absl::Status used = work.UseGit(git); !used.ok()) return RefuseOrFail(std::move(result), used);
  const absl::StatusOr<ForgePull> pull = OwnOpenPull(request.number, fork);
  if (!pull.ok()) return ForgeRefused(fork, std::move(result), pull.status());
  result.branch = pull->head_ref;
  result.pull = PullRequest{pull->number, pull->url};
  if (const std::optional<Refusal> refusal = WhyNotReplaceable(pull->head_repository, pull->head_ref, fork.upstream)) {
    return Refuse(std::move(result), refusal->reason, refusal->fix);
  }
  const absl::Status fetched = FetchBoth(fork, *pull, *work.clone, request.dry_run);
  if (!fetched.ok()) return RefuseOrFail(std::move(result), fetched);
  ASSIGN_OR_RETURN(const std::string here, work.clone->Ref("refs/heads/" + result.branch));
  const OwedPush* const owed = work.OwedOf(result.branch);
  if (owed != nullptr && owed->command == result.command && owed->old_id == pull->head_sha) {
    return PushOwed(work, *owed, fork.remotes, std::move(result));
  }
  if (!here.empty() && here != pull->head_sha) {
    return Refuse(std::move(result), absl::StrCat(pull->head_ref, " here is not where it is in the fork"),
                  "push it or pull it first");
  }
  ASSIGN_OR_RETURN(const std::string base, work.clone->Ref("refs/remotes/upstream/" + pull->base_ref));
  const absl::StatusOr<std::string> merge_base = work.repository->MergeBase(base, pull->head_sha);
  if (!merge_base.ok()) return RefuseOrFail(std::move(result), merge_base.status());
  ASSIGN_OR_RETURN(const std::vector<GitCommit> commits,
                   work.repository->Commits(*merge_base, pull->head_sha, kMaxSquashed + 1));
  if (commits.size() > kMaxSquashed) {
    return Refuse(std::move(result), absl::StrCat("more than ", kMaxSquashed, " commits"), "");
  }

  // 2. What would be done.
  GitCloneState state = work.state;
  state.head = pull->head_sha;
  // Another branch may be dirty: its files are not touched.
  if (work.branch() != result.branch) state.dirty.clear();
  SquashPlan plan = PlanSquash(state, *merge_base, commits, request.message);
  if (plan.refused) return Refuse(std::move(result), plan.refused->reason, plan.refused->fix);
  if (plan.nothing) {
    result.outcome = Result::Outcome::kNothing;
    result.reason = absl::StrCat("has only ", commits.size(), " commit, squash not needed");
    return result;
  }
  const bool ask = request.message.empty() && !request.yes && !request.dry_run;
  absl::StatusOr<std::string> message = UsableMessage(ask, request.preview, plan.commit.message);
  if (!message.ok()) return RefuseOrFail(std::move(result), message.status());
  plan.commit.message = *std::move(message);

  // 3. The work.
  const absl::StatusOr<std::string> made = work.clone->MakeCommit(plan.commit);
  if (!made.ok()) return RefuseOrFail(std::move(result), made.status());
  BranchPush push("origin", result.branch, /*force=*/true);
  const absl::Status known = push.Look(fork.remotes, *work.repository, *made);
  if (!known.ok()) return push.Refused(std::move(result), known);
  if (push.there() != pull->head_sha) return RefuseOrFail(std::move(result), errors::GitRefMoved(pull->head_ref));
  Operation operation;
  operation.id = work.NewId(request.time);
  operation.command = result.command;
  operation.branch = result.branch;
  const std::string backup = BackupRef(operation.id, result.branch);
  operation.refs = {{backup, "", pull->head_sha}};
  if (!here.empty()) operation.refs.push_back({"refs/heads/" + result.branch, here, *made});
  operation.push_to = "origin";
  const absl::Status moved = work.Do(operation);
  if (!moved.ok()) return RefuseOrFail(std::move(result), moved);
  const absl::Status pushed = request.dry_run ? absl::OkStatus() : push.Send(fork.remotes, *made);
  if (!pushed.ok()) {
    ASSIGN_OR_RETURN(Result refused, push.Refused(std::move(result), pushed));
    return TakeBackAll(work, {operation.id}, std::move(refused));
  }
  RETURN_IF_ERROR(work.NotePushed(result.branch, *made, result));
  result.id = operation.id;
  result.refs = operation.refs;
  result.backups = {backup};
  result.pushed = {push.Done(*made)};
  const char* const word = request.dry_run ? "planned" : "done";
  result.steps.push_back({"squash", word, absl::StrCat(commits.size(), " commits onto ", ShortCommit(*merge_base))});
  result.steps.push_back({"push", word,
                          absl::StrCat("to origin/", result.branch, "; the way back: git push --force-with-lease=",
                                       result.branch, ":", *made, " origin ", backup, ":refs/heads/", result.branch)});
  return result;
}

}  // namespace yardmaster::workflow
