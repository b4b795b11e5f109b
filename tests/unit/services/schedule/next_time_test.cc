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

std::string Next(const char* expression, const char* after) {
  std::string error;
  const auto cron = CronExpression::Parse(expression, error);
  EXPECT_TRUE(cron.has_value()) << error;
  const auto next = NextTime(*cron, At(after));
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

}  // namespace
}  // namespace yardmaster
