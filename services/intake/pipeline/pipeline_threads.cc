#include "services/intake/pipeline/pipeline_threads.h"

#include <algorithm>
#include <chrono>
#include <optional>

namespace yardmaster {
namespace {

// The longest that a thread sleeps without looking: a wall clock that was set back must not put the pipe to sleep.
constexpr std::chrono::milliseconds kLongestSleep{1'000};

}  // namespace

PipelineThreads::PipelineThreads(Pipeline& pipeline, store::Inbox& inbox, const Clock& clock, size_t threads)
    : pipeline_(pipeline), inbox_(inbox), clock_(clock) {
  inbox_.SetListener([this] { Wake(); });
  threads_.reserve(threads);
  for (size_t i = 0; i < threads; ++i) threads_.emplace_back([this] { Work(); });
}

PipelineThreads::~PipelineThreads() { Stop(); }

void PipelineThreads::Wake() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++wakes_;
  }
  changed_.notify_one();
}

void PipelineThreads::BeginStop() {
  inbox_.SetListener(nullptr);
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  changed_.notify_all();
}

bool PipelineThreads::WaitIdle(std::chrono::milliseconds timeout) {
  std::unique_lock<std::mutex> lock(mutex_);
  return idle_.wait_for(lock, timeout, [&] { return working_ == 0; });
}

void PipelineThreads::Stop() {
  BeginStop();
  std::vector<std::thread> threads;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    threads.swap(threads_);
  }
  for (std::thread& thread : threads) thread.join();
}

void PipelineThreads::Work() {
  while (true) {
    uint64_t seen = 0;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (stopping_) return;
      seen = wakes_;
      ++working_;
    }
    const bool worked = pipeline_.RunOne();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (--working_ == 0) idle_.notify_all();
    }
    if (worked) {
      // One finished piece may have made room for others: they look, too.
      changed_.notify_one();
      continue;
    }
    const std::optional<store::TimePoint> due = pipeline_.NextDue();
    std::chrono::milliseconds sleep = kLongestSleep;
    if (due.has_value()) {
      const auto until = std::chrono::ceil<std::chrono::milliseconds>(*due - clock_.Now());
      sleep = std::clamp(until, std::chrono::milliseconds(1), kLongestSleep);
    }
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait_for(lock, sleep, [&] { return stopping_ || wakes_ != seen; });
  }
}

}  // namespace yardmaster
