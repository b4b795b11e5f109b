// `yard rules test`.
#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/cli/answer.h"
#include "clients/cli/connection.h"
#include "clients/cli/local_packs.h"
#include "clients/cli/progress.h"
#include "clients/cli/rules_text.h"
#include "clients/cli/verbs.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/core/clock.h"
#include "services/core/status_macros.h"
#include "services/packs/answers.h"
#include "services/packs/pack_test.h"
#include "yardmaster/v1/rules.grpc.pb.h"

namespace yardmaster::cli {
namespace {

// Thousands of cases take a while.
constexpr std::chrono::seconds kRulesTestTimeout{600};

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
  // Of all packs: whether a function of the language is one rule's own.
  std::vector<std::shared_ptr<const rules::CheckSet>> all_checks;
  Problems told;
  for (const std::string& name : rules::PackNames(folder.files)) {
    if (auto checks = rules::LoadChecks(folder.files, name, told)) all_checks.push_back(std::move(checks));
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
    if (const auto checks = rules::LoadChecks(folder.files, name, problems)) {
      TestChecks(*checks, all_checks, result);
    }
    if (rules::PackWithPhrases(folder.files, name) == name) {
      if (const auto phrases = rules::PhraseSet::Load(folder.files, name, problems)) TestPhrases(*phrases, result);
    }
    if (const auto pipeline = rules::LoadPipeline(folder.files, name, problems)) TestPipeline(*pipeline, result);
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

}  // namespace

void AddRulesTestVerb(Verb& rules) {
  Verb& test = rules.Add("test", "Run the cases that packs ship (local; with --server the packs in service there)",
                         {"yard rules test --all", "yard rules test my-pack --json"});
  TestOptions& tested = test.Runs(Test);
  test.Argument("PACK", &tested.packs, "Packs to test (default: all)");
  test.Flag("--all", &tested.all, "All packs");
}

}  // namespace yardmaster::cli
