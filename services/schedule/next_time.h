// When a cron expression comes true next.
#ifndef YARDMASTER_SERVICES_SCHEDULE_NEXT_TIME_H_
#define YARDMASTER_SERVICES_SCHEDULE_NEXT_TIME_H_

#include <chrono>
#include <optional>

#include "services/core/cron.h"

namespace yardmaster {

// The first full minute after `after` at which `cron` holds, in UTC: a schedule must not run twice or not at all when
// clocks change. nullopt if there is none within the next 40 years (the Gregorian calendar repeats its weekdays every
// 28, with one exception every century).
std::optional<std::chrono::system_clock::time_point> NextTime(const CronExpression& cron,
                                                              std::chrono::system_clock::time_point after);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_SCHEDULE_NEXT_TIME_H_
