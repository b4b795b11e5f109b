#include "clients/cli/workflow_gates.h"

#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/cli/exit_code.h"
#include "clients/cli/local_suite.h"
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
    for (const auto& [kind, scope] : {std::pair("ut", choice.unit), std::pair("st", choice.system)}) {
      if (scope == GateScope::kSkip) continue;
      ASSIGN_OR_RETURN(const std::vector<ChosenSuite> suites, GateSuites(session, repository, kind));
      if (suites.empty()) {
        steps.push_back({kind, "left", absl::StrCat("no pack has a suite of them for ", repository)});
      }
      for (const ChosenSuite& chosen : suites) {
        ASSIGN_OR_RETURN(std::optional<Refusal> refusal, RunGateSuite(session, repo, chosen, scope, paths, steps));
        if (!refusal) continue;
        absl::StrAppend(&refusal->fix, ", or --", kind, " skip");
        return refusal;
      }
    }
    return std::nullopt;
  };
}

}  // namespace yardmaster::cli
