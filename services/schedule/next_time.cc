#include "services/schedule/next_time.h"

#include <algorithm>

#include "absl/time/civil_time.h"

namespace yardmaster {
namespace {

constexpr int kHorizonDays = 40 * 366;
constexpr int kMinutesOfDay = 24 * 60;

int WeekdayOf(absl::CivilDay day) {
  // absl counts from Monday, cron from Sunday.
  return (static_cast<int>(absl::GetWeekday(day)) + 1) % 7;
}

// The first due time of a day by its clocks that is after `after`; InfiniteFuture: none.
absl::Time FirstOfDay(const CronExpression& cron, const absl::TimeZone& zone, absl::CivilDay day, absl::Time after) {
  const int weekday = WeekdayOf(day);
  absl::Time first = absl::InfiniteFuture();
  const auto offer = [&](absl::Time time) {
    if (time > after && time < first) first = time;
  };
  for (int minute = 0; minute < kMinutesOfDay; ++minute) {
    if (!cron.Matches(minute % 60, minute / 60, day.day(), day.month(), weekday)) continue;
    const absl::TimeZone::TimeInfo info =
        zone.At(absl::CivilMinute(day.year(), day.month(), day.day(), minute / 60, minute % 60));
    switch (info.kind) {
      case absl::TimeZone::TimeInfo::UNIQUE:
        offer(info.pre);
        break;
      case absl::TimeZone::TimeInfo::SKIPPED:
        if (!cron.every_hour()) offer(info.trans);
        break;
      case absl::TimeZone::TimeInfo::REPEATED:
        offer(info.pre);
        if (cron.every_hour()) offer(info.post);
        break;
    }
  }
  return first;
}

}  // namespace

std::optional<std::chrono::system_clock::time_point> NextTime(const CronExpression& cron, const absl::TimeZone& zone,
                                                              std::chrono::system_clock::time_point after) {
  const absl::Time start = absl::FromChrono(after);
  // Clocks that are put back over midnight let a day end after the next has begun.
  absl::CivilDay day = absl::ToCivilDay(start, zone) - 1;
  for (int i = 0; i < kHorizonDays; ++i, ++day) {
    const absl::Time first = FirstOfDay(cron, zone, day, start);
    if (first == absl::InfiniteFuture()) continue;
    return absl::ToChronoTime(std::min(first, FirstOfDay(cron, zone, day + 1, start)));
  }
  return std::nullopt;
}

}  // namespace yardmaster
