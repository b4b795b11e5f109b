// When a cron expression comes true next.
#ifndef YARDMASTER_SERVICES_SCHEDULE_NEXT_TIME_H_
#define YARDMASTER_SERVICES_SCHEDULE_NEXT_TIME_H_

#include <chrono>
#include <optional>

#include "absl/time/time.h"
#include "services/core/cron.h"

namespace yardmaster {

// The first time after `after` at which `cron` is due, by the clocks of `zone`. Where these change:
//  * A time of the day that is skipped is due at the change; one that comes twice is due the first time.
//  * An expression of every hour ("*/10 * * * *") goes by the time that really passes: nothing is skipped or made up
//    for, and an hour that comes twice has its times twice.
// nullopt if there is none within the next 40 years (the Gregorian calendar repeats its weekdays every 28, with one
// exception every century).
std::optional<std::chrono::system_clock::time_point> NextTime(const CronExpression& cron, const absl::TimeZone& zone,
                                                              std::chrono::system_clock::time_point after);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_SCHEDULE_NEXT_TIME_H_
