#include "services/core/cron.h"

#include <array>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/types/span.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

struct Field {
  const char* name;
  int low;
  int high;
  absl::Span<const absl::string_view> names;  // the first one stands for `low`
};

constexpr absl::string_view kMonthNames[] = {"jan", "feb", "mar", "apr", "may", "jun",
                                             "jul", "aug", "sep", "oct", "nov", "dec"};
constexpr absl::string_view kDayNames[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat"};

std::optional<int> ParseValue(absl::string_view text, const Field& field) {
  int value = 0;
  const bool digits = !text.empty() && text.size() <= 2 && text.find_first_not_of("0123456789") == text.npos;
  if (digits && absl::SimpleAtoi(text, &value)) {
    if (value < field.low || value > field.high) return std::nullopt;
    return value;
  }
  const std::string lower = absl::AsciiStrToLower(text);
  for (size_t i = 0; i < field.names.size(); ++i) {
    if (field.names[i] == lower) return field.low + static_cast<int>(i);
  }
  return std::nullopt;
}

// One element of a list: "*", "a", "a-b", each perhaps with "/n". Returns its bits; 0 if it is wrong.
uint64_t ParseElement(absl::string_view text, const Field& field) {
  int step = 1;
  bool has_step = false;
  const std::vector<absl::string_view> parts = absl::StrSplit(text, '/');
  if (parts.size() > 2) return 0;
  if (parts.size() == 2) {
    has_step = true;
    const bool digits = parts[1].find_first_not_of("0123456789") == absl::string_view::npos;
    if (!digits || !absl::SimpleAtoi(parts[1], &step) || step < 1 || step > field.high) return 0;
  }
  int first = field.low;
  int last = field.high;
  if (parts[0] != "*") {
    const std::vector<absl::string_view> ends = absl::StrSplit(parts[0], '-');
    if (ends.size() > 2) return 0;
    const std::optional<int> begin = ParseValue(ends[0], field);
    if (!begin.has_value()) return 0;
    first = *begin;
    if (ends.size() == 2) {
      const std::optional<int> end = ParseValue(ends[1], field);
      if (!end.has_value() || *end < first) return 0;
      last = *end;
    } else if (!has_step) {
      last = first;
    }
  }
  uint64_t bits = 0;
  for (int value = first; value <= last; value += step) bits |= uint64_t{1} << value;
  return bits;
}

}  // namespace

std::optional<CronExpression> CronExpression::Parse(std::string_view text, std::string& error) {
  static constexpr Field kFields[] = {{"minute", 0, 59, {}},
                                      {"hour", 0, 23, {}},
                                      {"day of month", 1, 31, {}},
                                      {"month", 1, 12, kMonthNames},
                                      {"day of week", 0, 7, kDayNames}};
  const std::vector<absl::string_view> fields = absl::StrSplit(Abs(text), absl::ByAnyChar(" \t"), absl::SkipEmpty());
  if (fields.size() != 5) {
    error =
        absl::StrCat("a cron expression has 5 fields (minute, hour, day of month, month, day of week), this one has ",
                     fields.size());
    return std::nullopt;
  }
  std::array<uint64_t, 5> bits{};
  for (size_t i = 0; i < 5; ++i) {
    for (absl::string_view element : absl::StrSplit(fields[i], ',')) {
      const uint64_t some = ParseElement(element, kFields[i]);
      if (some == 0) {
        error = absl::StrCat("the ", kFields[i].name, " field of a cron expression has \"", element,
                             "\": expected *, a number or a range from ", kFields[i].low, " to ", kFields[i].high,
                             ", perhaps with a step as in */5");
        return std::nullopt;
      }
      bits[i] |= some;
    }
  }
  CronExpression cron;
  cron.minutes_ = bits[0];
  cron.hours_ = bits[1];
  cron.days_ = bits[2];
  cron.months_ = bits[3];
  cron.weekdays_ = (bits[4] | (bits[4] >> 7)) & 0x7f;
  cron.any_day_ = fields[2][0] == '*';
  cron.any_weekday_ = fields[4][0] == '*';

  // With a weekday of its own it comes true some day; without, some month must have one of the days.
  if (cron.any_weekday_) {
    static constexpr int kLongest[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool possible = false;
    for (int month = 1; month <= 12; ++month) {
      const uint64_t exist = (uint64_t{1} << (kLongest[month - 1] + 1)) - 2;
      if ((cron.months_ >> month & 1) != 0 && (cron.days_ & exist) != 0) possible = true;
    }
    if (!possible) {
      error = "this cron expression never comes true: no such day in these months";
      return std::nullopt;
    }
  }
  return cron;
}

bool CronExpression::Matches(int minute, int hour, int day, int month, int weekday) const {
  const auto has = [](uint64_t bits, int value) { return (bits >> value & 1) != 0; };
  if (!has(minutes_, minute) || !has(hours_, hour) || !has(months_, month)) return false;
  const bool day_ok = has(days_, day);
  const bool weekday_ok = has(weekdays_, weekday);
  if (any_day_ || any_weekday_) return day_ok && weekday_ok;
  return day_ok || weekday_ok;
}

}  // namespace yardmaster
