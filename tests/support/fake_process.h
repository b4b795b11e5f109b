// A ProcessStarter whose processes are told what to do: nothing is started.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKE_PROCESS_H_
#define YARDMASTER_TESTS_SUPPORT_FAKE_PROCESS_H_

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "services/worker/process/process.h"

namespace yardmaster::testing {

// What one process does. Its output comes from a thread of its own, then it ends.
struct FakeRun {
  absl::Status refused;  // if not OK, Start fails with it
  std::vector<std::pair<worker::Stream, std::string>> output;
  // Called in its thread after the output: writes reports, say.
  std::function<void(const worker::ProcessSpec&)> effect;
  int code = 0;
  int signal = 0;      // it ends by this signal; `code` is then 128 + signal
  bool hangs = false;  // after that it goes on until it is stopped
  // It also ignores SIGTERM, so that it ends by SIGKILL.
  bool ignores_term = false;
  int strays = 0;
  int64_t oom_kills = 0;  // that its memory group counts once it has ended
  uint64_t peak_rss_kb = 1024;
  double cpu_seconds = 0.01;
};

class FakeMemoryGroup : public worker::MemoryGroup {
 public:
  int64_t oom_kills() const override { return oom_kills_; }
  uint64_t peak_bytes() const override { return peak_bytes_; }
  void Count(int64_t kills, uint64_t bytes) {
    oom_kills_ += kills;
    peak_bytes_ = std::max(peak_bytes_.load(), bytes);
  }

 private:
  std::atomic<int64_t> oom_kills_{0};
  std::atomic<uint64_t> peak_bytes_{0};
};

class FakeProcess : public worker::Process {
 public:
  FakeProcess(int pid, FakeRun run, worker::ProcessSpec spec, worker::MemoryGroup* memory)
      : pid_(pid), run_(std::move(run)), spec_(std::move(spec)), memory_(memory), thread_([this] { Act(); }) {}
  ~FakeProcess() override {
    Stop(std::chrono::milliseconds(0));
    thread_.join();
  }

  int pid() const override { return pid_; }
  std::optional<worker::ProcessExit> WaitUntil(std::chrono::steady_clock::time_point deadline) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!changed_.wait_until(lock, deadline, [&] { return done_; })) return std::nullopt;
    return exit_;
  }
  // Takes no time, whatever the grace.
  void Stop(std::chrono::milliseconds grace) override {
    std::unique_lock<std::mutex> lock(mutex_);
    if (!stop_signal_.has_value()) stop_signal_ = grace.count() > 0 && !run_.ignores_term ? 15 : 9;
    changed_.notify_all();
    changed_.wait(lock, [&] { return done_; });
  }
  int strays() const override { return run_.strays; }

 private:
  void Act() {
    for (const auto& [stream, text] : run_.output) {
      if (spec_.output) spec_.output(stream, text);
    }
    if (run_.effect) run_.effect(spec_);
    std::unique_lock<std::mutex> lock(mutex_);
    if (run_.hangs) changed_.wait(lock, [&] { return stop_signal_.has_value(); });
    exit_.signal = run_.hangs ? *stop_signal_ : run_.signal;
    exit_.code = exit_.signal != 0 ? 128 + exit_.signal : run_.code;
    exit_.ended = std::chrono::steady_clock::now();
    exit_.peak_rss_kb = run_.peak_rss_kb;
    exit_.cpu_seconds = run_.cpu_seconds;
    if (auto* group = dynamic_cast<FakeMemoryGroup*>(memory_); group != nullptr) {
      group->Count(run_.oom_kills, run_.peak_rss_kb * 1024);
    }
    done_ = true;
    changed_.notify_all();
  }

  const int pid_ = 0;
  const FakeRun run_;
  const worker::ProcessSpec spec_;
  worker::MemoryGroup* const memory_ = nullptr;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::optional<int> stop_signal_;
  bool done_ = false;
  worker::ProcessExit exit_;
  std::thread thread_;
};

class FakeProcessStarter : public worker::ProcessStarter {
 public:
  using Script = std::function<FakeRun(const worker::ProcessSpec&)>;
  // `script` says what each process does, asked in the thread that starts it.
  explicit FakeProcessStarter(Script script) : script_(std::move(script)) {}
  // Every process does the same.
  explicit FakeProcessStarter(FakeRun run)
      : script_([run = std::move(run)](const worker::ProcessSpec&) { return run; }) {}

  absl::StatusOr<std::unique_ptr<worker::Process>> Start(const worker::ProcessSpec& spec,
                                                         worker::MemoryGroup* memory) override {
    int pid = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      started_.push_back(spec);
      pid = kFirstPid + static_cast<int>(started_.size());
    }
    FakeRun run = script_(spec);
    if (!run.refused.ok()) return run.refused;
    return std::unique_ptr<worker::Process>(std::make_unique<FakeProcess>(pid, std::move(run), spec, memory));
  }
  std::unique_ptr<worker::MemoryGroup> MakeMemoryGroup(std::string_view name, uint64_t limit_bytes,
                                                       std::string& reason) override {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!no_memory_reason_.empty()) {
      reason = no_memory_reason_;
      return nullptr;
    }
    groups_.emplace_back(name, limit_bytes);
    return std::make_unique<FakeMemoryGroup>();
  }
  std::unique_ptr<worker::SharedMemory> MakeSharedMemory(std::string& reason) override {
    reason = "fake processes share nothing";
    return nullptr;
  }
  // From now on there are no memory groups.
  void RefuseMemoryGroups(std::string reason) {
    std::lock_guard<std::mutex> lock(mutex_);
    no_memory_reason_ = std::move(reason);
  }

  // What was asked for, in order, refused starts included.
  std::vector<worker::ProcessSpec> started() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return started_;
  }
  // Names and limits of memory groups.
  std::vector<std::pair<std::string, uint64_t>> groups() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return groups_;
  }

 private:
  static constexpr int kFirstPid = 900'000;
  Script script_;
  mutable std::mutex mutex_;
  std::vector<worker::ProcessSpec> started_;
  std::vector<std::pair<std::string, uint64_t>> groups_;
  std::string no_memory_reason_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_FAKE_PROCESS_H_
