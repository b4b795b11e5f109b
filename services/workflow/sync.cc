#include "services/workflow/sync.h"

#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/workflow/branch_push.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {
namespace {

// What happens to the branch here.
struct LocalMove {
  bool moves = false;
  bool checked_out = false;
  std::string from;
  std::string why_not;  // where it stays although it is behind
};

absl::StatusOr<LocalMove> PlanLocal(const Workspace& work, const std::string& branch, const std::string& tip) {
  LocalMove local;
  ASSIGN_OR_RETURN(local.from, work.clone->Ref("refs/heads/" + branch));
  if (local.from.empty() || local.from == tip) return local;
  const absl::StatusOr<std::string> common = work.repository->MergeBase(local.from, tip);
  local.moves = common.ok() && *common == local.from;
  local.checked_out = work.branch() == branch;
  if (!local.moves) local.why_not = branch + " has commits of its own here";
  if (local.moves && !local.checked_out) {
    ASSIGN_OR_RETURN(const bool elsewhere, work.clone->CheckedOutElsewhere("refs/heads/" + branch));
    if (elsewhere) local.why_not = branch + " is checked out in another work tree";
  }
  local.moves = local.why_not.empty();
  return local;
}

}  // namespace

absl::StatusOr<Result> Sync(const SyncRequest& request, const GitRemotes& remotes) {
  Result result;
  result.command = "sync";
  // 1. What there is.
  ASSIGN_OR_RETURN(const std::optional<Workspace> begun, BeginCommand(request.repo, request.dry_run, result));
  if (!begun) return result;
  const Workspace& work = *begun;
  const absl::StatusOr<std::string> url = remotes.Url("upstream");
  if (!url.ok() || url->empty()) {
    const absl::Status missing = url.ok() ? errors::GitRemoteMissing("upstream") : url.status();
    ASSIGN_OR_RETURN(Result refused, RefuseOrFail(std::move(result), missing));
    refused.fix = "git remote add upstream URL";
    return refused;
  }
  result.branch = request.branch;
  if (result.branch.empty()) {
    const absl::StatusOr<std::string> name = remotes.DefaultBranch("upstream");
    if (!name.ok()) return RefuseOrFail(std::move(result), name.status());
    if (name->empty()) return absl::InvalidArgumentError("the default branch of upstream is not known: name one");
    result.branch = *name;
  }
  if (!request.dry_run) {
    const absl::Status fetched = remotes.FetchBranches("upstream", {result.branch});
    if (!fetched.ok()) return RefuseOrFail(std::move(result), fetched);
  }
  ASSIGN_OR_RETURN(const std::string tip, work.clone->Ref("refs/remotes/upstream/" + result.branch));
  if (tip.empty()) {
    std::string reason = "upstream has no branch " + result.branch;
    return Refuse(std::move(result), std::move(reason), "git fetch upstream");
  }
  BranchPush push("origin", result.branch);
  const absl::Status known = push.Look(remotes, *work.repository, tip);
  if (!known.ok()) {
    ASSIGN_OR_RETURN(Result refused, push.Refused(std::move(result), known));
    if (absl::IsAborted(known)) refused.fix = "move them to a branch of their own; nothing is overwritten";
    return refused;
  }
  ASSIGN_OR_RETURN(const LocalMove local, PlanLocal(work, result.branch, tip));

  // 2. The work: the fork first, then here.
  const char* const state = request.dry_run ? "planned" : "done";
  if (push.there() != tip) {
    const absl::Status pushed = request.dry_run ? absl::OkStatus() : push.Send(remotes, tip);
    if (!pushed.ok()) return push.Refused(std::move(result), pushed);
    result.pushed.push_back(push.Done(tip));
    result.steps.push_back({"push", state, "to origin/" + result.branch});
  }
  if (local.moves && !local.from.empty() && local.from != tip) {
    Operation operation;
    operation.id = work.NewId(request.time);
    operation.command = result.command;
    operation.branch = result.branch;
    const std::string backup = BackupRef(operation.id, result.branch);
    operation.refs = {{backup, "", local.from}, {"refs/heads/" + result.branch, local.from, tip}};
    if (local.checked_out) {
      operation.checkout_from = local.from;
      operation.checkout_to = tip;
    }
    const absl::Status moved = work.Do(operation);
    if (moved.ok()) {
      result.refs = operation.refs;
      result.backups = {backup};
      result.steps.push_back({"fast-forward", state, result.branch});
    } else {
      result.steps.push_back({"fast-forward", "left", std::string(moved.message())});
    }
  } else if (!local.why_not.empty()) {
    result.steps.push_back({"fast-forward", "left", local.why_not});
  }
  if (result.pushed.empty() && result.refs.empty()) {
    result.outcome = Result::Outcome::kNothing;
    result.reason = absl::StrCat("origin/", result.branch, " is where upstream's is");
  }
  return result;
}

}  // namespace yardmaster::workflow
