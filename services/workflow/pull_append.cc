// `pr --to N`.
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/errors.h"
#include "services/core/short_commit.h"
#include "services/core/status_macros.h"
#include "services/workflow/branch_push.h"
#include "services/workflow/commit.h"
#include "services/workflow/pull.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {
namespace {

constexpr size_t kMaxReplayed = 500;
constexpr const char* kNoRebase = "--no-rebase";

// What the command knows when it begins.
struct Append {
  const AppendRequest& request;
  const Fork& fork;
  const ForgePull& pull;
  const OwedPush* owed;             // of the branch: what this command, killed before, did not get to push
  std::optional<Refusal> no_force;  // why commits of the branch may not be replaced
};

// Whether the branch may get a commit: it is checked out, has all that the fork has, and may lose what it is to lose.
// ABORTED: the fork has other commits.
absl::StatusOr<std::optional<Refusal>> WhyNotAppendable(const Append& append, const Workspace& work) {
  const ForgePull& pull = append.pull;
  if (work.branch() != pull.head_ref) {
    return Refusal{
        absl::StrCat("#", pull.number, " comes from ", pull.head_ref, ", and ", work.branch(), " is checked out"),
        absl::StrCat("git switch ", pull.head_ref, ", which takes uncommitted changes along")};
  }
  const bool replaces = append.request.amend || (append.owed != nullptr && append.owed->replaces);
  if (replaces && append.no_force) return append.no_force;
  // What is owed takes the place of what the fork has.
  const bool replaced = append.owed != nullptr && append.owed->replaces;
  BranchPush push("origin", pull.head_ref);
  RETURN_IF_ERROR(push.Look(append.fork.remotes, *work.repository, replaced ? append.owed->old_id : work.state.head));
  if (push.there() != pull.head_sha) return errors::GitRefMoved("origin/" + pull.head_ref);
  return std::nullopt;
}

// The branch once more on where its base is now; `result` tells of it. FAILED_PRECONDITION or ABORTED: it can't be. In
// a dry run the base is taken as last fetched.
absl::Status Rebase(const Append& append, Workspace& work, Result& result) {
  const AppendRequest& request = append.request;
  const std::string& base_ref = append.pull.base_ref;
  if (!request.dry_run) RETURN_IF_ERROR(append.fork.remotes.FetchBranches("upstream", {base_ref}));
  ASSIGN_OR_RETURN(const std::string base, work.clone->Ref("refs/remotes/upstream/" + base_ref));
  if (base.empty()) return errors::GitRevisionUnknown("upstream/" + base_ref);
  ASSIGN_OR_RETURN(const std::string merge_base, work.repository->MergeBase(base, work.state.head));
  if (merge_base == base) return absl::OkStatus();
  if (append.no_force) return absl::FailedPreconditionError(append.no_force->reason);
  ASSIGN_OR_RETURN(const std::vector<GitCommit> commits,
                   work.repository->Commits(merge_base, work.state.head, kMaxReplayed + 1));
  if (commits.size() > kMaxReplayed) {
    return absl::FailedPreconditionError(absl::StrCat("the branch has more than ", kMaxReplayed, " commits"));
  }
  std::vector<std::string> ids;
  ids.reserve(commits.size());
  for (const GitCommit& commit : commits) ids.push_back(commit.id);
  ASSIGN_OR_RETURN(const GitReplay replay, work.clone->Replay(ids, base, ""));
  if (!replay.stopped_at.empty()) {
    result.outcome = Result::Outcome::kConflict;
    return absl::FailedPreconditionError(absl::StrCat(ShortCommit(replay.stopped_at), " does not fit on upstream/",
                                                      base_ref, ": ", absl::StrJoin(replay.conflicts, ", ")));
  }
  Operation operation;
  operation.id = work.NewId(request.time);
  operation.command = result.command;
  operation.branch = result.branch;
  operation.part_of = result.id;
  operation.checkout_from = work.state.head;
  operation.checkout_to = replay.tip;
  operation.push_to = "origin";
  const std::string backup = BackupRef(operation.id, result.branch);
  operation.refs = {{backup, "", work.state.head}, {work.state.head_ref, work.state.head, replay.tip}};
  RETURN_IF_ERROR(work.Do(operation));
  work.state.head = replay.tip;
  result.id = operation.id;
  result.refs.insert(result.refs.end(), operation.refs.begin(), operation.refs.end());
  result.backups.push_back(backup);
  result.steps.push_back({"rebase", request.dry_run ? "planned" : "done",
                          absl::StrCat(commits.size(), " commits onto upstream/", base_ref)});
  for (const std::string& empty : replay.empty) {
    result.steps.push_back({"rebase", "left", ShortCommit(empty) + " is there already"});
  }
  return absl::OkStatus();
}

CommitRequest CommitOf(const AppendRequest& request) {
  CommitRequest commit;
  commit.repo = request.repo;
  commit.message = request.message;
  commit.language = request.language;
  commit.amend = request.amend;
  commit.yes = request.yes;
  commit.preview = request.preview;
  commit.dry_run = request.dry_run;
  commit.time = request.time;
  return commit;
}

}  // namespace

absl::StatusOr<Result> AppendToPull(const AppendRequest& request, const Fork& fork, GitProgram& git) {
  Result result;
  result.command = "pr";
  // 1. What there is.
  const absl::StatusOr<ForgePull> pull = OwnOpenPull(request.number, fork);
  if (!pull.ok()) return ForgeRefused(fork, std::move(result), pull.status());
  ASSIGN_OR_RETURN(std::optional<Workspace> begun, BeginCommand(request.repo, request.dry_run, result));
  if (!begun) return result;
  Workspace& work = *begun;
  if (const absl::Status used = work.UseGit(git); !used.ok()) return RefuseOrFail(std::move(result), used);
  const Append append{request, fork, *pull, work.OwedOf(pull->head_ref),
                      WhyNotReplaceable(pull->head_repository, pull->head_ref, fork.upstream)};
  const absl::StatusOr<std::optional<Refusal>> refusal = WhyNotAppendable(append, work);
  result.branch = pull->head_ref;
  if (!refusal.ok()) {
    return BranchPush("origin", pull->head_ref).Refused(std::move(result), refusal.status());
  }
  if (refusal->has_value()) return Refuse(std::move(result), (*refusal)->reason, (*refusal)->fix);
  if (request.gate) {
    ASSIGN_OR_RETURN(const std::optional<Refusal> failed, request.gate(work.state.dirty, result.steps));
    if (failed) return Refuse(std::move(result), failed->reason, failed->fix);
  }

  // 2. The commit; where nothing has changed since, the one that was not pushed.
  std::vector<std::string> done;  // operations, oldest first
  if (work.state.dirty.empty() && append.owed != nullptr) {
    result.id = append.owed->id;
    result.steps.push_back({"commit", "left", "nothing has changed since " + append.owed->id});
  } else {
    ASSIGN_OR_RETURN(result, CommitIn(work, CommitOf(request), git, std::move(result)));
    if (result.outcome != Result::Outcome::kDone) return result;
    done.push_back(result.id);
  }
  result.pull = PullRequest{pull->number, pull->url};

  // 3. Rebase and push; what does not go takes all back.
  const auto back = [&](const absl::Status& status, const std::string& fix) -> absl::StatusOr<Result> {
    const Result::Outcome outcome = result.outcome;
    absl::StatusOr<Result> refused = RefuseOrFail(std::move(result), status);
    if (!refused.ok()) {
      (void)TakeBackAll(work, done, Result());
      return status;
    }
    if (outcome == Result::Outcome::kConflict) refused->outcome = outcome;
    refused->fix = fix;
    return TakeBackAll(work, done, *std::move(refused));
  };
  if (request.rebase) {
    const std::string before = result.id;
    if (const absl::Status rebased = Rebase(append, work, result); !rebased.ok()) return back(rebased, kNoRebase);
    if (result.id != before) done.push_back(result.id);
  }
  BranchPush push("origin", pull->head_ref, /*force=*/true);
  absl::Status pushed = push.Look(fork.remotes, *work.repository, work.state.head);
  // Only over what the pull request showed when this began.
  if (pushed.ok() && push.there() != pull->head_sha) pushed = errors::GitRefMoved("origin/" + pull->head_ref);
  if (pushed.ok() && !request.dry_run) pushed = push.Send(fork.remotes, work.state.head);
  if (!pushed.ok()) return back(pushed, "git pull --rebase origin " + pull->head_ref);
  RETURN_IF_ERROR(work.NotePushed(pull->head_ref, work.state.head, result));
  result.pushed = {push.Done(work.state.head)};
  result.steps.push_back({"push", request.dry_run ? "planned" : "done", "to origin/" + pull->head_ref});
  return result;
}

}  // namespace yardmaster::workflow
