// Runs jobs when their cron expressions come true, each on a thread of its own: one that takes hours does not hold up
// others.
#ifndef YARDMASTER_SERVICES_SCHEDULE_SCHEDULER_H_
#define YARDMASTER_SERVICES_SCHEDULE_SCHEDULER_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "services/core/clock.h"
#include "services/core/cron.h"
#include "services/core/logging.h"

namespace yardmaster {

struct ScheduledJob {
  std::string name;
  CronExpression cron;
  // Does the work and returns a summary of one line. `stopping` turns true when it should end soon.
  std::function<absl::StatusOr<std::string>(const std::function<bool()>& stopping)> run;
  // True: once at the start, too (what was cut short goes on).
  bool at_start = false;
};

// A time that was missed, because the daemon was down or the job still ran, is not made up for: the next one comes.
class Scheduler {
 public:
  // Starts. References outlive the scheduler.
  Scheduler(std::vector<ScheduledJob> jobs, const Clock& clock, Logger& logger);
  // Stops.
  ~Scheduler();

  // Waits for the jobs in progress. Idempotent.
  void Stop();

 private:
  void Work(const ScheduledJob& job);
  void RunJob(const ScheduledJob& job);
  bool stopping() const;

  const std::vector<ScheduledJob> jobs_;
  const Clock& clock_;
  Logger& logger_;
  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;  // one for each job
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_SCHEDULE_SCHEDULER_H_
