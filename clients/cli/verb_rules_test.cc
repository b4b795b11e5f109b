// `yard rules test|backtest`.
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/batch.h"
#include "clients/cli/connection.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/progress.h"
#include "clients/cli/rules_text.h"
#include "clients/cli/verbs.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/clock.h"
#include "services/core/limits.h"
#include "services/core/messages/issue_snapshot.h"
#include "services/core/status_macros.h"
#include "services/packs/answers.h"
#include "services/packs/backtest.h"
#include "services/packs/pack_test.h"
#include "services/triage/eval_lines.h"
#include "yardmaster/v1/rules.grpc.pb.h"

namespace yardmaster::cli {
namespace {

// Thousands of cases take a while.
constexpr std::chrono::seconds kRulesTestTimeout{600};

// --- test ---

struct TestOptions {
  std::vector<std::string> packs;
  bool all = false;
};

absl::StatusOr<v1::TestPackResponse> TestLocally(const TestOptions& options, const Session& session) {
  ASSIGN_OR_RETURN(const PacksFolder folder, LocalPacksFolder(session));
  const std::vector<std::string> names = options.packs.empty() ? rules::PackNames(folder.files) : options.packs;
  // All packs are compiled before the first case runs: a bad one is an error, not a failed test.
  std::vector<std::shared_ptr<const rules::CompiledPack>> packs;
  size_t cases = 0;
  for (const std::string& name : names) {
    ASSIGN_OR_RETURN(packs.emplace_back(), CompileLocalPack(folder, name));
    cases += packs.back()->model().cases.size();
  }
  v1::TestPackResponse response;
  const SystemClock clock;
  Progress progress(ProgressStream(session), clock, "cases", cases);
  for (const std::shared_ptr<const rules::CompiledPack>& pack : packs) {
    ASSIGN_OR_RETURN(PackTest result, TestPack(*pack, [&] {
                       progress.Done();
                       return absl::OkStatus();
                     }));
    // Its problems have been told with those of the pack.
    Problems problems;
    const std::string& name = pack->model().name;
    if (const auto checks = rules::LoadChecks(folder.files, name, problems)) TestChecks(*checks, result);
    if (rules::PackWithPhrases(folder.files, name) == name) {
      if (const auto phrases = rules::PhraseSet::Load(folder.files, name, problems)) TestPhrases(*phrases, result);
    }
    WritePackTest(result, response);
  }
  return response;
}

absl::StatusOr<v1::TestPackResponse> TestByServer(const TestOptions& options, const Session& session) {
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/true));
  v1::TestPackRequest request;
  for (const std::string& pack : options.packs) request.add_packs(pack);
  return server.Call(&v1::RulesService::Stub::TestPack, request, kRulesTestTimeout);
}

absl::StatusOr<ExitCode> Test(const TestOptions& options, Session& session) {
  if (options.all && !options.packs.empty()) return UsageError("--all and a PACK exclude each other");
  ASSIGN_OR_RETURN(const v1::TestPackResponse response,
                   session.options.server_given ? TestByServer(options, session) : TestLocally(options, session));
  PrintAnswer(response, TestJson, TestText, session);
  return TotalsOf(response).failed == 0 ? ExitCode::kDone : ExitCode::kNegative;
}

// --- backtest ---

struct BacktestOptions {
  std::string pack;
  std::string issues;
  std::string candidate;
};

absl::StatusOr<v1::BacktestResponse> BacktestLocally(const BacktestOptions& options, const std::vector<EvalCase>& cases,
                                                     const Session& session) {
  if (options.candidate.empty()) {
    return UsageError("with --local a backtest compares two folders: name the other one with --candidate DIR");
  }
  ASSIGN_OR_RETURN(const PacksFolder folder, LocalPacksFolder(session));
  ASSIGN_OR_RETURN(const auto base, CompileLocalPack(folder, options.pack));

  Problems problems;
  std::shared_ptr<const rules::CompiledPack> candidate;
  if (IsPackFolder(options.candidate)) {
    const PackAtFolder pack = ReadPackAt(session, options.candidate);
    candidate = BuildPack(pack.folder, pack.name, problems);
  } else {
    candidate = BuildPack(ReadPacksFolder(options.candidate), options.pack, problems);
  }
  if (candidate == nullptr) return ProblemsError("the candidate is not valid:", problems);

  const SystemClock clock;
  Progress progress(ProgressStream(session), clock, "cases", cases.size());
  ASSIGN_OR_RETURN(const BacktestResult result, RunBacktest(*base, *candidate, cases.size(), [&](size_t i) {
                     progress.Done();
                     return TextOf(cases[i].issue);
                   }));
  v1::BacktestResponse response;
  response.set_base_revision(base->model().revision);
  response.set_candidate_revision(candidate->model().revision);
  WriteBacktest(result, response);
  for (v1::IssueDifference& issue : *response.mutable_issues()) {
    *issue.mutable_subject() = cases[issue.index()].issue.subject();
  }
  return response;
}

absl::StatusOr<v1::BacktestResponse> BacktestByServer(const BacktestOptions& options,
                                                      const std::vector<EvalCase>& cases, const Session& session) {
  v1::BacktestRequest request;
  request.set_pack(options.pack);
  for (const EvalCase& eval_case : cases) *request.add_cases() = eval_case.issue;
  if (!options.candidate.empty()) {
    // A folder of packs, or the pack's own.
    const std::string dir =
        IsPackFolder(options.candidate) ? options.candidate : options.candidate + "/" + options.pack;
    if (!IsPackFolder(dir)) {
      return UsageError(absl::StrCat("--candidate: there is no pack in '", options.candidate,
                                     "': expected a folder with a pack.json"));
    }
    AddOwnFiles(ReadPackAt(session, dir), *request.mutable_candidate());
  }
  if (request.ByteSizeLong() > kMaxRpcMessageBytes) {
    return UsageError(absl::StrCat("the issues are too much for one call: ", request.ByteSizeLong(), " bytes, at most ",
                                   kMaxRpcMessageBytes),
                      {"Use fewer issues, or compare two folders with --local --candidate DIR."});
  }
  ASSIGN_OR_RETURN(const ServerConnection server, ServerConnection::Open(session, /*local_works=*/true));
  return server.Call(&v1::RulesService::Stub::Backtest, request, kRulesTestTimeout);
}

absl::StatusOr<ExitCode> Backtest(const BacktestOptions& options, Session& session) {
  ASSIGN_OR_RETURN(const std::vector<EvalCase> cases,
                   ReadIssues(options.issues, session.env, "the issues can't be read:"));
  ASSIGN_OR_RETURN(const v1::BacktestResponse response, session.options.local
                                                            ? BacktestLocally(options, cases, session)
                                                            : BacktestByServer(options, cases, session));
  PrintAnswer(response, BacktestJson, BacktestText, session);
  return ExitCode::kDone;
}

}  // namespace

void AddRulesTestVerbs(Verb& rules) {
  Verb& test = rules.Add("test", "Run the cases that packs ship (local; with --server the packs in service there)",
                         {"yard rules test --all", "yard rules test my-pack --json"});
  TestOptions& tested = test.Runs(Test);
  test.Argument("PACK", &tested.packs, "Packs to test (default: all)");
  test.Flag("--all", &tested.all, "All packs");

  Verb& backtest =
      rules.Add("backtest", "Decide issues under two revisions of a pack and show what differs",
                {"yard rules backtest --pack my-pack --issues issues.jsonl",
                 "yard rules backtest --pack my-pack --issues issues.jsonl --candidate ./candidates/my-pack",
                 "yard rules backtest --local --pack my-pack --issues issues.jsonl --packs ./old --candidate ./new"});
  BacktestOptions& compared = backtest.Runs(Backtest);
  backtest.Value("--pack", &compared.pack, "PACK", "Pack to compare: the one in service is the base").Required();
  backtest.Value("--issues", &compared.issues, "FILE", "File with one issue a line; - is stdin").Required();
  backtest.Value("--candidate", &compared.candidate, "DIR",
                 "Folder with the candidate, or with packs of which it is one (default: the server's packs folder as "
                 "it is now)");
}

}  // namespace yardmaster::cli
