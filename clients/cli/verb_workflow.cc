// `yard workflow`: the commands of the workflow in a developer's clone.
#include <chrono>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "clients/cli/answer.h"
#include "clients/cli/verbs.h"
#include "clients/git/git_program.h"
#include "clients/git/git_remotes.h"
#include "services/core/status_macros.h"
#include "services/workflow/backport.h"
#include "services/workflow/commands.h"
#include "services/workflow/commit.h"
#include "services/workflow/describe.h"
#include "services/workflow/sync.h"

namespace yardmaster::cli {
namespace {

struct SquashArguments {
  workflow::SquashRequest request;
};
struct UndoArguments {
  workflow::UndoRequest request;
};

// Long enough for the hooks of a commit.
constexpr std::chrono::minutes kGitTimeLimit{30};

struct CommitArguments {
  workflow::CommitRequest request;
  bool no_push = false;
};
struct BackportArguments {
  workflow::BackportRequest request;
  bool no_push = false;
};
struct SyncArguments {
  workflow::SyncRequest request;
};
struct DescribeArguments {
  workflow::DescribeRequest request;
};

std::string WorkflowTime() { return absl::FormatTime("%Y%m%dT%H%M%SZ", absl::Now(), absl::UTCTimeZone()); }

ExitCode ExitOf(workflow::Result::Outcome outcome) {
  switch (outcome) {
    case workflow::Result::Outcome::kDone:
    case workflow::Result::Outcome::kNothing:
      return ExitCode::kDone;
    case workflow::Result::Outcome::kRefused:
    case workflow::Result::Outcome::kConflict:
      return ExitCode::kNegative;
    case workflow::Result::Outcome::kFailed:
      return ExitCode::kUnreachable;
  }
  return ExitCode::kSystem;
}

absl::StatusOr<ExitCode> AnswerWorkflow(const absl::StatusOr<workflow::Result>& result, Session& session) {
  // What git says of a place or a revision that the user named.
  if (!result.ok()) return AsUsage(result.status());
  PrintAnswer(
      *result, [](const workflow::Result& one) { return workflow::ToJson(one); },
      [](const workflow::Result& one, const Output&) { return workflow::ToText(one); }, session);
  return ExitOf(result->outcome);
}

absl::StatusOr<ExitCode> RunSquash(const SquashArguments& arguments, Session& session) {
  workflow::SquashRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  request.time = WorkflowTime();
  return AnswerWorkflow(workflow::Squash(request), session);
}

absl::StatusOr<ExitCode> RunCommit(const CommitArguments& arguments, Session& session) {
  workflow::CommitRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  request.push = !arguments.no_push;
  request.time = WorkflowTime();
  const std::unique_ptr<GitProgram> git = MakeGitProgram(request.repo, session.env.variable, kGitTimeLimit);
  return AnswerWorkflow(workflow::Commit(request, *git, GitRemotes(*git, {})), session);
}

absl::StatusOr<ExitCode> RunBackport(const BackportArguments& arguments, Session& session) {
  workflow::BackportRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  request.push = !arguments.no_push;
  request.time = WorkflowTime();
  const std::unique_ptr<GitProgram> git = MakeGitProgram(request.repo, session.env.variable, kGitTimeLimit);
  return AnswerWorkflow(workflow::Backport(request, GitRemotes(*git, {})), session);
}

absl::StatusOr<ExitCode> RunSync(const SyncArguments& arguments, Session& session) {
  workflow::SyncRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  request.time = WorkflowTime();
  const std::unique_ptr<GitProgram> git = MakeGitProgram(request.repo, session.env.variable, kGitTimeLimit);
  return AnswerWorkflow(workflow::Sync(request, GitRemotes(*git, {})), session);
}

absl::StatusOr<ExitCode> RunDescribe(const DescribeArguments& arguments, Session& session) {
  workflow::DescribeRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  return AnswerWorkflow(workflow::GenerateMessage(request), session);
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

  Verb& commit = group.Add(
      "commit", "Commit what is changed in tracked files, and push the branch to the fork",
      {"yard workflow commit -m 'feat(ops): add matmul'", "yard workflow commit --yes",
       "yard workflow commit --dry-run"},
      "Hooks run, files stay as they are, untracked files are named. A push that is rejected takes the commit back.");
  CommitArguments& committing = commit.Runs(RunCommit);
  commit.Value("--repo", &committing.request.repo, "DIR", "The clone (default: .)");
  commit.Value("-m,--message", &committing.request.message, "MESSAGE", "The message of the commit");
  commit.Flag("--yes", &committing.request.yes, "Accept the message that names the files");
  commit.Flag("--no-push", &committing.no_push, "Leave the commit in the clone");
  commit.Flag("--dry-run", &committing.request.dry_run, "Tell what would be done; write nothing");

  Verb& describe = group.Add("gen-commit-msg", "Print a message for what is staged, else for the last commit",
                             {"yard workflow gen-commit-msg", "yard workflow gen-commit-msg --scope ops --json"});
  workflow::DescribeRequest& describing = describe.Runs(RunDescribe).request;
  describe.Value("--repo", &describing.repo, "DIR", "The clone (default: .)");
  describe.Value("--scope", &describing.scope, "NAME",
                 "What stands in parentheses behind the type (default: the folder that all files have in common)");

  Verb& sync = group.Add("sync", "Bring a branch of the fork forward to where the main repository's is",
                         {"yard workflow sync", "yard workflow sync release/2.0 --dry-run"},
                         "Only forwards: nothing is overwritten. The branch here follows where nothing is in the way.");
  workflow::SyncRequest& syncing = sync.Runs(RunSync).request;
  sync.Argument("BRANCH", &syncing.branch, "The branch (default: the default branch of upstream)");
  sync.Value("--repo", &syncing.repo, "DIR", "The clone (default: .)");
  sync.Flag("--dry-run", &syncing.dry_run, "Tell what would be done; write nothing, fetch nothing");

  Verb& backport = group.Add("backport", "Make a commit once more on another branch of the main repository",
                             {"yard workflow backport HEAD --to release/2.0",
                              "yard workflow backport v1.2..fix/overflow --to release/1.x --no-push"},
                             "In memory, on a new branch that is pushed to the fork: HEAD, index and files stay.");
  BackportArguments& porting = backport.Runs(RunBackport);
  backport.Argument("COMMIT", &porting.request.commit, "A revision, or a range A..B").Required();
  backport.Value("--to", &porting.request.to, "BRANCH", "The branch of the main repository").Required();
  backport.Value("--repo", &porting.request.repo, "DIR", "The clone (default: .)");
  backport.Flag("--no-push", &porting.no_push, "Leave the new branch in the clone");
  backport.Flag("--dry-run", &porting.request.dry_run, "Tell what would be done; write nothing, fetch nothing");

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
