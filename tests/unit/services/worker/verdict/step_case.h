// One step's evidence, put together in a test, and judged.
#ifndef YARDMASTER_TESTS_UNIT_SERVICES_WORKER_VERDICT_STEP_CASE_H_
#define YARDMASTER_TESTS_UNIT_SERVICES_WORKER_VERDICT_STEP_CASE_H_

#include <gtest/gtest.h>

#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "nlohmann/json.hpp"
#include "rules/engine/suites/suite_reader.h"
#include "services/worker/verdict/verdict.h"
#include "tests/support/memory_log.h"
#include "tests/support/source_path.h"

namespace yardmaster::worker {

inline constexpr int64_t kSecond = 1'000'000;

// The failure signatures of a pack as its file has them.
inline std::vector<rules::FailureSignature> ReadSignatures(const std::string& pack) {
  std::ifstream file(yardmaster::testing::SourcePath("rules/packs") / pack / "signatures.json");
  const nlohmann::json json = nlohmann::json::parse(file);
  std::vector<rules::FailureSignature> signatures;
  for (const nlohmann::json& entry : json.at("signatures")) {
    signatures.push_back(rules::ReadSignature(entry));
  }
  return signatures;
}

inline std::shared_ptr<const Signatures> CompilePacks(const std::vector<std::string>& packs) {
  std::vector<rules::FailureSignature> all;
  for (const std::string& pack : packs) {
    for (rules::FailureSignature& signature : ReadSignatures(pack)) all.push_back(std::move(signature));
  }
  std::string error;
  std::shared_ptr<const Signatures> signatures = CompileSignatures(std::move(all), error);
  EXPECT_NE(signatures, nullptr) << error;
  return signatures;
}

inline const Signatures& CommonSignatures() {
  static const std::shared_ptr<const Signatures> kSignatures = CompilePacks({"common"});
  return *kSignatures;
}

inline ReportTest Ran(std::string id, Outcome outcome, std::string message = "", double seconds = 0.1) {
  ReportTest test;
  test.id = std::move(id);
  test.outcome = outcome;
  test.message = std::move(message);
  test.seconds = seconds;
  return test;
}

class StepCase {
 public:
  explicit StepCase(int ranks = 0) {
    step.id = "step";
    evidence.step = &step;
    evidence.name = "step";
    evidence.layer = "correctness";
    evidence.expected_ranks = ranks;
    evidence.log = &log;
    evidence.log_path = "steps/step/log";
    for (int rank = ranks == 0 ? kNoRank : 0; rank < ranks; ++rank) {
      RankEvidence& added = evidence.ranks.emplace_back();
      added.rank = rank;
      added.started = true;
      added.end_micros = 10 * kSecond;
      added.exit = ProcessExit{};
    }
  }
  StepCase(const StepCase&) = delete;
  StepCase& operator=(const StepCase&) = delete;

  RankEvidence& Rank(int rank = kNoRank) {
    for (RankEvidence& evidence_of_rank : evidence.ranks) {
      if (evidence_of_rank.rank == rank) return evidence_of_rank;
    }
    ADD_FAILURE() << "no rank " << rank;
    return evidence.ranks.front();
  }
  RankEvidence& Exit(int rank, int code, int64_t micros) {
    Rank(rank).exit->code = code;
    Rank(rank).end_micros = micros;
    return Rank(rank);
  }
  RankEvidence& Kill(int rank, int signal, int64_t micros) {
    Rank(rank).exit->code = 128 + signal;
    Rank(rank).exit->signal = signal;
    Rank(rank).end_micros = micros;
    return Rank(rank);
  }
  RankEvidence& Junit(int rank, std::vector<ReportTest> tests) {
    if (step.reports.empty()) step.reports.emplace_back();
    Report report;
    report.tests = std::move(tests);
    Rank(rank).reports.push_back(std::move(report));
    return Rank(rank);
  }
  // The manifest names a report for every rank, and this one did not write it.
  void NoReport(int rank) {
    if (step.reports.empty()) step.reports.emplace_back();
    Rank(rank).missing_reports.emplace_back("junit.xml");
  }
  // All ranks started by a launcher that ended with `code`: their own exits are not known.
  void Launched(std::string_view kind, int code) {
    step.launcher.kind = std::string(kind);
    evidence.launched_by = FindLauncher(Launchers(), kind);
    evidence.launcher = ProcessExit{};
    evidence.launcher->code = code;
    for (RankEvidence& rank : evidence.ranks) {
      rank.exit.reset();
      rank.end_micros = 0;
    }
  }
  void Stop(Stopped how, int64_t micros) {
    evidence.stopped = how;
    evidence.stopped_micros = micros;
  }
  // Still there when the step was stopped.
  void Hangs(int rank) {
    Rank(rank).exit.reset();
    Rank(rank).end_micros = evidence.stopped_micros;
  }
  // tests/data/worker_logs/NAME.
  void Play(const std::string& name) { ASSERT_TRUE(log.AddFile(name)) << name; }

  StepJudgement Judge(const Signatures& signatures = CommonSignatures()) {
    return JudgeStep(evidence, signatures, recipes);
  }

  rules::SuiteStep step;
  StepEvidence evidence;
  testing::MemoryLog log;
  std::vector<const rules::RecoveryRecipe*> recipes;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_TESTS_UNIT_SERVICES_WORKER_VERDICT_STEP_CASE_H_
