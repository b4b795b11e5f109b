// Runs jobs when they are due, each on a thread of its own: one that takes hours does not hold up others. Which times
// were served stands in the store, so that a due time runs once, whatever is started again and however many replicas
// look at the clock.
#ifndef YARDMASTER_SERVICES_SCHEDULE_SCHEDULER_H_
#define YARDMASTER_SERVICES_SCHEDULE_SCHEDULER_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/core/logging.h"
#include "services/core/metrics.h"
#include "services/core/store/schedule_runs.h"
#include "services/schedule/due_time.h"

namespace yardmaster {

struct ScheduledJob {
  ScheduleConfig config;
  ScheduleTimes times;
  // Does the work for a due time and returns a summary of one line. `stopping` turns true when it should end soon: the
  // daemon ends, its time is over, or somebody else has the run.
  std::function<absl::StatusOr<std::string>(std::chrono::system_clock::time_point due,
                                            const std::function<bool()>& stopping)>
      run;
  // True: once at the start, too.
  bool at_start = false;
  bool built_in = false;
};

// Of `config`, which was checked. nullopt if it can't be read all the same.
std::optional<ScheduleTimes> TimesOf(const ScheduleConfig& config);

struct SchedulerEnvironment {
  store::ScheduleRuns& runs;
  const Clock& clock;
  Logger& logger;
  Metrics* metrics = nullptr;  // may be null
  std::string owner;           // names this process
};

// A run that was missed, because no daemon was there or the one before still ran, is made up for once. One that was cut
// short is begun again, by this daemon or another one, when its lease is over.
class Scheduler {
 public:
  // How long a run belongs to its process without a sign of life.
  static constexpr std::chrono::seconds kLease{60};

  // References outlive the scheduler.
  Scheduler(std::vector<ScheduledJob> jobs, SchedulerEnvironment environment);
  // Stops.
  ~Scheduler();

  // Begins; once.
  void Start();
  // Waits for the jobs in progress, whose runs are given back. Idempotent.
  void Stop();

  const std::vector<ScheduledJob>& jobs() const { return jobs_; }
  // Somebody has asked for a run: looks at once.
  void Wake();

  // Looks at one schedule in the calling thread and does what is due. How long nothing will be due, at most. Start's
  // threads do nothing else; a test that moves its own clock calls it instead.
  std::chrono::nanoseconds Step(const ScheduledJob& job);

 private:
  // A run in progress, for the thread that keeps leases.
  struct Held {
    std::shared_ptr<std::atomic<bool>> lost;
  };
  void Work(const ScheduledJob& job);
  void KeepLeases();
  void RunJob(const ScheduledJob& job, const store::ScheduleRun& run);
  void Note(const ScheduledJob& job, const store::ScheduleRun& run, store::ScheduleRunState state,
            const std::string& outcome, int64_t millis);
  bool stopping() const;

  const std::vector<ScheduledJob> jobs_;
  const SchedulerEnvironment env_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool stopping_ = false;
  uint64_t wakes_ = 0;
  std::map<int64_t, Held> held_;  // by run
  std::vector<std::thread> threads_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_SCHEDULE_SCHEDULER_H_
