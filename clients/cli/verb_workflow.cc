// `yard workflow`: the commands of the workflow in a developer's clone.
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "clients/cli/answer.h"
#include "clients/cli/verbs.h"
#include "services/core/status_macros.h"
#include "services/workflow/commands.h"

namespace yardmaster::cli {
namespace {

struct SquashArguments {
  workflow::SquashRequest request;
};
struct UndoArguments {
  workflow::UndoRequest request;
};

absl::StatusOr<ExitCode> AnswerWorkflow(const absl::StatusOr<workflow::Result>& result, Session& session) {
  // What git says of a place or a revision that the user named.
  if (!result.ok()) return AsUsage(result.status());
  PrintAnswer(
      *result, [](const workflow::Result& one) { return workflow::ToJson(one); },
      [](const workflow::Result& one, const Output&) { return workflow::ToText(one); }, session);
  return result->outcome == workflow::Result::Outcome::kRefused ? ExitCode::kNegative : ExitCode::kDone;
}

absl::StatusOr<ExitCode> RunSquash(const SquashArguments& arguments, Session& session) {
  workflow::SquashRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  request.time = absl::FormatTime("%Y%m%dT%H%M%SZ", absl::Now(), absl::UTCTimeZone());
  return AnswerWorkflow(workflow::Squash(request), session);
}

absl::StatusOr<ExitCode> RunUndo(const UndoArguments& arguments, Session& session) {
  workflow::UndoRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  return AnswerWorkflow(workflow::Undo(request), session);
}

}  // namespace

void AddWorkflowVerbs(Verb& yard) {
  Verb& group = yard.Add("workflow", "Rewrite the branch of a clone, with a way back",
                         {"yard workflow squash --dry-run", "yard workflow undo --list"});

  Verb& squash = group.Add("squash", "Make the commits of the branch one, on the merge base; nothing is pushed",
                           {"yard workflow squash -m 'feat: add the operator'",
                            "yard workflow squash --base upstream/main --yes", "yard workflow squash --dry-run --json"},
                           "The old commits stay at refs/yardmaster/backup/; 'yard workflow undo' goes back to them.");
  workflow::SquashRequest& squashing = squash.Runs(RunSquash).request;
  squash.Value("--repo", &squashing.repo, "DIR", "The clone (default: .)");
  squash.Value("--base", &squashing.base, "REVISION",
               "What the branch is to be merged into (default: the default branch of upstream, else of origin)");
  squash.Value("-m,--message", &squashing.message, "MESSAGE", "The message of the commit");
  squash.Flag("--yes", &squashing.yes, "Accept the message that is made of those of the commits");
  squash.Flag("--dry-run", &squashing.dry_run, "Tell what would be done; write nothing");

  Verb& undo = group.Add("undo", "Take back the last command, or a named one; never pushes",
                         {"yard workflow undo", "yard workflow undo --list", "yard workflow undo 20260131T120000Z-1"});
  workflow::UndoRequest& undoing = undo.Runs(RunUndo).request;
  undo.Argument("ID", &undoing.id, "The operation (default: the last one that is not undone)");
  undo.Value("--repo", &undoing.repo, "DIR", "The clone (default: .)");
  undo.Flag("--list", &undoing.list, "List what can be undone, newest first");
  undo.Flag("--dry-run", &undoing.dry_run, "Tell what would be done; write nothing");
}

}  // namespace yardmaster::cli
