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

SweepRunner::SweepRunner(const SweepEnvironment& environment) : env_(environment) {}

SweepRunner::~SweepRunner() { Stop(); }

std::shared_ptr<SweepRunner::Run> SweepRunner::Request(const SweepTarget& target, int64_t limit) {
  std::shared_ptr<Run> run;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) return nullptr;
    Lane& lane = lanes_[target.forge];
    for (const auto& waiting : lane.queue) {
      if (SweepName(waiting->target_) == SweepName(target) && waiting->limit_ == limit) return waiting;
    }
    run = std::make_shared<Run>(target, limit);
    lane.queue.push_back(run);
    if (!lane.thread.joinable()) lane.thread = std::thread([this, &lane] { Work(lane); });
  }
  changed_.notify_all();
  return run;
}

void SweepRunner::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
  // From here on nobody adds lanes or runs.
  for (auto& [forge, lane] : lanes_) {
    if (lane.thread.joinable()) lane.thread.join();
    for (const auto& run : lane.queue) run->Finish(absl::CancelledError("the daemon is shutting down"));
    lane.queue.clear();
  }
}

bool SweepRunner::Pause(std::chrono::milliseconds time) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait_for(lock, time, [&] { return stopping_; });
  return !stopping_;
}

void SweepRunner::Work(Lane& lane) {
  while (true) {
    std::shared_ptr<Run> run;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [&] { return stopping_ || !lane.queue.empty(); });
      if (stopping_) return;
      run = lane.queue.front();
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
      if (!lane.queue.empty()) lane.queue.pop_front();
    }
    run->Finish(std::move(status));
  }
}

}  // namespace yardmaster
