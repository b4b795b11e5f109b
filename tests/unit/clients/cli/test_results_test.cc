#include "clients/cli/test_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace yardmaster::cli {
namespace {

TEST(ListResults, TheNewestComesFirstAndWhatIsNoResultIsPassedOver) {
  const testing::TempDir folder;
  folder.Write("old/result.json", R"({"started_at": "2026-01-01T00:00:00Z", "job": "old"})");
  folder.Write("new/result.json", R"({"started_at": "2026-01-02T00:00:00Z", "job": "new"})");
  folder.Write("damaged/result.json", "{");
  folder.Write("no-result/junit.xml", "<x/>");
  const std::vector<ListedResult> results = ListResults(folder.path());
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].result["job"], "new");
  EXPECT_EQ(results[1].result["job"], "old");
  EXPECT_TRUE(ListResults(folder.path() / "missing").empty());
}

TEST(ReadResult, WhatIsWrongIsNamed) {
  const testing::TempDir folder;
  const auto error = [&] { return std::string(ReadResult(folder.path()).status().message()); };
  EXPECT_THAT(error(), ::testing::HasSubstr("result.json"));
  folder.Write("result.json", "[1]");
  EXPECT_THAT(error(), ::testing::HasSubstr("is not the result of a run"));
}

TEST(ReadRequest, WhatWasWrittenIsReadBack) {
  const testing::TempDir folder;
  RunRequest request;
  request.suite = "pypto/st";
  request.source = "/src";
  request.select = {"dtype=float32"};
  request.layers = {"smoke"};
  request.assignments = {"A=b=c"};
  request.keep_going = true;
  request.cpu_devices = 8;
  request.steps = {{"one[x=1]", {"a", "b"}}, {"two", {}}};
  request.rerun_of = "20260102-030405-abcd";
  folder.Write("request.json", RequestJson(request).dump());
  const std::optional<RunRequest> read = ReadRequest(folder.path());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(RequestJson(*read), RequestJson(request));
  folder.Write("request.json", "{}");
  EXPECT_FALSE(ReadRequest(folder.path()).has_value());
  folder.Write("request.json", R"({"suite": "a/b", "cpu_devices": -1, "layers": 3})");
  ASSERT_TRUE(ReadRequest(folder.path()).has_value());
  EXPECT_EQ(ReadRequest(folder.path())->cpu_devices, 0u);
}

TEST(EarlierRunOf, WhatDidNotPassIsKeptWithAWayToIt) {
  const testing::TempDir folder;
  const char* text = R"({"job": "20260102-030405-abcd", "suite_digest": "d", "commit": "c",
      "started_at": "2026-01-02T03:04:05Z", "seconds": 60,
      "steps": [{"name": "a", "verdict": "passed"},
                {"name": "b", "verdict": "timed_out", "reason": "hung", "log": "steps/b/log",
                 "cause": {"class": "code", "signature": "hang", "message": "hung", "rank": 2, "line": 7}}],
      "tests": [{"id": "t", "step": "b", "rank": 2, "verdict": "timed_out", "message": "m"},
                {"id": "u", "step": "b", "rank": null, "verdict": "passed"}]})";
  folder.Write("first/result.json", text);
  const ListedResult before = {folder.path() / "first", nlohmann::ordered_json::parse(text)};
  const worker::EarlierRun run = EarlierRunOf(before, folder.path() / "second");
  EXPECT_EQ(run.job, "20260102-030405-abcd");
  EXPECT_EQ(run.directory, "../first");
  EXPECT_EQ(run.suite_digest, "d");
  EXPECT_EQ(run.commit, "c");
  ASSERT_EQ(run.steps.size(), 1u);
  EXPECT_EQ(run.steps[0].verdict, worker::Verdict::kTimedOut);
  ASSERT_TRUE(run.steps[0].cause.has_value());
  EXPECT_EQ(run.steps[0].cause->signature, "hang");
  EXPECT_EQ(run.steps[0].cause->rank, 2);
  EXPECT_EQ(run.steps[0].cause->line, 7u);
  ASSERT_EQ(run.tests.size(), 1u);
  EXPECT_EQ(run.tests[0].id, "t");
  // The file was copied later: the end is where its start and its length put it, in whole seconds.
  const auto seconds = std::chrono::floor<std::chrono::seconds>(run.ended.time_since_epoch());
  EXPECT_EQ(seconds.count(), 1767323045 + 60 + 1);
}

constexpr const char* kFailedResult = R"({"verdict": "failed", "reason": "1 != 2", "cause": {"class": "code"},
  "layers": [{"id": "smoke", "verdict": "passed"}, {"id": "unit", "verdict": "failed"}],
  "steps": [{"name": "quick", "layer": "smoke", "verdict": "passed"}, {"name": "a[x=1]", "layer": "unit", "verdict": "failed"},
            {"name": "a[x=2]", "layer": "unit", "verdict": "passed"}, {"name": "dead", "layer": "unit", "verdict": "error"}],
  "tests": [{"id": "t1", "step": "a[x=1]", "rank": 0, "verdict": "failed", "message": "1 != 2"},
            {"id": "t1", "step": "a[x=1]", "rank": 1, "verdict": "failed"}, {"id": "t2", "step": "a[x=1]", "rank": 0, "verdict": "passed"}]})";

TEST(FailedSteps, StepsThatDidNotPassWithTheTestsThatFailed) {
  const auto result = nlohmann::ordered_json::parse(kFailedResult);
  const std::vector<ChosenTests> steps = FailedSteps(result, {"unit"});
  ASSERT_EQ(steps.size(), 2u);
  EXPECT_EQ(steps[0].step, "a[x=1]");
  EXPECT_THAT(steps[0].tests, ::testing::ElementsAre("t1"));
  EXPECT_EQ(steps[1].step, "dead");
  EXPECT_TRUE(steps[1].tests.empty());
  // Of a layer that was held up no steps are known: all of them are run.
  EXPECT_TRUE(FailedSteps(result, {"unit", "module"}).empty());
}

}  // namespace
}  // namespace yardmaster::cli
