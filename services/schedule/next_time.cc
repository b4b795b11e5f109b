#include "services/schedule/next_time.h"

namespace yardmaster {

std::optional<std::chrono::system_clock::time_point> NextTime(const CronExpression& cron,
                                                              std::chrono::system_clock::time_point after) {
  using std::chrono::days;
  using std::chrono::minutes;
  constexpr days kHorizon{40 * 366};

  const std::chrono::sys_time<minutes> start = std::chrono::floor<minutes>(after) + minutes(1);
  const std::chrono::sys_days first_day = std::chrono::floor<days>(start);
  int minute_of_day = static_cast<int>((start - first_day).count());
  for (std::chrono::sys_days day = first_day; day <= first_day + kHorizon; day += days(1)) {
    const std::chrono::year_month_day date(day);
    const int weekday = static_cast<int>(std::chrono::weekday(day).c_encoding());
    const int day_of_month = static_cast<int>(static_cast<unsigned>(date.day()));
    const int month = static_cast<int>(static_cast<unsigned>(date.month()));
    for (; minute_of_day < 24 * 60; ++minute_of_day) {
      if (!cron.Matches(minute_of_day % 60, minute_of_day / 60, day_of_month, month, weekday)) continue;
      return std::chrono::time_point_cast<std::chrono::system_clock::duration>(day + minutes(minute_of_day));
    }
    minute_of_day = 0;
  }
  return std::nullopt;
}

}  // namespace yardmaster
