#include "services/workflow/commands.h"

#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/git/git_clone.h"
#include "clients/git/git_repository.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/short_commit.h"
#include "services/core/status_macros.h"
#include "services/workflow/default_base.h"
#include "services/workflow/journal.h"
#include "services/workflow/squash.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {
namespace {

// More commits than anybody squashes; the range of a wrong base.
constexpr size_t kMaxSquashedCommits = 1'000;

Result ListOf(const std::vector<Operation>& operations) {
  Result result;
  result.command = "undo";
  result.outcome = Result::Outcome::kNothing;
  for (auto one = operations.rbegin(); one != operations.rend(); ++one) {
    if (one->state != Operation::State::kDone) continue;
    result.steps.push_back({one->id, "done", absl::StrCat(one->command, " of ", one->branch)});
  }
  return result;
}

}  // namespace

absl::StatusOr<Result> Squash(const SquashRequest& request, GitProgram& git) {
  // 1. What there is.
  Result result;
  result.command = "squash";
  ASSIGN_OR_RETURN(std::optional<Workspace> begun, BeginCommand(request.repo, request.dry_run, result));
  if (!begun) return result;
  Workspace& work = *begun;
  if (const absl::Status used = work.UseGit(git); !used.ok()) return RefuseOrFail(std::move(result), used);

  // 2. What would be done.
  std::string base;
  if (request.base.empty()) {
    ASSIGN_OR_RETURN(base, DefaultBase(*work.clone));
    if (base.empty()) return absl::InvalidArgumentError("the default branch is not known here: --base REVISION");
  } else {
    ASSIGN_OR_RETURN(base, work.repository->Resolve(request.base));
  }
  const absl::StatusOr<std::string> merge_base = work.repository->MergeBase(base, work.state.head);
  if (!merge_base.ok()) return RefuseOrFail(std::move(result), merge_base.status());
  const absl::StatusOr<std::vector<GitCommit>> commits =
      work.repository->Commits(*merge_base, work.state.head, kMaxSquashedCommits + 1);
  if (!commits.ok()) return RefuseOrFail(std::move(result), commits.status());
  if (commits->size() > kMaxSquashedCommits) {
    return Refuse(std::move(result), absl::StrCat("more than ", kMaxSquashedCommits, " commits"), "check --base");
  }
  SquashPlan plan = PlanSquash(work.state, *merge_base, *commits, request.message);
  if (plan.refused) return Refuse(std::move(result), plan.refused->reason, plan.refused->fix);
  if (plan.nothing) {
    result.outcome = Result::Outcome::kNothing;
    result.reason = absl::StrCat(commits->size(), commits->size() == 1 ? " commit" : " commits", ": nothing to squash");
    return result;
  }
  const bool ask = request.message.empty() && !request.yes && !request.dry_run;
  absl::StatusOr<std::string> message = UsableMessage(ask, request.preview, plan.commit.message);
  if (!message.ok()) return RefuseOrFail(std::move(result), message.status());
  plan.commit.message = *std::move(message);

  // 3. The work.
  const absl::StatusOr<std::string> made = work.clone->MakeCommit(plan.commit);
  if (!made.ok()) return RefuseOrFail(std::move(result), made.status());
  Operation operation;
  operation.command = result.command;
  operation.branch = result.branch;
  operation.id = work.NewId(request.time);
  const std::string backup = BackupRef(operation.id, result.branch);
  operation.refs = {{backup, "", work.state.head}, {work.state.head_ref, work.state.head, *made}};
  result.refs = operation.refs;
  result.backups = {backup};
  const absl::Status status = work.Do(operation);
  if (!status.ok()) return RefuseOrFail(std::move(result), status);
  result.steps.push_back({"squash", request.dry_run ? "planned" : "done",
                          absl::StrCat(commits->size(), " commits onto ", ShortCommit(*merge_base))});
  result.steps.push_back({"push", "left", "nothing is pushed; signatures of the old commits are not carried over"});
  return result;
}

absl::StatusOr<Result> Undo(const UndoRequest& request) {
  ASSIGN_OR_RETURN(const std::unique_ptr<GitClone> clone, GitClone::Open(request.repo));
  const bool reads = request.list || request.dry_run;
  std::unique_ptr<Journal> journal;
  std::vector<Operation> operations;
  Result result;
  result.command = "undo";
  if (reads) {
    ASSIGN_OR_RETURN(operations, ReadJournal(*clone));
    if (request.list) return ListOf(operations);
  } else {
    absl::StatusOr<std::unique_ptr<Journal>> opened = Journal::Open(*clone);
    if (!opened.ok()) return RefuseOrFail(std::move(result), opened.status());
    journal = *std::move(opened);
    operations = journal->operations();
  }
  const absl::StatusOr<GitCloneState> state = clone->State();
  if (!state.ok()) return RefuseOrFail(std::move(result), state.status());
  result.untracked = state->untracked;
  if (const std::optional<Refusal> refusal = WhyNotWritable(*state)) {
    return Refuse(std::move(result), refusal->reason, refusal->fix);
  }
  const Operation* last = nullptr;
  for (const Operation& one : operations) {
    if (one.state == Operation::State::kDone && (request.id.empty() || one.id == request.id)) last = &one;
  }
  if (last == nullptr && !request.id.empty()) {
    return Refuse(std::move(result), std::string(errors::OperationUnknown(request.id).message()), "");
  }
  if (last == nullptr) {
    result.outcome = Result::Outcome::kNothing;
    result.reason = "there is nothing to undo";
    return result;
  }
  result.branch = last->branch;
  for (const Operation* one = last; one != nullptr; one = PartBefore(operations, *one)) {
    absl::Status status = absl::OkStatus();
    // A plan can't look at the earlier parts: they stand on what the later ones have taken back.
    if (journal != nullptr) {
      status = journal->Undo(one->id);
    } else if (one == last) {
      status = WhyNotUndoable(*clone, *one);
    }
    if (!status.ok() && one == last) return RefuseOrFail(std::move(result), status);
    if (!status.ok()) {
      result.steps.push_back({one->id, "left", std::string(status.message())});
      break;
    }
    for (const GitRefChange& change : one->refs) result.refs.push_back({change.ref, change.new_id, change.old_id});
    result.steps.push_back({one->id, journal != nullptr ? "done" : "planned",
                            absl::StrCat("undo of ", one->command, "; what is on a server stays as it is")});
  }
  return result;
}

}  // namespace yardmaster::workflow
