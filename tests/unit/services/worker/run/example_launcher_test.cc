#include "tests/support/example_launcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/memory_log.h"
#include "tests/unit/services/worker/run/run_fixture.h"

namespace yardmaster::worker {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;

class ExampleLauncherTest : public RunFixture {
 protected:
  ExampleLauncherTest() : table_(Launchers().begin(), Launchers().end()) {
    table_.push_back(testing::Fork());
    dependencies_.launchers = table_;
  }

  std::vector<Launcher> table_;
};

TEST_F(ExampleLauncherTest, ItStartsTheRanksOfAStepAndTheOneThatFailsIsNamed) {
  Layer(
      "correctness",
      {Ranks("forked", "echo rank $RANK of $WORLD_SIZE at $MASTER_ADDR; [ $RANK = 1 ] && exit 5; exit 0", "fork", 3)});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kFailed) << run.reason;
  EXPECT_THAT(observer_.lines, Contains("2:rank 2 of 3 at 127.0.0.1"));
  EXPECT_THAT(observer_.lines, Contains("-1:fork: rank 1 ended with 5"));
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->rank, 1) << run.cause->message;
  ASSERT_EQ(run.steps.at(0).ranks.size(), 3U);
  EXPECT_EQ(run.steps[0].ranks[0].exit_code, 0);
  EXPECT_EQ(run.steps[0].ranks[1].exit_code, 5);
}

TEST_F(ExampleLauncherTest, ItsOwnWordsSayHowARankEnded) {
  testing::MemoryLog log;
  log.Add(kNoRank, 0, "fork: rank 1 ended with 5");
  EXPECT_EQ(ReadLauncherLog(*FindLauncher(table_, "fork"), log).ends.at(1).code, 5);
}

TEST_F(ExampleLauncherTest, WithoutItsLineInTheTableItIsNotKnown) {
  dependencies_.launchers = Launchers();
  Layer("correctness", {Ranks("forked", "true", "fork", 2)});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kError);
  EXPECT_THAT(run.reason, HasSubstr("launcher"));
}

}  // namespace
}  // namespace yardmaster::worker
