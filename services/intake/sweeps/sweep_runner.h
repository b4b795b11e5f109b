// Runs the sweeps of schedules and people, one at a time on each forge, so that a slow forge does not hold up others.
#ifndef YARDMASTER_SERVICES_INTAKE_SWEEPS_SWEEP_RUNNER_H_
#define YARDMASTER_SERVICES_INTAKE_SWEEPS_SWEEP_RUNNER_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "services/intake/sweeps/sweep.h"

namespace yardmaster {

// Thread-safe.
class SweepRunner {
 public:
  // A sweep that was asked for: waiting, running or finished. Shared by everybody who asked for the same.
  class Run {
   public:
    Run(SweepTarget target, int64_t limit) : target_(std::move(target)), limit_(limit) {}
    struct State {
      uint64_t version = 0;  // grows with every change
      SweepProgress progress;
      bool finished = false;
      absl::Status status;  // finished only
    };
    State Now() const;
    // Returns when the state's version is not `version`, or after `timeout`.
    State WaitForChange(uint64_t version, std::chrono::milliseconds timeout) const;

   private:
    friend class SweepRunner;
    void Update(const SweepProgress& progress);
    void Finish(absl::Status status);

    const SweepTarget target_;
    const int64_t limit_;
    mutable std::mutex mutex_;  // guards what follows
    mutable std::condition_variable changed_;
    State state_;
  };

  explicit SweepRunner(const SweepEnvironment& environment);
  // Stops.
  ~SweepRunner();

  // Joins a sweep of the same target and limit that waits or runs, else puts a new one at the end of its forge's queue.
  // Null after Stop.
  std::shared_ptr<Run> Request(const SweepTarget& target, int64_t limit);

  // Ends the sweeps in progress with CANCELLED, and those that wait. What was handed to the pipe goes on. Idempotent.
  void Stop();

 private:
  struct Lane {
    std::deque<std::shared_ptr<Run>> queue;  // the first one is in progress
    std::thread thread;
  };

  void Work(Lane& lane);
  // False when stopped.
  bool Pause(std::chrono::milliseconds time);

  const SweepEnvironment env_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::map<std::string, Lane> lanes_;  // by forge
  bool stopping_ = false;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SWEEPS_SWEEP_RUNNER_H_
