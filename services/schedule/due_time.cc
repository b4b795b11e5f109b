#include "services/schedule/due_time.h"

#include <algorithm>
#include <cstdint>

#include "services/schedule/next_time.h"

namespace yardmaster {
namespace {

using TimePoint = std::chrono::system_clock::time_point;

// Where the latest missed time is looked for: so far back, the nearest first.
constexpr std::chrono::hours kLookBack[] = {std::chrono::hours(1), std::chrono::hours(24), std::chrono::hours(32 * 24),
                                            std::chrono::hours(366 * 24), std::chrono::hours(5 * 366 * 24)};

}  // namespace

std::chrono::seconds JitterOf(const ScheduleTimes& times, TimePoint due) {
  if (times.jitter.count() <= 0) return std::chrono::seconds(0);
  // FNV-1a: no secret, only spread.
  uint64_t hash = 14'695'981'039'346'656'037U;
  const auto add = [&hash](uint64_t byte) { hash = (hash ^ (byte & 0xff)) * 1'099'511'628'211U; };
  for (const char c : times.name) add(static_cast<unsigned char>(c));
  const auto seconds = static_cast<uint64_t>(std::chrono::floor<std::chrono::seconds>(due).time_since_epoch().count());
  for (int shift = 0; shift < 64; shift += 8) add(seconds >> shift);
  return std::chrono::seconds(static_cast<int64_t>(hash % static_cast<uint64_t>(times.jitter.count() + 1)));
}

DueTime FindDue(const ScheduleTimes& times, TimePoint covered, TimePoint now) {
  DueTime found;
  const auto next = [&](TimePoint after) { return NextTime(times.cron, times.zone, after); };
  const auto begins = [&](TimePoint due) { return due + JitterOf(times, due); };
  const std::optional<TimePoint> first = next(covered);
  if (!first.has_value()) return found;
  if (begins(*first) > now) {
    found.next = begins(*first);
    return found;
  }
  TimePoint due = *first;
  for (const std::chrono::hours back : kLookBack) {
    const std::optional<TimePoint> late = next(std::max(*first, now - back));
    if (!late.has_value() || begins(*late) > now) continue;
    due = *late;
    break;
  }
  for (std::optional<TimePoint> later = next(due); later.has_value(); later = next(due)) {
    if (begins(*later) > now) {
      found.next = begins(*later);
      break;
    }
    due = *later;
  }
  found.due = due;
  return found;
}

}  // namespace yardmaster
