#include "services/yardworker/run_budget.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/support/temp_dir.h"

namespace yardmaster::yardworker {
namespace {

using SteadyClock = std::chrono::steady_clock;

class RunBudgetTest : public ::testing::Test {
 protected:
  void MakeFiles(int count) {
    for (int i = 0; i < count; ++i) dir_.Write("run/f" + std::to_string(made_++), "");
  }
  RunBudget Budget(const BudgetLimits& limits) { return RunBudget({dir_.path() / "run"}, dir_.path() / "log", limits); }

  testing::TempDir dir_;
  int made_ = 0;
};

TEST_F(RunBudgetTest, EmptyFilesCountThoughTheyTakeNoBlocks) {
  MakeFiles(20);
  RunBudget budget = Budget({.disk_bytes = 1 << 20, .files = 20});
  const auto now = SteadyClock::now();
  EXPECT_EQ(budget.Look(now), "");
  MakeFiles(1);
  EXPECT_EQ(budget.Look(now + std::chrono::hours(1)), "it has more than 20 files");
}

TEST_F(RunBudgetTest, NoMoreFilesAreCountedThanAreAllowed) {
  MakeFiles(30);
  EXPECT_EQ(UseOf(dir_.path() / "run").files, 30U);
  EXPECT_EQ(UseOf(dir_.path() / "run", 5).files, 5U);
}

TEST_F(RunBudgetTest, BytesAndTheLogHaveLimitsOfTheirOwn) {
  dir_.Write("run/large", std::string(3 << 20, 'x'));
  RunBudget disk = Budget({.disk_bytes = 1 << 20, .files = 100});
  EXPECT_EQ(disk.Look(SteadyClock::now()), "it uses more than 1 MiB of disk");
  dir_.Write("log", std::string(2 << 20, 'x'));
  RunBudget log = Budget({.log_bytes = 1 << 20});
  EXPECT_EQ(log.Look(SteadyClock::now()), "its log is larger than 1 MiB");
}

}  // namespace
}  // namespace yardmaster::yardworker
