// `pr --to N`.
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/workflow/branch_push.h"
#include "services/workflow/commands.h"
#include "services/workflow/commit.h"
#include "services/workflow/pull.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {
namespace {

constexpr size_t kMaxReplayed = 500;
constexpr const char* kNoRebase = "--no-rebase";

// Whether the branch may get a commit: it is checked out, and has all that the fork has.
absl::StatusOr<std::optional<Refusal>> WhyNotAppendable(const AppendRequest& request, const Fork& fork,
                                                        const ForgePull& pull, Result& result) {
  ASSIGN_OR_RETURN(const Workspace work, OpenWorkspace(request.repo, /*dry_run=*/true));
  result.untracked = work.state.untracked;
  if (const std::optional<Refusal> refusal = WhyNotWritable(work.state)) return refusal;
  if (work.branch() != pull.head_ref) {
    return Refusal{
        absl::StrCat("#", pull.number, " comes from ", pull.head_ref, ", and ", work.branch(), " is checked out"),
        "git switch " + pull.head_ref};
  }
  BranchPush push("origin", pull.head_ref);
  RETURN_IF_ERROR(push.Look(fork.remotes, *work.repository, work.state.head));
  if (push.there() != pull.head_sha) return errors::GitRefMoved("origin/" + pull.head_ref);
  return std::nullopt;
}

// Takes back what this command has done so far.
absl::Status TakeBack(const AppendRequest& request, const std::string& id) {
  UndoRequest undo;
  undo.repo = request.repo;
  undo.id = id;
  return Undo(undo).status();
}

absl::Status NotePushed(const AppendRequest& request, const std::string& id) {
  ASSIGN_OR_RETURN(const Workspace work, OpenWorkspace(request.repo, /*dry_run=*/false));
  return work.journal->NotePushed(id);
}

// The branch once more on where its base is now; `result` tells of it. FAILED_PRECONDITION or ABORTED: it can't be.
absl::Status Rebase(const AppendRequest& request, const Fork& fork, const ForgePull& pull, Result& result) {
  RETURN_IF_ERROR(fork.remotes.FetchBranches("upstream", {pull.base_ref}));
  ASSIGN_OR_RETURN(const Workspace work, OpenWorkspace(request.repo, /*dry_run=*/false));
  ASSIGN_OR_RETURN(const std::string base, work.clone->Ref("refs/remotes/upstream/" + pull.base_ref));
  ASSIGN_OR_RETURN(const std::string merge_base, work.repository->MergeBase(base, work.state.head));
  if (merge_base == base) return absl::OkStatus();
  if (work.state.signs_commits) {
    return absl::FailedPreconditionError("commit.gpgSign is set, and rebased commits would not be signed");
  }
  ASSIGN_OR_RETURN(const std::vector<GitCommit> commits,
                   work.repository->Commits(merge_base, work.state.head, kMaxReplayed));
  std::vector<std::string> ids;
  ids.reserve(commits.size());
  for (const GitCommit& commit : commits) ids.push_back(commit.id);
  ASSIGN_OR_RETURN(const GitReplay replay, work.clone->Replay(ids, base, ""));
  if (!replay.stopped_at.empty()) {
    result.outcome = Result::Outcome::kConflict;
    return absl::FailedPreconditionError(absl::StrCat(replay.stopped_at.substr(0, 12), " does not fit on upstream/",
                                                      pull.base_ref, ": ", absl::StrJoin(replay.conflicts, ", ")));
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
  result.id = operation.id;
  result.refs.insert(result.refs.end(), operation.refs.begin(), operation.refs.end());
  result.backups.push_back(backup);
  result.steps.push_back({"rebase", "done", absl::StrCat(commits.size(), " commits onto upstream/", pull.base_ref)});
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Result> AppendToPull(const AppendRequest& request, const Fork& fork, GitProgram& git) {
  Result result;
  result.command = "pr";
  // 1. What there is.
  const absl::StatusOr<ForgePull> pull = OwnOpenPull(request.number, fork);
  if (!pull.ok()) return ForgeRefused(std::move(result), pull.status());
  result.branch = pull->head_ref;
  const absl::StatusOr<std::optional<Refusal>> refusal = WhyNotAppendable(request, fork, *pull, result);
  if (!refusal.ok()) {
    return BranchPush("origin", pull->head_ref).Refused(std::move(result), refusal.status());
  }
  if (refusal->has_value()) return Refuse(std::move(result), (*refusal)->reason, (*refusal)->fix);
  std::vector<Step> gates;
  if (request.gate) {
    ASSIGN_OR_RETURN(const Workspace work, OpenWorkspace(request.repo, /*dry_run=*/true));
    ASSIGN_OR_RETURN(const std::optional<Refusal> failed, request.gate(work.state.dirty, gates));
    if (failed) {
      result.steps = std::move(gates);
      return Refuse(std::move(result), failed->reason, failed->fix);
    }
  }

  // 2. The commit.
  CommitRequest commit;
  commit.repo = request.repo;
  commit.message = request.message;
  commit.language = request.language;
  commit.amend = request.amend;
  commit.yes = request.yes;
  commit.preview = request.preview;
  commit.push = false;
  commit.push_later = true;
  commit.dry_run = request.dry_run;
  commit.time = request.time;
  ASSIGN_OR_RETURN(result, Commit(commit, git, fork.remotes));
  result.command = "pr";
  result.steps.insert(result.steps.begin(), gates.begin(), gates.end());
  if (result.outcome != Result::Outcome::kDone) return result;
  result.pull = PullRequest{pull->number, pull->url};
  result.steps.pop_back();  // that nothing is pushed

  // 3. Rebase and push; what does not go takes all back.
  const std::string tip = result.refs.back().new_id;
  if (request.dry_run) {
    result.pushed = {{"origin", {"refs/heads/" + pull->head_ref, pull->head_sha, tip}, request.amend}};
    result.steps.push_back({"push", "planned", "to origin/" + pull->head_ref});
    return result;
  }
  const auto back = [&](const absl::Status& status, const std::string& fix) -> absl::StatusOr<Result> {
    const Result::Outcome outcome = result.outcome;
    RETURN_IF_ERROR(TakeBack(request, result.id));
    ASSIGN_OR_RETURN(Result refused, RefuseOrFail(std::move(result), status));
    if (outcome == Result::Outcome::kConflict) refused.outcome = outcome;
    refused.fix = fix;
    return refused;
  };
  if (request.rebase) {
    if (const absl::Status rebased = Rebase(request, fork, *pull, result); !rebased.ok()) {
      return back(rebased, kNoRebase);
    }
  }
  ASSIGN_OR_RETURN(const Workspace work, OpenWorkspace(request.repo, /*dry_run=*/true));
  BranchPush push("origin", pull->head_ref, /*force=*/true);
  absl::Status pushed = push.Look(fork.remotes, *work.repository, work.state.head);
  // Only over what the pull request showed when this began.
  if (pushed.ok() && push.there() != pull->head_sha) pushed = errors::GitRefMoved("origin/" + pull->head_ref);
  if (pushed.ok()) pushed = push.Send(fork.remotes, work.state.head);
  if (!pushed.ok()) return back(pushed, "git pull --rebase origin " + pull->head_ref);
  RETURN_IF_ERROR(NotePushed(request, result.id));
  result.pushed = {push.Done(work.state.head)};
  result.steps.push_back({"push", "done", "to origin/" + pull->head_ref});
  return result;
}

}  // namespace yardmaster::workflow
