// `yard rules test|backtest`.
#include "clients/cli/verb_rules.h"

#include <grpcpp/grpcpp.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/cli/connection.h"
#include "clients/cli/files.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/progress.h"
#include "clients/cli/rules_text.h"
#include "clients/cli/verbs.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/clock.h"
#include "services/core/limits.h"
#include "services/core/messages/issue_snapshot.h"
#include "services/core/rpc/status.h"
#include "services/packs/answers.h"
#include "services/packs/backtest.h"
#include "services/packs/pack_test.h"
#include "services/triage/eval_lines.h"
#include "yardmaster/v1/rules.grpc.pb.h"

namespace yardmaster::cli {
namespace {

// Thousands of cases take a while.
constexpr std::chrono::seconds kTimeout{600};

ExitCode ReportLocal(Session& session, const absl::Status& status) {
  session.output.Error(std::string(status.message()));
  return ExitCodeOf(ToGrpcStatus(status));
}

// --- test ---

struct TestOptions {
  std::vector<std::string> packs;
  bool all = false;
};

ExitCode TestLocally(const TestOptions& options, Session& session, v1::TestPackResponse& response) {
  const std::optional<PacksFolder> folder = LocalPacksFolder(session);
  if (!folder.has_value()) return ExitCode::kUsage;
  const std::vector<std::string> names = options.packs.empty() ? rules::PackNames(folder->files) : options.packs;
  // All packs are compiled before the first case runs: a bad one is an error, not a failed test.
  std::vector<std::shared_ptr<const rules::CompiledPack>> packs;
  size_t cases = 0;
  for (const std::string& name : names) {
    ExitCode code = ExitCode::kDone;
    packs.push_back(CompileLocalPack(session, *folder, name, code));
    if (packs.back() == nullptr) return code;
    cases += packs.back()->model().cases.size();
  }
  const SystemClock clock;
  const bool show = session.env.err_is_terminal && !session.output.quiet();
  Progress progress(show ? session.env.err : nullptr, clock, "cases", cases);
  for (const std::shared_ptr<const rules::CompiledPack>& pack : packs) {
    absl::StatusOr<PackTest> result = TestPack(*pack, [&] {
      progress.Done();
      return absl::OkStatus();
    });
    if (!result.ok()) return ReportLocal(session, result.status());
    // Its problems have been told with those of the pack.
    Problems problems;
    if (const auto checks = rules::LoadChecks(folder->files, pack->model().name, problems))
      TestChecks(*checks, *result);
    if (rules::PackWithPhrases(folder->files, pack->model().name) == pack->model().name) {
      if (const auto phrases = rules::PhraseSet::Load(folder->files, pack->model().name, problems)) {
        TestPhrases(*phrases, *result);
      }
    }
    WritePackTest(*result, response);
  }
  return ExitCode::kDone;
}

ExitCode TestByServer(const TestOptions& options, Session& session, v1::TestPackResponse& response) {
  ExitCode code = ExitCode::kDone;
  const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
  if (connection == nullptr) return code;
  v1::TestPackRequest request;
  for (const std::string& pack : options.packs) request.add_packs(pack);
  grpc::ClientContext context;
  connection->Prepare(context, kTimeout);
  const grpc::Status status = v1::RulesService::NewStub(connection->channel())->TestPack(&context, request, &response);
  return status.ok() ? ExitCode::kDone : connection->Report(session, status, true);
}

ExitCode Test(const TestOptions& options, Session& session) {
  if (options.all && !options.packs.empty()) {
    session.output.Error("--all and a PACK exclude each other");
    return ExitCode::kUsage;
  }
  v1::TestPackResponse response;
  const ExitCode code =
      session.options.server_given ? TestByServer(options, session, response) : TestLocally(options, session, response);
  if (code != ExitCode::kDone) return code;
  if (session.options.json) {
    session.output.Json(TestJson(response));
  } else {
    session.output.out() << TestText(response, session.output);
  }
  return TotalsOf(response).failed == 0 ? ExitCode::kDone : ExitCode::kNegative;
}

// --- backtest ---

struct BacktestOptions {
  std::string pack;
  std::string issues;
  std::string candidate;
};

ExitCode BacktestLocally(const BacktestOptions& options, const std::vector<EvalCase>& cases, Session& session,
                         v1::BacktestResponse& response) {
  if (options.candidate.empty()) {
    session.output.Error("with --local a backtest compares two folders: name the other one with --candidate DIR");
    return ExitCode::kUsage;
  }
  const std::optional<PacksFolder> folder = LocalPacksFolder(session);
  if (!folder.has_value()) return ExitCode::kUsage;
  ExitCode code = ExitCode::kDone;
  const std::shared_ptr<const rules::CompiledPack> base = CompileLocalPack(session, *folder, options.pack, code);
  if (base == nullptr) return code;

  Problems problems;
  std::shared_ptr<const rules::CompiledPack> candidate;
  if (IsPackFolder(options.candidate)) {
    const PackAtFolder pack = ReadPackAt(session, options.candidate);
    candidate = BuildPack(pack.folder, pack.name, problems);
  } else {
    candidate = BuildPack(ReadPacksFolder(options.candidate), options.pack, problems);
  }
  if (candidate == nullptr) {
    session.output.Error("the candidate is not valid:");
    ReportProblems(session, problems);
    return ExitCode::kUsage;
  }

  const SystemClock clock;
  const bool show = session.env.err_is_terminal && !session.output.quiet();
  Progress progress(show ? session.env.err : nullptr, clock, "cases", cases.size());
  const absl::StatusOr<BacktestResult> result = RunBacktest(*base, *candidate, cases.size(), [&](size_t i) {
    progress.Done();
    return TextOf(cases[i].issue);
  });
  if (!result.ok()) return ReportLocal(session, result.status());
  response.set_base_revision(base->model().revision);
  response.set_candidate_revision(candidate->model().revision);
  WriteBacktest(*result, response);
  for (v1::IssueDifference& issue : *response.mutable_issues())
    *issue.mutable_subject() = cases[issue.index()].issue.subject();
  return ExitCode::kDone;
}

ExitCode BacktestByServer(const BacktestOptions& options, const std::vector<EvalCase>& cases, Session& session,
                          v1::BacktestResponse& response) {
  v1::BacktestRequest request;
  request.set_pack(options.pack);
  for (const EvalCase& eval_case : cases) *request.add_cases() = eval_case.issue;
  if (!options.candidate.empty()) {
    // A folder of packs, or the pack's own.
    const std::string dir =
        IsPackFolder(options.candidate) ? options.candidate : options.candidate + "/" + options.pack;
    if (!IsPackFolder(dir)) {
      session.output.Error("--candidate: there is no pack in '" + options.candidate +
                           "': expected a folder with a pack.json");
      return ExitCode::kUsage;
    }
    const PackAtFolder pack = ReadPackAt(session, dir);
    for (const auto& [path, bytes] : OwnFiles(pack)) {
      v1::PackFile& file = *request.add_candidate();
      file.set_path(std::string(path));
      file.set_content(std::string(bytes));
    }
  }
  if (request.ByteSizeLong() > kMaxRpcMessageBytes) {
    session.output.Error("the issues are too much for one call: " + std::to_string(request.ByteSizeLong()) +
                         " bytes, at most " + std::to_string(kMaxRpcMessageBytes));
    session.output.Hint("Use fewer issues, or compare two folders with --local --candidate DIR.");
    return ExitCode::kUsage;
  }
  ExitCode code = ExitCode::kDone;
  const std::unique_ptr<ServerConnection> connection = ServerConnection::Open(session, code);
  if (connection == nullptr) return code;
  grpc::ClientContext context;
  connection->Prepare(context, kTimeout);
  const grpc::Status status = v1::RulesService::NewStub(connection->channel())->Backtest(&context, request, &response);
  return status.ok() ? ExitCode::kDone : connection->Report(session, status, true);
}

ExitCode Backtest(const BacktestOptions& options, Session& session) {
  std::string error;
  const std::unique_ptr<InputFile> input = InputFile::Open(options.issues, session.env, error);
  if (input == nullptr) {
    session.output.Error(error);
    return ExitCode::kUsage;
  }
  Problems problems;
  const std::optional<std::vector<EvalCase>> cases =
      ReadEvalLines(input->stream(), input->name(), EvalLimits(), problems);
  if (!cases.has_value()) {
    session.output.Error("the issues can't be read:");
    ReportProblems(session, problems);
    return ExitCode::kUsage;
  }
  v1::BacktestResponse response;
  const ExitCode code = session.options.local ? BacktestLocally(options, *cases, session, response)
                                              : BacktestByServer(options, *cases, session, response);
  if (code != ExitCode::kDone) return code;
  if (session.options.json) {
    session.output.Json(BacktestJson(response));
  } else {
    session.output.out() << BacktestText(response, session.output);
  }
  return ExitCode::kDone;
}

}  // namespace

void AddRulesTestVerbs(CLI::App& rules, Verb& chosen) {
  auto test_options = std::make_shared<TestOptions>();
  CLI::App* test =
      AddVerb(rules, "test", "Run the cases that packs ship (local; with --server the packs in service there)",
              "  yard rules test --all\n  yard rules test my-pack --json");
  test->add_option("PACK", test_options->packs, "Packs to test (default: all)")->type_name("");
  test->add_flag("--all", test_options->all, "All packs");
  test->callback(
      [&chosen, test_options] { chosen = [test_options](Session& session) { return Test(*test_options, session); }; });

  auto backtest_options = std::make_shared<BacktestOptions>();
  CLI::App* backtest =
      AddVerb(rules, "backtest", "Decide issues under two revisions of a pack and show what differs",
              "  yard rules backtest --pack my-pack --issues issues.jsonl\n"
              "  yard rules backtest --pack my-pack --issues issues.jsonl --candidate "
              "./candidates/my-pack\n"
              "  yard rules backtest --local --pack my-pack --issues issues.jsonl --packs ./old --candidate ./new");
  backtest->add_option("--pack", backtest_options->pack, "Pack to compare: the one in service is the base")
      ->required()
      ->type_name("PACK");
  backtest->add_option("--issues", backtest_options->issues, "File with one issue a line; - is stdin")
      ->required()
      ->type_name("FILE");
  backtest
      ->add_option("--candidate", backtest_options->candidate,
                   "Folder with the candidate, or with packs of which it is one (default: the server's packs folder as "
                   "it is now)")
      ->type_name("DIR");
  backtest->callback([&chosen, backtest_options] {
    chosen = [backtest_options](Session& session) { return Backtest(*backtest_options, session); };
  });
}

}  // namespace yardmaster::cli
