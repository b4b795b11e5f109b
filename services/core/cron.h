// Cron expressions: five fields, as in crontab(5).
#ifndef YARDMASTER_SERVICES_CORE_CRON_H_
#define YARDMASTER_SERVICES_CORE_CRON_H_

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster {

// "minute hour day-of-month month day-of-week". Each field is "*", a number, a range "a-b", either with a step "/n", or
// a list of these. Months and days have English names of three letters; Sunday is 0 or 7.
class CronExpression {
 public:
  // On failure returns nullopt and, in `error`, the field and what was expected. An expression that never comes true
  // (30 February) is an error too.
  static std::optional<CronExpression> Parse(std::string_view text, std::string& error);

  // minute 0-59, hour 0-23, day 1-31, month 1-12, weekday 0-6 with 0 = Sunday. As in cron, when both day fields are
  // restricted one of them is enough.
  bool Matches(int minute, int hour, int day, int month, int weekday) const;
  // It holds in every hour of its days: it is meant as "so often", and not as "at that time of the day".
  bool every_hour() const { return hours_ == (uint64_t{1} << 24) - 1; }

 private:
  uint64_t minutes_ = 0;
  uint64_t hours_ = 0;
  uint64_t days_ = 0;
  uint64_t months_ = 0;
  uint64_t weekdays_ = 0;
  bool any_day_ = false;  // the field begins with "*"
  bool any_weekday_ = false;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CRON_H_
