// `yard workflow`: the commands of the workflow in a developer's clone.
#include <filesystem>
#include <memory>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "clients/cli/answer.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/gate_phase.h"
#include "clients/cli/terminal.h"
#include "clients/cli/text_preview.h"
#include "clients/cli/verbs.h"
#include "clients/cli/workflow_forge.h"
#include "clients/cli/workflow_gates.h"
#include "clients/git/git_program.h"
#include "clients/git/git_remotes.h"
#include "services/core/status_macros.h"
#include "services/workflow/analyze.h"
#include "services/workflow/backport.h"
#include "services/workflow/commands.h"
#include "services/workflow/commit.h"
#include "services/workflow/describe.h"
#include "services/workflow/pull.h"
#include "services/workflow/sync.h"

namespace yardmaster::cli {
namespace {

struct WorkflowSquashArguments {
  workflow::SquashRequest request;
  std::string pull;  // empty: the branch here
  std::string config;
};
struct WorkflowUpdateArguments {
  workflow::UpdateRequest request;
  std::string pull;
  std::string language = "en";
  std::string config;
};
struct WorkflowUndoArguments {
  workflow::UndoRequest request;
};

struct WorkflowCommitArguments {
  workflow::CommitRequest request;
  std::string language = "en";
  std::string config;
  bool no_push = false;
};
struct WorkflowBackportArguments {
  workflow::BackportRequest request;
  std::string config;
  bool no_push = false;
};
struct WorkflowSyncArguments {
  workflow::SyncRequest request;
  std::string config;
};
struct WorkflowPullArguments {
  workflow::PullRequestRequest request;
  std::string to;  // a pull request that gets a commit; empty: a new one is opened
  std::string message;
  bool amend = false;
  bool no_rebase = false;
  std::string reviewers;
  std::string ut;  // empty, as `st`: by default
  std::string st;
  bool analyze_only = false;
  std::string language = "en";
  std::string config;
};
struct WorkflowStatusArguments {
  workflow::StatusRequest request;
  std::string pull;
  std::string config;
};
struct WorkflowDescribeArguments {
  workflow::DescribeRequest request;
  std::string language = "en";
};

std::string WorkflowTime() { return absl::FormatTime("%Y%m%dT%H%M%SZ", absl::Now(), absl::UTCTimeZone()); }

workflow::Language LanguageOf(const std::string& name) {
  return name == "zh" ? workflow::Language::kChinese : workflow::Language::kEnglish;
}

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
  if (absl::IsCancelled(result.status())) {
    session.output.Error(result.status().message());
    return ExitCode::kInterrupted;
  }
  // What git says of a place or a revision that the user named; some of them show texts of others.
  if (!result.ok()) {
    return AsUsage(absl::Status(result.status().code(), PrintableLines(std::string(result.status().message()))));
  }
  PrintAnswer(
      *result, [](const workflow::Result& one) { return workflow::ToJson(one); },
      [](const workflow::Result& one, const Output&) { return PrintableLines(workflow::ToText(one)); }, session);
  return ExitOf(result->outcome);
}

// A command that needs git and the remotes, but no forge.
template <typename Run>
absl::StatusOr<ExitCode> WithRemotes(const std::filesystem::path& repo, const std::string& config, Session& session,
                                     Run run) {
  ASSIGN_OR_RETURN(const ConnectedRemotes connected, ConnectRemotes(repo, config, session.env));
  return AnswerWorkflow(run(*connected.remotes, *connected.git), session);
}

absl::StatusOr<ExitCode> RunWorkflowCommit(const WorkflowCommitArguments& arguments, Session& session) {
  workflow::CommitRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  request.push = !arguments.no_push;
  request.language = LanguageOf(arguments.language);
  request.preview = TerminalPreview(session, request.repo);
  request.time = WorkflowTime();
  return WithRemotes(request.repo, arguments.config, session, [&](const GitRemotes& remotes, GitProgram& git) {
    return workflow::Commit(request, git, remotes);
  });
}

absl::StatusOr<ExitCode> RunWorkflowSync(const WorkflowSyncArguments& arguments, Session& session) {
  workflow::SyncRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  request.time = WorkflowTime();
  return WithRemotes(request.repo, arguments.config, session,
                     [&](const GitRemotes& remotes, GitProgram&) { return workflow::Sync(request, remotes); });
}

// A command that needs the forge: `run` gets the fork and git.
template <typename Run>
absl::StatusOr<ExitCode> WithFork(const std::string& command, const std::filesystem::path& repo,
                                  const std::string& config, Session& session, Run run) {
  ASSIGN_OR_RETURN(const std::unique_ptr<ConnectedFork> connected, ConnectFork(repo, config, session.env));
  if (connected->refused) {
    workflow::Result refused = *connected->refused;
    refused.command = command;
    return AnswerWorkflow(refused, session);
  }
  return AnswerWorkflow(run(*connected->fork, *connected->clone.git), session);
}

// The same for a command about a pull request that somebody named: `run` gets its number, too.
template <typename Run>
absl::StatusOr<ExitCode> WithPull(const std::string& command, const std::string& pull,
                                  const std::filesystem::path& repo, const std::string& config, Session& session,
                                  Run run) {
  return WithFork(command, repo, config, session,
                  [&](const workflow::Fork& fork, GitProgram& git) -> absl::StatusOr<workflow::Result> {
                    const absl::StatusOr<int64_t> number =
                        pull.empty() ? absl::StatusOr<int64_t>(0) : workflow::PullNumber(pull, fork);
                    if (!number.ok()) {
                      workflow::Result result;
                      result.command = command;
                      return workflow::RefuseOrFail(std::move(result), number.status());
                    }
                    return run(*number, fork, git);
                  });
}

absl::StatusOr<ExitCode> RunWorkflowPull(const WorkflowPullArguments& arguments, Session& session) {
  workflow::PullRequestRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  request.reviewers = absl::StrSplit(arguments.reviewers, ',', absl::SkipWhitespace());
  request.time = WorkflowTime();
  GateChoice gates;
  gates.yes = request.yes;
  gates.dry_run = request.dry_run;
  if (!arguments.ut.empty()) {
    ASSIGN_OR_RETURN(gates.unit, ParseGateScope(arguments.ut, "--ut"));
  }
  if (!arguments.st.empty()) {
    ASSIGN_OR_RETURN(gates.system, ParseGateScope(arguments.st, "--st"));
  }
  if (arguments.analyze_only) {
    if (!arguments.to.empty()) return UsageError("--analyze-only is about a new pull request, and --to about another");
    return AnswerWorkflow(workflow::Analyze({request.repo, request.base}), session);
  }
  if (arguments.to.empty()) {
    if (arguments.amend || arguments.no_rebase) return UsageError("--amend and --no-rebase belong to --to PR");
    if (!arguments.message.empty() && !request.squash) return UsageError("-m belongs to --squash, or to --to PR");
    request.message = arguments.message;
    request.language = LanguageOf(arguments.language);
    return WithFork("pr", request.repo, arguments.config, session, [&](const workflow::Fork& fork, GitProgram& git) {
      request.preview = TerminalPreview(session, request.repo);
      request.gate = MakeGate(session, request.repo, fork.upstream, gates);
      return workflow::OpenPull(request, fork, git);
    });
  }
  if (!arguments.st.empty())
    return UsageError("--st is for a new pull request: a commit that is appended has unit tests");
  workflow::AppendRequest append;
  append.repo = request.repo;
  append.message = arguments.message;
  append.language = LanguageOf(arguments.language);
  append.amend = arguments.amend;
  append.rebase = !arguments.no_rebase;
  append.yes = request.yes;
  append.preview = TerminalPreview(session, request.repo);
  append.dry_run = request.dry_run;
  append.time = request.time;
  return WithPull("pr", arguments.to, request.repo, arguments.config, session,
                  [&](int64_t number, const workflow::Fork& fork, GitProgram& git) {
                    append.number = number;
                    gates.system = GateScope::kSkip;
                    append.gate = MakeGate(session, request.repo, fork.upstream, gates);
                    return workflow::AppendToPull(append, fork, git);
                  });
}

absl::StatusOr<ExitCode> RunWorkflowStatus(const WorkflowStatusArguments& arguments, Session& session) {
  workflow::StatusRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  return WithPull("status", arguments.pull, request.repo, arguments.config, session,
                  [&](int64_t number, const workflow::Fork& fork, GitProgram&) -> absl::StatusOr<workflow::Result> {
                    request.number = number;
                    ASSIGN_OR_RETURN(workflow::Result result, workflow::PullStatus(request, fork));
                    if (result.pull) RETURN_IF_ERROR(AddGatePhase(session, fork.upstream, *result.pull));
                    return result;
                  });
}

absl::StatusOr<ExitCode> RunWorkflowUpdate(const WorkflowUpdateArguments& arguments, Session& session) {
  workflow::UpdateRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  return WithPull("update", arguments.pull, request.repo, arguments.config, session,
                  [&](int64_t number, const workflow::Fork& fork, GitProgram&) {
                    request.number = number;
                    request.language = LanguageOf(arguments.language);
                    request.preview = TerminalPreview(session, request.repo);
                    return workflow::UpdatePull(request, fork);
                  });
}

// "160", "#160", "owner/name#160" or an address. Ids of commits that are shown have seven characters at least.
bool IsPullName(const std::string& text) {
  constexpr size_t kLongestNumber = 6;
  const bool number = text.size() <= kLongestNumber &&
                      absl::c_all_of(text, [](char c) { return absl::ascii_isdigit(static_cast<unsigned char>(c)); });
  return number || text.find('#') != std::string::npos || text.find("://") != std::string::npos;
}

absl::StatusOr<ExitCode> RunWorkflowBackport(const WorkflowBackportArguments& arguments, Session& session) {
  workflow::BackportRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  request.push = !arguments.no_push;
  request.time = WorkflowTime();
  if (IsPullName(request.commit)) {
    return WithPull("backport", request.commit, request.repo, arguments.config, session,
                    [&](int64_t number, const workflow::Fork& fork, GitProgram& git) {
                      return workflow::BackportPull(request, number, fork, git);
                    });
  }
  return WithRemotes(request.repo, arguments.config, session, [&](const GitRemotes& remotes, GitProgram& git) {
    return workflow::Backport(request, git, remotes);
  });
}

absl::StatusOr<ExitCode> RunWorkflowSquash(const WorkflowSquashArguments& arguments, Session& session) {
  workflow::SquashRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  request.time = WorkflowTime();
  request.preview = TerminalPreview(session, request.repo);
  if (arguments.pull.empty()) {
    return AnswerWorkflow(workflow::Squash(request, *MakeWorkflowGit(request.repo, session.env)), session);
  }
  if (!request.base.empty()) return UsageError("--base is for a branch; a pull request knows its own");
  workflow::SquashPullRequest squash;
  squash.repo = request.repo;
  squash.message = request.message;
  squash.yes = request.yes;
  squash.preview = request.preview;
  squash.dry_run = request.dry_run;
  squash.time = request.time;
  return WithPull("squash", arguments.pull, request.repo, arguments.config, session,
                  [&](int64_t number, const workflow::Fork& fork, GitProgram& git) {
                    squash.number = number;
                    return workflow::SquashPull(squash, fork, git);
                  });
}

absl::StatusOr<ExitCode> RunWorkflowDescribe(const WorkflowDescribeArguments& arguments, Session& session) {
  workflow::DescribeRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  request.language = LanguageOf(arguments.language);
  return AnswerWorkflow(workflow::GenerateMessage(request), session);
}

absl::StatusOr<ExitCode> RunWorkflowUndo(const WorkflowUndoArguments& arguments, Session& session) {
  workflow::UndoRequest request = arguments.request;
  if (request.repo.empty()) request.repo = ".";
  return AnswerWorkflow(workflow::Undo(request), session);
}

}  // namespace

void AddWorkflowVerbs(Verb& yard) {
  Verb& group = yard.Add("workflow", "Rewrite the branch of a clone, with a way back",
                         {"yard workflow squash --dry-run", "yard workflow undo --list"});

  Verb& commit = group.Add("commit", "Commit what is changed in tracked files, and push the branch to the fork",
                           {"yard workflow commit -m 'feat(ops): add matmul'", "yard workflow commit --yes",
                            "yard workflow commit --dry-run"},
                           "Hooks run, files stay as they are but for the year in their copyright lines, untracked "
                           "files are named. A push that is rejected takes the commit back.");
  WorkflowCommitArguments& committing = commit.Runs(RunWorkflowCommit);
  commit.Value("--repo", &committing.request.repo, "DIR", "The clone (default: .)");
  commit.Value("-m,--message", &committing.request.message, "MESSAGE", "The message of the commit");
  commit.Value("--lang", &committing.language, "Language of the message that is made").OneOf({"en", "zh"});
  commit.Flag("--yes", &committing.request.yes, "Accept the message that names the files");
  commit.Flag("--keep-years", &committing.request.keep_years,
              "Leave the years of copyright lines; else this year is added in the files of the commit");
  commit.Flag("--no-push", &committing.no_push, "Leave the commit in the clone");
  commit.Flag("--dry-run", &committing.request.dry_run, "Tell what would be done; write nothing");
  commit.Value("--config", &committing.config, "FILE", "Forges of your own");

  AddWorkflowCheckVerb(group);
  AddWorkflowTestVerb(group);

  Verb& describe = group.Add("gen-commit-msg", "Print a message for what is staged, else for the last commit",
                             {"yard workflow gen-commit-msg", "yard workflow gen-commit-msg --scope ops --json"});
  WorkflowDescribeArguments& describe_arguments = describe.Runs(RunWorkflowDescribe);
  workflow::DescribeRequest& describing = describe_arguments.request;
  describe.Value("--repo", &describing.repo, "DIR", "The clone (default: .)");
  describe.Value("--scope", &describing.scope, "NAME",
                 "What stands in parentheses behind the type (default: the folder that all files have in common)");
  describe.Value("--lang", &describe_arguments.language, "Language of the message").OneOf({"en", "zh"});

  Verb& pull = group.Add(
      "pr", "Push the branch to the fork and open a pull request of it",
      {"yard workflow pr --dry-run", "yard workflow pr --title 'feat: add matmul' --body \"$(cat body.md)\"",
       "yard workflow pr --yes --squash --reviewer alice,bob", "yard workflow pr --to 352 -m 'fix: count to three'"},
      "From a protected branch the commits go to a branch pr/TIME. Text that you do not give is made of "
      "the commits and the repository's template; it is shown first, and --yes accepts it. A pull request "
      "that is open gets the commits and the reviewers, and keeps its text ('yard workflow update').");
  WorkflowPullArguments& pulling = pull.Runs(RunWorkflowPull);
  pull.Value("--repo", &pulling.request.repo, "DIR", "The clone (default: .)");
  pull.Value("--base", &pulling.request.base, "BRANCH",
             "Where it is to be merged (default: upstream's default branch)");
  pull.Value("--title", &pulling.request.title, "TEXT", "Its title");
  pull.Value("--body", &pulling.request.body, "TEXT", "Its description");
  pull.Value("--reviewer", &pulling.reviewers, "LOGIN[,LOGIN]", "Who is asked for a review");
  pull.Value("--to", &pulling.to, "PR", "Commit what is changed, and append it to this pull request of yours");
  pull.Value("-m,--message", &pulling.message, "MESSAGE", "With --to or --squash: the message of the commit");
  pull.Value("--lang", &pulling.language, "Language of text that is made").OneOf({"en", "zh"});
  pull.Flag("--amend", &pulling.amend, "With --to: replace the last commit");
  pull.Flag("--no-rebase", &pulling.no_rebase, "With --to: stay on the old base, although it has moved");
  pull.Value(
      "--ut", &pulling.ut, "SCOPE",
      "Unit tests that must pass first: skip, changed (those that the commits change) or full. Required if the commits "
      "change some; on a terminal it is asked for, and --yes means changed");
  pull.Value("--st", &pulling.st, "SCOPE", "The same for system tests; --yes means skip");
  pull.Flag("--analyze-only", &pulling.analyze_only,
            "Only print what the commits contain; nothing is fetched or written");
  pull.Flag("--squash", &pulling.request.squash, "Squash the commits into one before the push");
  pull.Flag("--draft", &pulling.request.draft, "Open it as a draft");
  pull.Flag("--force", &pulling.request.force, "Replace what the branch has in the fork, if it is as it is seen now");
  pull.Flag("--yes", &pulling.request.yes,
            "Accept the title and the description that are made, and the tests by default");
  pull.Flag("--dry-run", &pulling.request.dry_run, "Tell what would be done; write nothing, fetch nothing");
  pull.Value("--config", &pulling.config, "FILE", "Forges of your own");

  Verb& status = group.Add("status", "Show how a pull request stands",
                           {"yard workflow status", "yard workflow status 352", "yard workflow status o/r#352 --json"});
  WorkflowStatusArguments& looking = status.Runs(RunWorkflowStatus);
  status.Argument("PR", &looking.pull, "N, #N, OWNER/REPO#N or its address (default: that of the branch)");
  status.Value("--repo", &looking.request.repo, "DIR", "The clone (default: .)");
  status.Value("--config", &looking.config, "FILE", "Forges of your own");

  Verb& update = group.Add("update", "Write title and description of a pull request anew, by its commits",
                           {"yard workflow update 352 --dry-run", "yard workflow update 352 --yes",
                            "yard workflow update 352 --title 'feat: add matmul' --body \"$(cat body.md)\""},
                           "Sections in which somebody has written, comments and boxes to tick stay as they are.");
  WorkflowUpdateArguments& updating = update.Runs(RunWorkflowUpdate);
  update.Argument("PR", &updating.pull, "N, #N, OWNER/REPO#N or its address").Required();
  update.Value("--repo", &updating.request.repo, "DIR", "The clone (default: .)");
  update.Value("--title", &updating.request.title, "TEXT", "Its title");
  update.Value("--body", &updating.request.body, "TEXT", "Its description");
  update.Value("--lang", &updating.language, "Language of text that is made").OneOf({"en", "zh"});
  update.Flag("--yes", &updating.request.yes, "Accept the title and the description that are made");
  update.Flag("--dry-run", &updating.request.dry_run, "Tell what would be done; write nothing, fetch nothing");
  update.Value("--config", &updating.config, "FILE", "Forges of your own");

  Verb& sync = group.Add("sync", "Bring a branch of the fork forward to where the main repository's is",
                         {"yard workflow sync", "yard workflow sync release/2.0 --dry-run"},
                         "Only forwards: nothing is overwritten. The branch here follows where nothing is in the way.");
  WorkflowSyncArguments& sync_arguments = sync.Runs(RunWorkflowSync);
  workflow::SyncRequest& syncing = sync_arguments.request;
  sync.Argument("BRANCH", &syncing.branch, "The branch (default: the default branch of upstream)");
  sync.Value("--repo", &syncing.repo, "DIR", "The clone (default: .)");
  sync.Flag("--dry-run", &syncing.dry_run, "Tell what would be done; write nothing, fetch nothing");
  sync.Value("--config", &sync_arguments.config, "FILE", "Forges of your own");

  Verb& backport =
      group.Add("backport", "Copy a commit, or those of a pull request, to another branch of the main repository",
                {"yard workflow backport HEAD --to release/2.0", "yard workflow backport 352 --to release/2.0",
                 "yard workflow backport v1.2..fix/overflow --to release/1.x --no-push"},
                "In memory, on a new branch that is pushed to the fork: HEAD, index and files stay.");
  WorkflowBackportArguments& porting = backport.Runs(RunWorkflowBackport);
  backport
      .Argument("COMMIT", &porting.request.commit,
                "A revision, a range A..B, or a pull request: N, #N, OWNER/REPO#N, its address")
      .Required();
  backport.Value("--to", &porting.request.to, "BRANCH", "The branch of the main repository").Required();
  backport.Value("--repo", &porting.request.repo, "DIR", "The clone (default: .)");
  backport.Value("--config", &porting.config, "FILE", "Forges of your own");
  backport.Flag("--no-push", &porting.no_push, "Leave the new branch in the clone");
  backport.Flag("--dry-run", &porting.request.dry_run, "Tell what would be done; write nothing, fetch nothing");

  Verb& squash =
      group.Add("squash", "Make the commits of the branch, or of a pull request of yours, one",
                {"yard workflow squash -m 'feat: add the operator'", "yard workflow squash --base upstream/main --yes",
                 "yard workflow squash 352 --yes --dry-run"},
                "On the merge base, with the tree as it is. The old commits stay at refs/yardmaster/backup/; "
                "'yard workflow undo' goes back to them. Only with PR is something pushed: over the commit "
                "that the pull request showed, nothing else.");
  WorkflowSquashArguments& squashed = squash.Runs(RunWorkflowSquash);
  squash.Argument("PR", &squashed.pull, "N, #N, OWNER/REPO#N or its address (default: the branch here, not pushed)");
  squash.Value("--config", &squashed.config, "FILE", "Forges of your own");
  workflow::SquashRequest& squashing = squashed.request;
  squash.Value("--repo", &squashing.repo, "DIR", "The clone (default: .)");
  squash.Value("--base", &squashing.base, "REVISION",
               "What the branch is to be merged into (default: the default branch of upstream, else of origin)");
  squash.Value("-m,--message", &squashing.message, "MESSAGE", "The message of the commit");
  squash.Flag("--yes", &squashing.yes, "Accept the message that is made of those of the commits");
  squash.Flag("--dry-run", &squashing.dry_run, "Tell what would be done; write nothing");

  Verb& undo = group.Add("undo", "Take back the last command, or a named one; never pushes",
                         {"yard workflow undo", "yard workflow undo --list", "yard workflow undo 20260131T120000Z-1"});
  workflow::UndoRequest& undoing = undo.Runs(RunWorkflowUndo).request;
  undo.Argument("ID", &undoing.id, "The operation (default: the last one that is not undone)");
  undo.Value("--repo", &undoing.repo, "DIR", "The clone (default: .)");
  undo.Flag("--list", &undoing.list, "List what can be undone, newest first");
  undo.Flag("--dry-run", &undoing.dry_run, "Tell what would be done; write nothing");
}

}  // namespace yardmaster::cli
