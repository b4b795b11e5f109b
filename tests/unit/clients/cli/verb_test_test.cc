// `yard test`: what needs no run. tests/integration/suites_test.cc runs suites.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <string>

#include "services/worker/logs/log.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/clients/cli/command_line.h"

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class VerbTest : public ::testing::Test {
 protected:
  VerbTest() {
    folder_.Write("run/result.json", R"({"job": "j", "suite": "a/b", "verdict": "failed", "reason": "it broke",
        "seconds": 1.5, "started_at": "2026-01-02T03:04:05Z",
        "layers": [{"id": "smoke", "verdict": "failed", "tests": 3, "failed": 1}],
        "steps": [{"id": "build", "name": "build", "verdict": "passed", "log": "steps/build/log"},
                  {"id": "x", "name": "x[d=1]", "verdict": "failed", "reason": "it broke", "log": "steps/x1/log"},
                  {"id": "x", "name": "x[d=2]", "verdict": "not_run", "reason": "no device", "log": "steps/x2/log"},
                  {"id": "y", "name": "y", "verdict": "passed", "log": "steps/y/log"}]})");
    const auto log = worker::CreateLog(folder_.path() / "run/steps/build/log", {});
    EXPECT_TRUE(log.ok()) << log.status();
    (*log)->Append(worker::kNoRank, worker::Stream::kStdout, "configuring\n");
    (*log)->Append(0, worker::Stream::kStderr, "error: of rank 0\n");
    (*log)->Append(1, worker::Stream::kStdout, "rank 1 is well\n\x1b[2Jcleared\n");
    EXPECT_TRUE((*log)->Close().ok());
  }
  std::string Run() const { return (folder_.path() / "run").string(); }

  testing::TempDir folder_;
};

TEST_F(VerbTest, ARunWithoutAServerNamesBothWaysOut) {
  const Result result = RunCommandLine({"test", "run", "kernels", "--server", "127.0.0.1:9"});
  EXPECT_EQ(result.code, 3);
  EXPECT_THAT(result.err, HasSubstr("--local"));
  EXPECT_THAT(result.out, IsEmpty());
}

TEST_F(VerbTest, OptionsThatDoNotFitAreRefusedBeforeAnybodyIsAsked) {
  const auto run = [](std::vector<std::string> more) {
    more.insert(more.begin(), {"test", "run", "kernels", "--server", "127.0.0.1:9"});
    return RunCommandLine(more);
  };
  EXPECT_EQ(run({"--detach", "--watch"}).code, 2);
  EXPECT_EQ(run({"--detach", "--out", "x"}).code, 2);
  EXPECT_EQ(run({"--ref", "main"}).code, 2);
  EXPECT_EQ(run({"--device", "npu:Ascend910B*:0"}).code, 2);
  EXPECT_EQ(run({"--out", Run()}).code, 2);
  EXPECT_EQ(RunCommandLine({"test", "run", "kernels", "--local", "--device", "gpu:1"}).code, 2);
  EXPECT_EQ(run({"--shards", "0"}).code, 2);
  EXPECT_EQ(run({"--shards", "65"}).code, 2);
  const Result here = RunCommandLine({"test", "run", "kernels", "--local", "--shards", "2"});
  EXPECT_EQ(here.code, 2);
  EXPECT_THAT(here.err, HasSubstr("on the server: leave --local out"));
  EXPECT_EQ(RunCommandLine({"test", "logs", Run(), "-f"}).code, 2);
  EXPECT_EQ(RunCommandLine({"test", "logs", Run()}).code, 2);
}

TEST_F(VerbTest, AListHasEachRunWithItsTests) {
  const Result result = RunCommandLine({"test", "list", "--results", folder_.path().string()});
  EXPECT_EQ(result.code, 0);
  EXPECT_THAT(result.out, HasSubstr("run  a/b    failed       3       1  1.5 s  2026-01-02T03:04:05Z"));
  const auto json =
      nlohmann::json::parse(RunCommandLine({"test", "list", "--json", "--results", folder_.path().string()}).out);
  ASSERT_EQ(json["runs"].size(), 1u);
  EXPECT_EQ(json["runs"][0]["directory"], Run());
  EXPECT_EQ(RunCommandLine({"test", "list", "--results", "/nonexistent"}).code, 0);
}

TEST_F(VerbTest, ShowGivesTheResultAndExplainWhatDidNotPass) {
  EXPECT_THAT(RunCommandLine({"test", "show", Run()}).out, HasSubstr("failed  a/b"));
  EXPECT_EQ(nlohmann::json::parse(RunCommandLine({"test", "show", Run(), "--json"}).out)["verdict"], "failed");
  const Result explained = RunCommandLine({"test", "explain", Run()});
  EXPECT_THAT(explained.out, HasSubstr("not_run    x[d=2]\n             no device"));
  EXPECT_THAT(explained.out, Not(HasSubstr("build")));
  const auto json = nlohmann::json::parse(RunCommandLine({"test", "explain", Run(), "--json"}).out);
  EXPECT_EQ(json["steps"].size(), 2u);
  EXPECT_EQ(json["reason"], "it broke");
}

TEST_F(VerbTest, WhatIsNoResultIsANegativeAnswer) {
  for (const char* verb : {"show", "explain"}) {
    const Result result = RunCommandLine({"test", verb, (folder_.path() / "nothing").string()});
    EXPECT_EQ(result.code, 1) << verb;
    EXPECT_THAT(result.err, HasSubstr("there is no result in"));
  }
  EXPECT_EQ(RunCommandLine({"test", "rerun", "/nonexistent", "--local"}).code, 1);
  // How it was asked for is not known.
  EXPECT_EQ(RunCommandLine({"test", "rerun", Run(), "--local"}).code, 2);
}

TEST_F(VerbTest, LogsAreFilteredByRankEndAndPattern) {
  const Result all = RunCommandLine({"test", "logs", Run(), "build"});
  EXPECT_EQ(all.code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("configuring"));
  EXPECT_THAT(all.out, HasSubstr("rank 0  error: of rank 0"));
  EXPECT_THAT(all.out, Not(HasSubstr("\x1b")));
  const Result ranked = RunCommandLine({"test", "logs", Run(), "build", "--rank", "1", "--tail", "1"});
  EXPECT_THAT(ranked.out, HasSubstr("cleared"));
  EXPECT_THAT(ranked.out, Not(HasSubstr("well")));
  const auto found =
      nlohmann::json::parse(RunCommandLine({"test", "logs", Run(), "build", "--grep", "(?i)ERROR", "--json"}).out);
  ASSERT_EQ(found["lines"].size(), 1u);
  EXPECT_EQ(found["lines"][0]["stream"], "stderr");
  EXPECT_EQ(found["lines"][0]["rank"], 0);
  EXPECT_EQ(RunCommandLine({"test", "logs", Run(), "build", "--grep", "nothing"}).code, 1);
  EXPECT_EQ(RunCommandLine({"test", "logs", Run(), "build", "--grep", "("}).code, 2);
}

TEST_F(VerbTest, AStepIsNamedByNameOrByAnIdThatOnlyOneHas) {
  const Result several = RunCommandLine({"test", "logs", Run(), "x"});
  EXPECT_EQ(several.code, 1);
  EXPECT_THAT(several.err, HasSubstr("several steps have the id"));
  EXPECT_THAT(several.err, HasSubstr("x[d=2]"));
  EXPECT_THAT(RunCommandLine({"test", "logs", Run(), "z"}).err, HasSubstr("that run has no log of a step"));
  // Its file is gone.
  EXPECT_EQ(RunCommandLine({"test", "logs", Run(), "y"}).code, 4);
}

}  // namespace
}  // namespace yardmaster::cli
