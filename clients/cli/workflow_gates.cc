#include "clients/cli/workflow_gates.h"

#include <array>
#include <istream>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/local_suite.h"
#include "clients/cli/terminal.h"
#include "clients/cli/text_preview.h"
#include "clients/git/git_clone.h"
#include "services/core/absl_view.h"
#include "services/core/clock.h"
#include "services/core/glob.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/worker/run/run.h"

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

using workflow::Refusal;
using workflow::Step;

// What a shell takes as one word, so that a variable can hold several.
bool IsPlainPath(const std::string& path) {
  return absl::c_all_of(path, [](char c) {
    return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '/' || c == '.' || c == '_' || c == '-';
  });
}

std::vector<std::string> TestsAmong(const std::vector<std::string>& paths, const rules::SuiteGate& gate) {
  std::vector<std::string> tests;
  absl::c_copy_if(paths, std::back_inserter(tests), [&gate](const std::string& path) {
    return absl::c_any_of(gate.tests, [&path](const std::string& glob) { return MatchesGlob(glob, path); });
  });
  return tests;
}

std::vector<std::string> AllTestsAmong(const std::vector<std::string>& paths, const std::vector<ChosenSuite>& suites) {
  std::vector<std::string> tests;
  for (const ChosenSuite& one : suites) absl::c_copy(TestsAmong(paths, one.suite->gate), std::back_inserter(tests));
  return tests;
}

// Enter is the sheet's own choice: the changed unit tests, and no system tests.
GateScope DefaultScope(std::string_view kind) { return kind == "ut" ? GateScope::kChanged : GateScope::kSkip; }

absl::StatusOr<GateScope> AskForScope(Session& session, std::string_view kind, const std::vector<std::string>& tests) {
  std::ostream& err = *session.env.err;
  while (true) {
    err << PrintableLines(absl::StrCat("\n", kind == "ut" ? "Unit" : "System",
                                       " tests have changed: ", absl::StrJoin(tests, ", "),
                                       "\nRun them first? [Enter: ", kind == "ut" ? "those that changed" : "none",
                                       ", c: those that changed, f: all, n: none] "))
        << std::flush;
    std::string answer;
    if (!std::getline(*session.env.in, answer))
      return absl::FailedPreconditionError("cancelled at the question about tests");
    answer = absl::AsciiStrToLower(absl::StripAsciiWhitespace(answer));
    if (answer.empty()) return DefaultScope(kind);
    if (answer == "c" || answer == "changed") return GateScope::kChanged;
    if (answer == "f" || answer == "full") return GateScope::kFull;
    if (answer == "n" || answer == "skip") return GateScope::kSkip;
  }
}

// Which of the tests of one kind run. `tests`: those that have changed.
absl::StatusOr<GateScope> Decide(Session& session, std::string_view kind, std::optional<GateScope> decided,
                                 const GateChoice& choice, const std::vector<std::string>& tests) {
  if (decided) return *decided;
  if (tests.empty() || choice.yes || choice.dry_run) return DefaultScope(kind);
  if (CanAsk(session)) return AskForScope(session, kind, tests);
  return absl::InvalidArgumentError(absl::StrCat("--", Abs(kind),
                                                 " changed, full or skip (--yes: ", kind == "ut" ? "changed" : "skip",
                                                 "), since tests have changed: ", absl::StrJoin(tests, ", ")));
}

// What does not run now. A choice that somebody has made to run none needs no words.
void TellPlan(std::string_view kind, const ChosenSuite& chosen, GateScope scope, const std::vector<std::string>& paths,
              bool decided, std::vector<Step>& steps) {
  const std::vector<std::string> tests = TestsAmong(paths, chosen.suite->gate);
  const std::string name = absl::StrCat(chosen.suite->pack, "/", chosen.suite->id);
  if (scope == GateScope::kFull) {
    steps.push_back({std::string(kind), "planned", name + ": all tests"});
  } else if (tests.empty()) {
    if (decided || kind == "ut") {
      steps.push_back({std::string(kind), "left", name + ": no test of it is among what has changed"});
    }
  } else if (scope == GateScope::kSkip) {
    steps.push_back(
        {std::string(kind), "left", absl::StrCat(name, ": not run, though changed: ", absl::StrJoin(tests, ", "))});
  } else {
    steps.push_back({std::string(kind), "planned", absl::StrCat(name, ": ", absl::StrJoin(tests, ", "))});
  }
}

std::string WhyNot(const worker::RunResult& run) {
  const std::string& why = run.cause ? run.cause->message : run.reason;
  return absl::StrCat(Abs(worker::VerdictName(run.verdict)), why.empty() ? "" : ": ", why);
}

}  // namespace

absl::StatusOr<GateScope> ParseGateScope(std::string_view text, std::string_view option) {
  static constexpr std::array<std::pair<std::string_view, GateScope>, 3> kScopes = {
      {{"skip", GateScope::kSkip}, {"changed", GateScope::kChanged}, {"full", GateScope::kFull}}};
  for (const auto& [word, scope] : kScopes) {
    if (word == text) return scope;
  }
  return UsageError(absl::StrCat(Abs(option), " ", Quoted(text), ": expected skip, changed or full"));
}

absl::StatusOr<std::optional<Refusal>> RunGateSuite(Session& session, const fs::path& repo, const ChosenSuite& chosen,
                                                    GateScope scope, const std::vector<std::string>& paths,
                                                    std::vector<Step>& steps) {
  const rules::SuiteGate& gate = chosen.suite->gate;
  const std::string name = absl::StrCat(chosen.suite->pack, "/", chosen.suite->id);
  const std::string id = gate.kind.empty() ? "test" : gate.kind;
  LocalSuiteRun run;
  run.chosen = chosen;
  run.source = repo;
  std::string of = "all tests";
  if (scope == GateScope::kChanged) {
    const std::vector<std::string> tests = TestsAmong(paths, gate);
    if (tests.empty()) {
      steps.push_back({id, "left", absl::StrCat(name, ": no test of it is among what has changed")});
      return std::nullopt;
    }
    if (absl::c_all_of(tests, IsPlainPath)) {
      run.assignments = {absl::StrCat(gate.variable, "=", absl::StrJoin(tests, " "))};
      of = absl::StrJoin(tests, ", ");
    } else {
      of = "all tests, since a changed one has a name that needs quotes";
    }
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<GitClone> clone, GitClone::Open(repo));
  run.out = clone->common_dir() / "yardmaster-results" / worker::NewJob(SystemClock());
  ASSIGN_OR_RETURN(const worker::RunResult result, RunLocalSuite(run, session));
  const std::string where = (run.out / "report.html").string();
  if (result.verdict == worker::Verdict::kPassed) {
    steps.push_back({id, "done", absl::StrCat(name, ": passed: ", of, " (", where, ")")});
    return std::nullopt;
  }
  steps.push_back({id, "left", absl::StrCat(name, ": ", WhyNot(result), " (", where, ")")});
  return Refusal{absl::StrCat(name, " did not pass: ", WhyNot(result)), "see " + where};
}

workflow::Gate MakeGate(Session& session, const fs::path& repo, const std::string& repository, GateChoice choice) {
  return [&session, repo, repository, choice](const std::vector<std::string>& paths,
                                              std::vector<Step>& steps) -> absl::StatusOr<std::optional<Refusal>> {
    for (const auto& [kind, decided] : {std::pair("ut", choice.unit), std::pair("st", choice.system)}) {
      if (decided == GateScope::kSkip) continue;
      ASSIGN_OR_RETURN(const std::vector<ChosenSuite> suites, GateSuites(session, repository, kind));
      // Nobody asked for system tests: what there is none of needs no words.
      if (suites.empty() && (decided || kind == std::string_view("ut"))) {
        steps.push_back({kind, "left", absl::StrCat("no pack has a suite of them for ", repository)});
      }
      const absl::StatusOr<GateScope> scope = Decide(session, kind, decided, choice, AllTestsAmong(paths, suites));
      if (absl::IsFailedPrecondition(scope.status())) return Refusal{std::string(scope.status().message()), ""};
      RETURN_IF_ERROR(scope.status());
      for (const ChosenSuite& chosen : suites) {
        if (choice.dry_run || *scope == GateScope::kSkip) {
          TellPlan(kind, chosen, *scope, paths, decided.has_value(), steps);
          continue;
        }
        ASSIGN_OR_RETURN(std::optional<Refusal> refusal, RunGateSuite(session, repo, chosen, *scope, paths, steps));
        if (!refusal) continue;
        absl::StrAppend(&refusal->fix, ", or --", kind, " skip");
        return refusal;
      }
    }
    return std::nullopt;
  };
}

}  // namespace yardmaster::cli
