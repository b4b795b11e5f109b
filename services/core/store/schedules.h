// Schedules: when something that recurs ran last, and how far a long run has come.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SCHEDULES_H_
#define YARDMASTER_SERVICES_CORE_STORE_SCHEDULES_H_

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace yardmaster::store {

using TimePoint = std::chrono::system_clock::time_point;

struct Schedule {
  std::string name;
  std::optional<TimePoint> started_at;   // of the last run
  std::optional<TimePoint> finished_at;  // of the last run; unset while it runs or if it was cut short
  std::string outcome;                   // of the last run that finished; the caller's words
  std::string cursor;                    // where to go on; empty = from the beginning
};

// Thread-safe. Functions that write return after the commit and wait for it; they must not be called from a callback of
// the store. A name is made by its first use; names and cursors are at most kMaxNameBytes and kMaxCursorBytes long.
class Schedules {
 public:
  virtual ~Schedules() = default;

  // A run begins: notes now as its start and clears the end. The cursor stays, so a run that was cut short goes on.
  virtual absl::Status Start(std::string_view name) = 0;
  // How far the run has come.
  virtual absl::Status SetCursor(std::string_view name, std::string_view cursor) = 0;
  // The run is over: notes now as its end and clears the cursor.
  virtual absl::Status Finish(std::string_view name, std::string_view outcome) = 0;

  // nullopt if the name was never used.
  virtual absl::StatusOr<std::optional<Schedule>> Get(std::string_view name) = 0;
  // All, by name.
  virtual absl::StatusOr<std::vector<Schedule>> List() = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SCHEDULES_H_
