// Runs of schedules: which times were served, who works on one now, and how each went. What makes a due time run once,
// with several replicas on one database too, is here and in no process.
#ifndef YARDMASTER_SERVICES_CORE_STORE_SCHEDULE_RUNS_H_
#define YARDMASTER_SERVICES_CORE_STORE_SCHEDULE_RUNS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/store/page.h"

namespace yardmaster::store {

using TimePoint = std::chrono::system_clock::time_point;

// Runs that are begun so often and never end are given up: something in them ends the daemon.
inline constexpr int64_t kMaxScheduleAttempts = 3;
// Runs of one schedule that are kept of those that went well, and as many of those that failed; older ones go.
inline constexpr int64_t kKeptScheduleRuns = 500;

enum class ScheduleRunState : uint8_t { kRunning, kDone, kFailed, kTimedOut };
std::string_view ScheduleRunStateName(ScheduleRunState state);  // "running", "done", "failed", "timed_out"

struct ScheduleRun {
  int64_t id = 0;
  std::string schedule;
  TimePoint due_at{};
  std::optional<TimePoint> started_at;
  std::optional<TimePoint> finished_at;
  ScheduleRunState state = ScheduleRunState::kRunning;
  std::string outcome;
  int64_t attempts = 0;
  std::string asked_by;     // empty: the clock
  TimePoint lease_until{};  // kRunning: whoever works on it has it until then
};

// How a schedule stands.
struct ScheduleMark {
  TimePoint covered{};                 // no time up to this one is due any more
  std::optional<ScheduleRun> unended;  // the oldest run that has not ended
};

// Filter of runs: fields that are set must all hold.
struct ScheduleRunFilter {
  std::string schedule;
  bool failed = false;  // those that failed or ran out of time
};

// Thread-safe. Functions that write return after the commit and wait for it; they must not be called from a callback of
// the store. `owner` names a process.
class ScheduleRuns {
 public:
  virtual ~ScheduleRuns() = default;

  // How it stands. A schedule that was never seen begins now: nothing before is due.
  virtual absl::StatusOr<ScheduleMark> Look(std::string_view schedule) = 0;

  // Begins the run for a time, if no other one of the schedule runs and the time is due still; all times before it
  // count as served. Or takes over a run for that time whose owner's lease ended. nullopt: somebody else did either;
  // or, where it was begun kMaxScheduleAttempts times, it failed by this call.
  virtual absl::StatusOr<std::optional<ScheduleRun>> Begin(std::string_view schedule, TimePoint due,
                                                           std::string_view owner, std::chrono::seconds lease) = 0;
  // The owner goes on. False: the run is somebody else's by now, or over.
  virtual absl::StatusOr<bool> Renew(int64_t id, std::string_view owner, std::chrono::seconds lease) = 0;
  // It is over. False as above: nothing was noted.
  virtual absl::StatusOr<bool> End(int64_t id, std::string_view owner, ScheduleRunState state,
                                   std::string_view outcome) = 0;
  // The owner stops in the middle, on purpose: whoever comes next goes on, and no attempt is counted.
  virtual absl::Status GiveBack(int64_t id, std::string_view owner) = 0;

  // Somebody wants a run now; whoever works on the schedule begins it. FAILED_PRECONDITION if one has not ended.
  virtual absl::StatusOr<ScheduleRun> Ask(std::string_view schedule, std::string_view by) = 0;
  // The same for a run that failed. NOT_FOUND if there is none, FAILED_PRECONDITION if it did not fail.
  virtual absl::StatusOr<ScheduleRun> AskAgain(int64_t id, std::string_view by) = 0;

  // Newest first, by row.
  virtual absl::StatusOr<Page<ScheduleRun>> List(const ScheduleRunFilter& filter, const PageRequest& page) = 0;
  virtual absl::StatusOr<int64_t> CountFailed(std::string_view schedule) = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_SCHEDULE_RUNS_H_
