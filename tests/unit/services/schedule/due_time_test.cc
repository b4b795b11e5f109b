#include "services/schedule/due_time.h"

#include <gtest/gtest.h>

#include <set>

namespace yardmaster {
namespace {

using namespace std::chrono_literals;
using std::chrono::sys_days;
using std::chrono::system_clock;

ScheduleTimes Times(const char* expression, std::chrono::seconds jitter = 0s) {
  std::string error;
  return {"nightly", *CronExpression::Parse(expression, error), absl::UTCTimeZone(), jitter};
}

constexpr system_clock::time_point kNoon = sys_days(std::chrono::year(2026) / 5 / 1) + 12h;

TEST(FindDue, NothingIsDueBeforeItsTime) {
  const DueTime found = FindDue(Times("0 2 * * *"), kNoon, kNoon + 1h);
  EXPECT_FALSE(found.due.has_value());
  EXPECT_EQ(found.next, kNoon + 14h);
}

TEST(FindDue, WhatWasMissedIsMadeUpForByTheLatest) {
  const DueTime found = FindDue(Times("0 2 * * *"), kNoon, kNoon + 24h * 100);
  EXPECT_EQ(found.due, kNoon + 24h * 99 + 14h);
  EXPECT_EQ(found.next, kNoon + 24h * 100 + 14h);
  // Every minute of two years.
  EXPECT_EQ(FindDue(Times("* * * * *"), kNoon, kNoon + 24h * 730).due, kNoon + 24h * 730);
  // Once a year, nine years ago.
  EXPECT_EQ(FindDue(Times("0 0 1 1 *"), kNoon, kNoon + 24h * 366 * 9).due, sys_days(std::chrono::year(2035) / 1 / 1));
}

TEST(FindDue, AClockThatIsSetBackMakesNothingDueAgain) {
  const DueTime found = FindDue(Times("* * * * *"), kNoon, kNoon - 5h);
  EXPECT_FALSE(found.due.has_value());
  EXPECT_EQ(found.next, kNoon + 1min);
}

TEST(FindDue, JitterIsTheSameEverywhereAndSpread) {
  const ScheduleTimes times = Times("0 2 * * *", 600s);
  std::set<int64_t> seen;
  for (int day = 0; day < 50; ++day) {
    const system_clock::time_point due = kNoon + 14h + 24h * day;
    const std::chrono::seconds jitter = JitterOf(times, due);
    EXPECT_GE(jitter, 0s);
    EXPECT_LE(jitter, 600s);
    EXPECT_EQ(jitter, JitterOf(times, due));
    seen.insert(jitter.count());
    EXPECT_FALSE(FindDue(times, due - 1s, due + jitter - 1s).due.has_value());
    EXPECT_EQ(FindDue(times, due - 1s, due + jitter).due, due);
  }
  EXPECT_GT(seen.size(), 30U);
}

}  // namespace
}  // namespace yardmaster
