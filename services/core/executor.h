// Where long work runs: a fixed number of threads with a bounded queue, so that it neither holds up gRPC's own threads
// nor piles up without limit.
#ifndef YARDMASTER_SERVICES_CORE_EXECUTOR_H_
#define YARDMASTER_SERVICES_CORE_EXECUTOR_H_

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace yardmaster {

class Executor {
 public:
  virtual ~Executor() = default;
  // Queues `task`, or returns false and drops it: too many wait, or Stop was called. A queued task always runs.
  [[nodiscard]] virtual bool Run(std::function<void()> task) = 0;
};

// Thread-safe.
class ThreadPool final : public Executor {
 public:
  // `max_waiting`: tasks that may wait for a thread, those that run not counted.
  ThreadPool(size_t threads, size_t max_waiting);
  // Stops.
  ~ThreadPool() override;

  bool Run(std::function<void()> task) override;

  // Takes no more tasks, runs those that wait, and returns when all are done. Must not be called by a task.
  void Stop();

 private:
  void Work();

  const size_t max_waiting_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  std::deque<std::function<void()>> waiting_;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

// Runs tasks at once, in the caller's thread. For tests.
class InlineExecutor final : public Executor {
 public:
  bool Run(std::function<void()> task) override {
    task();
    return true;
  }
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_EXECUTOR_H_
