#include "services/schedule/scheduler.h"

#include <prometheus/counter.h>
#include <prometheus/gauge.h>

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"

namespace yardmaster {
namespace {

using std::chrono::nanoseconds;

// The longest sleep without a look at the clock, which may be set meanwhile.
constexpr std::chrono::seconds kLongestSleep{30};
// After trouble with the store, and where somebody else was faster.
constexpr std::chrono::seconds kLookAgain{1};
constexpr std::chrono::seconds kLeaseTick{10};
// A clock that is so far behind what was served is worth a word.
constexpr std::chrono::hours kClockSetBack{36};

}  // namespace

std::optional<ScheduleTimes> TimesOf(const ScheduleConfig& config) {
  std::string error;
  std::optional<CronExpression> cron = CronExpression::Parse(config.cron, error);
  absl::TimeZone zone = absl::UTCTimeZone();
  if (!cron.has_value() || !absl::LoadTimeZone(config.time_zone, &zone)) return std::nullopt;
  return ScheduleTimes{config.name, *std::move(cron), zone, config.jitter};
}

Scheduler::Scheduler(std::vector<ScheduledJob> jobs, SchedulerEnvironment environment)
    : jobs_(std::move(jobs)), env_(std::move(environment)) {}

Scheduler::~Scheduler() { Stop(); }

void Scheduler::Start() {
  threads_.reserve(jobs_.size() + 1);
  for (const ScheduledJob& job : jobs_) threads_.emplace_back([this, &job] { Work(job); });
  if (!jobs_.empty()) threads_.emplace_back([this] { KeepLeases(); });
}

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

void Scheduler::Wake() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++wakes_;
  }
  changed_.notify_all();
}

void Scheduler::KeepLeases() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stopping_) {
    changed_.wait_for(lock, kLeaseTick, [&] { return stopping_; });
    const std::map<int64_t, Held> held = held_;
    lock.unlock();
    for (const auto& [id, one] : held) {
      const absl::StatusOr<bool> ours = env_.runs.Renew(id, env_.owner, kLease);
      if (ours.ok() && !*ours) *one.lost = true;
    }
    lock.lock();
  }
}

void Scheduler::Note(const ScheduledJob& job, const store::ScheduleRun& run, store::ScheduleRunState state,
                     const std::string& outcome, int64_t millis) {
  const absl::StatusOr<bool> noted = env_.runs.End(run.id, env_.owner, state, outcome);
  if (!noted.ok() || !*noted) {
    env_.logger.Warning("the end of a schedule's run can't be noted",
                        {{"schedule", job.config.name},
                         {"run", run.id},
                         {"why", noted.ok() ? "somebody else has it" : std::string(noted.status().message())}});
  }
  const std::string word(store::ScheduleRunStateName(state));
  if (state == store::ScheduleRunState::kDone) {
    env_.logger.Info("schedule ended", {{"schedule", job.config.name}, {"outcome", outcome}, {"millis", millis}});
  } else {
    env_.logger.Warning("schedule failed",
                        {{"schedule", job.config.name}, {"state", word}, {"why", outcome}, {"millis", millis}});
  }
  if (env_.metrics == nullptr) return;
  env_.metrics
      ->Counter("yardmaster_schedule_runs_total", "Runs of schedules that ended.",
                {{"schedule", job.config.name}, {"state", word}})
      ->Increment();
  if (const absl::StatusOr<int64_t> failed = env_.runs.CountFailed(job.config.name); failed.ok()) {
    env_.metrics
        ->Gauge("yardmaster_schedule_failed", "Runs of schedules that failed and wait for a person.",
                {{"schedule", job.config.name}})
        ->Set(static_cast<double>(*failed));
  }
  if (state != store::ScheduleRunState::kDone) return;
  const auto now = std::chrono::duration_cast<std::chrono::seconds>(env_.clock.Now().time_since_epoch());
  env_.metrics
      ->Gauge("yardmaster_schedule_last_success_timestamp_seconds", "When a schedule's last good run ended.",
              {{"schedule", job.config.name}})
      ->Set(static_cast<double>(now.count()));
}

void Scheduler::RunJob(const ScheduledJob& job, const store::ScheduleRun& run) {
  const auto started = env_.clock.Monotonic();
  const auto lost = std::make_shared<std::atomic<bool>>(false);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_[run.id] = {lost};
  }
  std::atomic<bool> late{false};
  const auto ends = [&] {
    if (env_.clock.Monotonic() - started > job.config.limit) late = true;
    return late || *lost || stopping();
  };
  env_.logger.Info("schedule begins", {{"schedule", job.config.name}, {"run", run.id}, {"attempt", run.attempts}});
  const absl::StatusOr<std::string> outcome = job.run(run.due_at, ends);
  const auto millis = std::chrono::duration_cast<std::chrono::milliseconds>(env_.clock.Monotonic() - started).count();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    held_.erase(run.id);
  }
  const std::string words = outcome.ok() ? *outcome : std::string(outcome.status().message());
  if (!outcome.ok() && !late && stopping()) {
    // It goes on after the next start.
    const absl::Status given = env_.runs.GiveBack(run.id, env_.owner);
    env_.logger.Info("schedule cut short",
                     {{"schedule", job.config.name}, {"why", given.ok() ? words : std::string(given.message())}});
    return;
  }
  if (late) {
    Note(job, run, store::ScheduleRunState::kTimedOut,
         absl::StrCat("not done within ", job.config.limit.count(), " minutes: ", words), millis);
    return;
  }
  Note(job, run, outcome.ok() ? store::ScheduleRunState::kDone : store::ScheduleRunState::kFailed, words, millis);
}

nanoseconds Scheduler::Step(const ScheduledJob& job) {
  const absl::StatusOr<store::ScheduleMark> mark = env_.runs.Look(job.config.name);
  if (!mark.ok()) {
    env_.logger.Error("a schedule can't be read",
                      {{"schedule", job.config.name}, {"error", std::string(mark.status().message())}});
    return kLongestSleep;
  }
  const std::chrono::system_clock::time_point now = env_.clock.Now();
  std::chrono::system_clock::time_point due;
  if (mark->unended.has_value()) {
    if (mark->unended->lease_until > now) {
      return std::min<nanoseconds>(kLongestSleep, mark->unended->lease_until - now);
    }
    due = mark->unended->due_at;
  } else {
    const DueTime found = FindDue(job.times, mark->covered, now);
    if (!found.due.has_value()) {
      if (mark->covered > now + kClockSetBack) {
        env_.logger.Warning("the clock was set back: nothing is due until it is there again; yard schedule run helps",
                            {{"schedule", job.config.name}});
      }
      return found.next.has_value() ? std::min<nanoseconds>(kLongestSleep, *found.next - now) : kLongestSleep;
    }
    due = *found.due;
  }
  const absl::StatusOr<std::optional<store::ScheduleRun>> begun =
      env_.runs.Begin(job.config.name, due, env_.owner, kLease);
  if (!begun.ok() || !begun->has_value()) return kLookAgain;
  RunJob(job, **begun);
  return nanoseconds(0);
}

void Scheduler::Work(const ScheduledJob& job) {
  // Where a run has not ended, that one goes on.
  if (job.at_start && !stopping()) (void)env_.runs.Ask(job.config.name, "start");
  uint64_t wakes = 0;
  while (!stopping()) {
    const nanoseconds sleep = Step(job);
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, std::max<nanoseconds>(sleep, std::chrono::milliseconds(1)),
                      [&] { return stopping_ || wakes_ != wakes; });
    wakes = wakes_;
  }
}

}  // namespace yardmaster
