// `yard workflow test`: a suite of the packs on a developer's clone.
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/terminal.h"
#include "clients/cli/verbs.h"
#include "clients/cli/workflow_forge.h"
#include "clients/cli/workflow_gates.h"
#include "services/core/status_macros.h"
#include "services/workflow/gate.h"
#include "services/workflow/result.h"
#include "services/workflow/workspace.h"

namespace yardmaster::cli {
namespace {

struct WorkflowTestArguments {
  std::string suite;
  std::string repo = ".";
  std::string kind = "ut";
  std::string scope = "changed";
};

absl::StatusOr<std::vector<ChosenSuite>> SuitesToTest(const WorkflowTestArguments& arguments, Session& session) {
  if (!arguments.suite.empty()) {
    ASSIGN_OR_RETURN(const ChosenSuite chosen, ChooseSuite(session, arguments.suite));
    return std::vector<ChosenSuite>{chosen};
  }
  ASSIGN_OR_RETURN(const std::string repository, MainRepositoryOf(arguments.repo, session.env));
  ASSIGN_OR_RETURN(std::vector<ChosenSuite> suites, GateSuites(session, repository, arguments.kind));
  if (suites.empty()) {
    return NegativeError(absl::StrCat("no pack has a suite of kind ", arguments.kind, " for ",
                                      repository.empty() ? "this clone, which has no remote" : repository),
                         {"name one: 'yard suite list' shows those that are there"});
  }
  return suites;
}

absl::StatusOr<ExitCode> RunWorkflowTest(const WorkflowTestArguments& arguments, Session& session) {
  ASSIGN_OR_RETURN(const GateScope scope, ParseGateScope(arguments.scope, "--scope"));
  if (scope == GateScope::kSkip) return UsageError("--scope: expected changed or full");
  if (arguments.kind != "ut" && arguments.kind != "st") return UsageError("--kind: expected ut or st");
  ASSIGN_OR_RETURN(const std::vector<ChosenSuite> suites, SuitesToTest(arguments, session));
  workflow::Result result;
  result.command = "test";
  std::vector<std::string> paths;
  {
    ASSIGN_OR_RETURN(const workflow::Workspace work, workflow::OpenWorkspace(arguments.repo, /*dry_run=*/true));
    result.branch = work.branch();
    ASSIGN_OR_RETURN(paths, workflow::PathsChangedHere(work));
  }
  for (const ChosenSuite& chosen : suites) {
    // A suite that was named and has no gate can't run in part.
    const GateScope part = chosen.suite->gate.kind.empty() ? GateScope::kFull : scope;
    const absl::StatusOr<std::optional<workflow::Refusal>> refusal =
        RunGateSuite(session, arguments.repo, chosen, part, paths, result.steps);
    if (absl::IsCancelled(refusal.status())) {
      session.output.Error(refusal.status().message());
      return ExitCode::kInterrupted;
    }
    RETURN_IF_ERROR(refusal.status());
    if (refusal->has_value()) {
      result = workflow::Refuse(std::move(result), (*refusal)->reason, (*refusal)->fix);
      break;
    }
  }
  if (result.outcome == workflow::Result::Outcome::kDone && result.steps.back().state == "left") {
    result.outcome = workflow::Result::Outcome::kNothing;
    result.reason = "no test has changed; --scope full runs all";
  }
  PrintAnswer(
      result, [](const workflow::Result& one) { return workflow::ToJson(one); },
      [](const workflow::Result& one, const Output&) { return PrintableLines(workflow::ToText(one)); }, session);
  return result.outcome == workflow::Result::Outcome::kRefused ? ExitCode::kNegative : ExitCode::kDone;
}

}  // namespace

void AddWorkflowTestVerb(Verb& group) {
  Verb& test = group.Add("test",
                         "Run the tests of the clone that a suite of the packs has: "
                         "those that have changed, or all",
                         {"yard workflow test", "yard workflow test --scope full", "yard workflow test --kind st",
                          "yard workflow test hyper-parallel/ut --json"},
                         "As the clone is now, uncommitted and untracked files "
                         "included. The result goes to .git/yardmaster-results. Exit "
                         "code: 0 passed or nothing to run; 1 anything else.");
  WorkflowTestArguments& arguments = test.Runs(RunWorkflowTest);
  test.Argument("SUITE", &arguments.suite,
                "ID or PACK/ID (default: the suites that the packs have for "
                "the main repository)");
  test.Value("--repo", &arguments.repo, "DIR", "The clone (default: .)");
  test.Value("--kind", &arguments.kind, "KIND", "ut (default) or st: unit or system tests");
  test.Value("--scope", &arguments.scope, "SCOPE",
             "changed (default): test files that differ from the main "
             "repository's branch; or full");
}

}  // namespace yardmaster::cli
