#include "cpu/parallel.h"

#include <algorithm>

namespace kernels {
namespace {

// Pieces for each thread: more than one, so that a thread that was held up leaves its share to others.
constexpr int64_t kPiecesOfThread = 4;

}  // namespace

Pool::~Pool() { Stop(); }

void Pool::SetThreads(int threads) {
  Stop();
  threads_ = std::max(1, threads);
}

void Pool::For(int64_t count, int64_t grain, const std::function<void(int64_t begin, int64_t end)>& body) {
  if (count <= 0) return;
  const int64_t least = std::max<int64_t>(1, grain);
  if (threads_ == 1 || count <= least) {
    body(0, count);
    return;
  }
  if (workers_.empty()) Start();
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    body_ = &body;
    count_ = count;
    piece_ = std::max(least, (count + threads_ * kPiecesOfThread - 1) / (threads_ * kPiecesOfThread));
    next_ = 0;
    busy_ = workers_.size();
    ++round_;
  }
  begin_.notify_all();
  Share();
  std::unique_lock<std::mutex> lock(mutex_);
  end_.wait(lock, [this] { return busy_ == 0; });
}

void Pool::Start() {
  stopping_ = false;
  for (int i = 1; i < threads_; ++i) workers_.emplace_back([this] { Work(); });
}

void Pool::Stop() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stopping_ = true;
  }
  begin_.notify_all();
  for (std::thread& worker : workers_) worker.join();
  workers_.clear();
}

void Pool::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  // Threads are only started where a loop follows: whatever round it has, it is the first for this one.
  uint64_t seen = round_ - (busy_ > 0 ? 1 : 0);
  while (true) {
    begin_.wait(lock, [&] { return stopping_ || round_ != seen; });
    if (stopping_) return;
    seen = round_;
    lock.unlock();
    Share();
    lock.lock();
    if (--busy_ == 0) end_.notify_one();
  }
}

void Pool::Share() {
  while (true) {
    const int64_t begin = next_.fetch_add(piece_);
    if (begin >= count_) return;
    (*body_)(begin, std::min(count_, begin + piece_));
  }
}

}  // namespace kernels
