// A pool of threads that share a loop. It has no threads before the first loop that is worth it.
#ifndef KERNELS_CPU_PARALLEL_H_
#define KERNELS_CPU_PARALLEL_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace kernels {

class Pool {
 public:
  explicit Pool(int threads) : threads_(threads) {}
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Ends the threads there are; the next loop starts as many as are wanted now.
  void SetThreads(int threads);
  int threads() const { return threads_; }

  // Calls body(begin, end) for pieces of [0, count), each at least `grain` long, on all threads and the caller's.
  // Returns when all are done. One loop at a time.
  void For(int64_t count, int64_t grain, const std::function<void(int64_t begin, int64_t end)>& body);

 private:
  void Start();
  void Stop();
  void Work();
  void Share();

  int threads_;
  std::vector<std::thread> workers_;
  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  uint64_t round_ = 0;
  size_t busy_ = 0;
  bool stopping_ = false;
  // Of the loop that runs.
  const std::function<void(int64_t, int64_t)>* body_ = nullptr;
  int64_t count_ = 0;
  int64_t piece_ = 0;
  std::atomic<int64_t> next_{0};
};

}  // namespace kernels

#endif  // KERNELS_CPU_PARALLEL_H_
