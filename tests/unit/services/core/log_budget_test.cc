#include "services/core/log_budget.h"

#include <gtest/gtest.h>

namespace yardmaster {
namespace {

using std::chrono::seconds;
using Time = std::chrono::steady_clock::time_point;

TEST(LogBudget, WhatIsLeftOutIsCountedByTheNextLine) {
  LogBudget budget(2);
  const Time start{};
  EXPECT_EQ(budget.Spend(start), 0);
  EXPECT_EQ(budget.Spend(start + seconds(1)), 0);
  EXPECT_EQ(budget.Spend(start + seconds(2)), std::nullopt);
  EXPECT_EQ(budget.Spend(start + seconds(59)), std::nullopt);
  EXPECT_EQ(budget.Spend(start + seconds(60)), 2);
  EXPECT_EQ(budget.Spend(start + seconds(61)), 0);
}

}  // namespace
}  // namespace yardmaster
