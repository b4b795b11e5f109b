#include "services/schedule/scheduler.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "services/schedule/next_time.h"

namespace yardmaster {
namespace {

// The longest sleep without a look at the clock, which may be set meanwhile.
constexpr std::chrono::seconds kLongestSleep{30};

}  // namespace

Scheduler::Scheduler(std::vector<ScheduledJob> jobs, const Clock& clock, Logger& logger)
    : jobs_(std::move(jobs)), clock_(clock), logger_(logger) {
  for (const ScheduledJob& job : jobs_) threads_.emplace_back([this, &job] { Work(job); });
}

Scheduler::~Scheduler() { Stop(); }

bool Scheduler::stopping() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return stopping_;
}

void Scheduler::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  for (std::thread& thread : threads_) {
    if (thread.joinable()) thread.join();
  }
}

void Scheduler::RunJob(const ScheduledJob& job) {
  const auto started = clock_.Monotonic();
  logger_.Info("schedule begins", {{"schedule", job.name}});
  const absl::StatusOr<std::string> outcome = job.run([this] { return stopping(); });
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(clock_.Monotonic() - started).count();
  if (outcome.ok()) {
    logger_.Info("schedule ended", {{"schedule", job.name}, {"outcome", *outcome}, {"millis", millis}});
  } else {
    logger_.Warning("schedule failed",
                    {{"schedule", job.name}, {"why", std::string(outcome.status().message())}, {"millis", millis}});
  }
}

void Scheduler::Work(const ScheduledJob& job) {
  if (job.at_start && !stopping()) RunJob(job);
  std::optional<std::chrono::system_clock::time_point> next = NextTime(job.cron, clock_.Now());
  while (!stopping()) {
    if (next.has_value() && *next <= clock_.Now()) {
      RunJob(job);
      next = NextTime(job.cron, clock_.Now());
      continue;
    }
    std::chrono::nanoseconds sleep = kLongestSleep;
    if (next.has_value()) sleep = std::min<std::chrono::nanoseconds>(sleep, *next - clock_.Now());
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::max<std::chrono::nanoseconds>(sleep, std::chrono::milliseconds(1)),
                      [&] { return stopping_; });
  }
}

}  // namespace yardmaster
