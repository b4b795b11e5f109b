#include "services/schedule/next_time.h"

#include <gtest/gtest.h>

#include <ctime>
#include <string>

namespace yardmaster {
namespace {

using std::chrono::system_clock;

system_clock::time_point At(const char* text) {
  std::tm tm{};
  EXPECT_NE(strptime(text, "%Y-%m-%d %H:%M:%S", &tm), nullptr) << text;
  return system_clock::from_time_t(timegm(&tm));
}

absl::TimeZone Zone(const char* name) {
  absl::TimeZone zone;
  EXPECT_TRUE(absl::LoadTimeZone(name, &zone)) << name;
  return zone;
}

std::string Next(const char* expression, const char* after, const char* zone = "UTC") {
  std::string error;
  const auto cron = CronExpression::Parse(expression, error);
  EXPECT_TRUE(cron.has_value()) << error;
  const auto next = NextTime(*cron, Zone(zone), At(after));
  if (!next.has_value()) return "never";
  const std::time_t time = system_clock::to_time_t(*next);
  std::tm tm{};
  gmtime_r(&time, &tm);
  char buffer[32];
  strftime(buffer, sizeof(buffer), "%Y-%m-%d %H:%M:%S", &tm);
  return buffer;
}

TEST(NextTime, DailyRunsTodayOrTomorrow) {
  EXPECT_EQ(Next("0 2 * * *", "2026-05-01 01:59:59"), "2026-05-01 02:00:00");
  EXPECT_EQ(Next("0 2 * * *", "2026-05-01 02:00:00"), "2026-05-02 02:00:00");
  EXPECT_EQ(Next("0 2 * * *", "2026-12-31 23:00:00"), "2027-01-01 02:00:00");
}

TEST(NextTime, IsAlwaysAFullMinuteAfterwards) {
  EXPECT_EQ(Next("* * * * *", "2026-05-01 10:00:00"), "2026-05-01 10:01:00");
  EXPECT_EQ(Next("* * * * *", "2026-05-01 10:00:30"), "2026-05-01 10:01:00");
  EXPECT_EQ(Next("*/15 * * * *", "2026-05-01 10:46:00"), "2026-05-01 11:00:00");
}

TEST(NextTime, WeekdaysAndMonths) {
  // 1 May 2026 is a Friday.
  EXPECT_EQ(Next("30 9 * * mon", "2026-05-01 00:00:00"), "2026-05-04 09:30:00");
  EXPECT_EQ(Next("0 0 1 jan *", "2026-05-01 00:00:00"), "2027-01-01 00:00:00");
  // Both day fields restricted: one is enough.
  EXPECT_EQ(Next("0 0 13 * 5", "2026-05-01 00:00:00"), "2026-05-08 00:00:00");
}

TEST(NextTime, LeapDays) {
  EXPECT_EQ(Next("0 0 29 2 *", "2026-05-01 00:00:00"), "2028-02-29 00:00:00");
  EXPECT_EQ(Next("0 0 29 2 *", "2096-03-01 00:00:00"), "2104-02-29 00:00:00");
}

// In Berlin the clocks go from 02:00 to 03:00 on 29 March 2026 at 01:00 UTC, and from 03:00 to 02:00 on 25 October at
// 01:00 UTC.
TEST(NextTime, AZoneSaysWhatTheClockShows) {
  EXPECT_EQ(Next("30 9 * * *", "2026-01-10 12:00:00", "Asia/Shanghai"), "2026-01-11 01:30:00");
  EXPECT_EQ(Next("0 0 1 * *", "2026-06-15 00:00:00", "America/Los_Angeles"), "2026-07-01 07:00:00");
}

TEST(NextTime, ATimeThatIsSkippedIsDueAtTheChange) {
  EXPECT_EQ(Next("30 2 * * *", "2026-03-28 12:00:00", "Europe/Berlin"), "2026-03-29 01:00:00");
  EXPECT_EQ(Next("30 2 * * *", "2026-03-29 01:00:00", "Europe/Berlin"), "2026-03-30 00:30:00");
  EXPECT_EQ(Next("0 3 * * *", "2026-03-28 12:00:00", "Europe/Berlin"), "2026-03-29 01:00:00");
}

TEST(NextTime, ATimeThatComesTwiceIsDueTheFirstTime) {
  EXPECT_EQ(Next("30 2 * * *", "2026-10-24 12:00:00", "Europe/Berlin"), "2026-10-25 00:30:00");
  EXPECT_EQ(Next("30 2 * * *", "2026-10-25 00:30:00", "Europe/Berlin"), "2026-10-26 01:30:00");
}

TEST(NextTime, WhatRunsEveryHourGoesByTheTimeThatPasses) {
  EXPECT_EQ(Next("30 * * * *", "2026-03-29 00:30:00", "Europe/Berlin"), "2026-03-29 01:30:00");
  EXPECT_EQ(Next("30 * * * *", "2026-10-25 00:30:00", "Europe/Berlin"), "2026-10-25 01:30:00");
  EXPECT_EQ(Next("30 * * * *", "2026-10-25 01:30:00", "Europe/Berlin"), "2026-10-25 02:30:00");
  // Half an hour, on Lord Howe: 02:00 becomes 01:30 on 5 April 2026 at 15:00 UTC of the day before.
  EXPECT_EQ(Next("45 * * * *", "2026-04-04 14:45:00", "Australia/Lord_Howe"), "2026-04-04 15:15:00");
}

}  // namespace
}  // namespace yardmaster
