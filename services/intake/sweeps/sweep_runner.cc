#include "services/intake/sweeps/sweep_runner.h"

#include <utility>

namespace yardmaster {

SweepRunner::Run::State SweepRunner::Run::Now() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return state_;
}

SweepRunner::Run::State SweepRunner::Run::WaitForChange(uint64_t version, std::chrono::milliseconds timeout) const {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, timeout, [&] { return state_.version != version; });
  return state_;
}

void SweepRunner::Run::Update(const SweepProgress& progress) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    state_.progress = progress;
    ++state_.version;
  }
  changed_.notify_all();
}

void SweepRunner::Run::Finish(absl::Status status) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    state_.finished = true;
    state_.status = std::move(status);
    state_.progress.subject.Clear();
    ++state_.version;
  }
  changed_.notify_all();
}

SweepRunner::SweepRunner(const SweepEnvironment& environment) : env_(environment), thread_([this] { Work(); }) {}

SweepRunner::~SweepRunner() { Stop(); }

std::shared_ptr<SweepRunner::Run> SweepRunner::Request(const SweepTarget& target, int64_t limit) {
  std::shared_ptr<Run> run;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) return nullptr;
    for (const auto& waiting : queue_) {
      if (SweepName(waiting->target_) == SweepName(target)) return waiting;
    }
    run = std::make_shared<Run>(target, limit);
    queue_.push_back(run);
  }
  changed_.notify_all();
  return run;
}

void SweepRunner::Stop() {
  std::deque<std::shared_ptr<Run>> waiting;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    waiting.swap(queue_);
  }
  for (const auto& run : waiting) run->Finish(absl::CancelledError("the daemon is shutting down"));
}

bool SweepRunner::Pause(std::chrono::milliseconds time) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, time, [&] { return stopping_; });
  return !stopping_;
}

void SweepRunner::Work() {
  while (true) {
    std::shared_ptr<Run> run;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (stopping_) return;
      run = queue_.front();
    }
    absl::Status status = RunSweep(
        env_, run->target_, run->limit_, [this](std::chrono::milliseconds time) { return Pause(time); },
        [&](const SweepProgress& progress) { run->Update(progress); });
    if (!status.ok()) {
      env_.intake.logger.Warning("sweep ended early",
                                 {{"sweep", SweepName(run->target_)}, {"why", std::string(status.message())}});
    }
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!queue_.empty()) queue_.pop_front();
    }
    run->Finish(std::move(status));
  }
}

}  // namespace yardmaster
