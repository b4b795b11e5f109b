// What is due of a schedule now. Pure.
#ifndef YARDMASTER_SERVICES_SCHEDULE_DUE_TIME_H_
#define YARDMASTER_SERVICES_SCHEDULE_DUE_TIME_H_

#include <chrono>
#include <optional>
#include <string>

#include "absl/time/time.h"
#include "services/core/cron.h"

namespace yardmaster {

// When a schedule runs.
struct ScheduleTimes {
  std::string name;
  CronExpression cron;
  absl::TimeZone zone = absl::UTCTimeZone();
  std::chrono::seconds jitter{0};
};

// How much later the run for a time begins: from 0 to `times.jitter`, the same in every process.
std::chrono::seconds JitterOf(const ScheduleTimes& times, std::chrono::system_clock::time_point due);

struct DueTime {
  // The latest time that is due now and was not served. Those before it were missed, and are made up for by the one
  // run.
  std::optional<std::chrono::system_clock::time_point> due;
  // When the next run begins, jitter included; unset: never.
  std::optional<std::chrono::system_clock::time_point> next;
};

// `covered`: no time up to it is due any more. A clock that was set back makes nothing due again.
DueTime FindDue(const ScheduleTimes& times, std::chrono::system_clock::time_point covered,
                std::chrono::system_clock::time_point now);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_SCHEDULE_DUE_TIME_H_
