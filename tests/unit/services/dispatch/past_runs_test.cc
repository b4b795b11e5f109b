#include "services/dispatch/past_runs.h"

#include <gtest/gtest.h>

namespace yardmaster::dispatch {
namespace {

Job Ended(const std::string& id, const std::string& model, int64_t seconds, Verdict verdict = Verdict::kPassed) {
  Job job;
  job.id = id;
  job.shape = "suite";
  job.answer_key = "tree";
  job.model = model;
  job.verdict = verdict;
  job.run_began_at = WallTime(std::chrono::hours(1));
  job.ended_at = job.run_began_at + std::chrono::seconds(seconds);
  return job;
}

Demand Of(std::vector<std::string> models) {
  Demand demand;
  demand.models = std::move(models);
  return demand;
}

TEST(PastRuns, TheMedianOfWhatPassedOnThatModelIsExpected) {
  PastRuns runs;
  EXPECT_EQ(runs.Expected("suite", Of({})).count(), 0);
  for (const int64_t seconds : {100, 1'000, 120}) runs.Note(Ended("j", "910B3", seconds));
  runs.Note(Ended("j", "910B4", 50));
  runs.Note(Ended("j", "910B3", 1, Verdict::kFailed));
  runs.Note(Ended("j", "910B3", 1, Verdict::kError));
  EXPECT_EQ(runs.Expected("suite", Of({"Ascend910B3"})).count(), 120);
  EXPECT_EQ(runs.Expected("suite", Of({"910B4"})).count(), 50);
  EXPECT_EQ(runs.Expected("suite", Of({"A100"})).count(), 0);
  EXPECT_EQ(runs.Expected("other", Of({})).count(), 0);
  // The newest count.
  for (int i = 0; i < 20; ++i) runs.Note(Ended("j", "910B3", 10));
  EXPECT_EQ(runs.Expected("suite", Of({"910B3"})).count(), 10);
}

TEST(PastRuns, TheNewestThatPassedAnswers) {
  PastRuns runs;
  EXPECT_EQ(runs.Passed("tree", Of({}), {""}), "");
  runs.Note(Ended("j-1", "910B3", 1));
  runs.Note(Ended("j-2", "910B3", 1));
  runs.Note(Ended("j-3", "910B3", 1, Verdict::kFailed));
  EXPECT_EQ(runs.Passed("tree", Of({}), {""}), "j-2");
  EXPECT_EQ(runs.Passed("tree", Of({"910B4"}), {""}), "");
  EXPECT_EQ(runs.Passed("", Of({}), {""}), "");
  // An answer is no run of its own.
  Job answered = Ended("j-4", "910B3", 1);
  answered.answered_by = "j-2";
  runs.Note(answered);
  EXPECT_EQ(runs.Passed("tree", Of({}), {""}), "j-2");
}

TEST(PastRuns, APassAnswersInItsOwnEnvironmentOnly) {
  PastRuns runs;
  Job job = Ended("j-1", "910B3", 1);
  job.environment = "npu 24.1, cann 8.0";
  runs.Note(job);
  EXPECT_EQ(runs.Passed("tree", Of({}), {"npu 24.1, cann 8.0"}), "j-1");
  EXPECT_EQ(runs.Passed("tree", Of({}), {"npu 25.0, cann 8.0", "npu 24.1, cann 8.0"}), "j-1");
  EXPECT_EQ(runs.Passed("tree", Of({}), {"npu 24.1, cann 8.1"}), "");
  EXPECT_EQ(runs.Passed("tree", Of({}), {""}), "") << "one that says nothing may be anything";
  EXPECT_EQ(runs.Passed("tree", Of({}), {}), "");
}

TEST(PastRuns, RunsOfASuiteAreNamedTheNewestFirstOnDevicesThatFit) {
  PastRuns runs;
  const auto note = [&](const std::string& id, const std::string& model, const std::string& kind,
                        Verdict verdict = Verdict::kPassed) {
    Job job = Ended(id, model, 1, verdict);
    job.suite = "repo/units";
    job.demand.kind = kind;
    runs.Note(job);
  };
  note("j-1", "910B3", "npu");
  note("j-2", "910B4", "npu");
  note("j-3", "910B3", "npu", Verdict::kFailed);
  note("j-4", "910B3", "npu", Verdict::kError);
  note("j-5", "", "cpu");
  Demand demand = Of({});
  demand.kind = "npu";
  EXPECT_EQ(runs.RunsOf("repo/units", demand), (std::vector<std::string>{"j-3", "j-2", "j-1"}));
  demand.models = {"910B3"};
  EXPECT_EQ(runs.RunsOf("repo/units", demand), (std::vector<std::string>{"j-3", "j-1"}));
  EXPECT_EQ(runs.RunsOf("repo/unit", demand), std::vector<std::string>());
  for (size_t i = 0; i < 2 * kRunsOfSuiteKept; ++i) note("j", "910B3", "npu");
  EXPECT_EQ(runs.RunsOf("repo/units", demand).size(), kRunsOfSuiteKept);
}

TEST(PastRuns, MemoryIsBounded) {
  PastRuns runs;
  for (size_t i = 0; i < kPastRunsKept + 10; ++i) {
    Job job = Ended("j", "m", 1);
    job.shape = "s" + std::to_string(i);
    job.answer_key.clear();
    runs.Note(job);
  }
  EXPECT_EQ(runs.Expected("s0", Of({})).count(), 0);
  EXPECT_EQ(runs.Expected("s20", Of({})).count(), 1);
}

}  // namespace
}  // namespace yardmaster::dispatch
