#include "services/core/store/reader_pool.h"

#include "services/core/store/dialect.h"

namespace yardmaster::store {

ReaderPool::ReaderPool(const std::filesystem::path& file, size_t count) : count_(count == 0 ? 1 : count) {
  for (size_t i = 0; i < count_; ++i) free_.push_back(Connect(file, {ConnectionRole::kReader}));
}

ReaderPool::~ReaderPool() { Close(); }

std::unique_ptr<soci::session> ReaderPool::Take() {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [this] { return closed_ || !free_.empty(); });
  if (closed_) return nullptr;
  std::unique_ptr<soci::session> session = std::move(free_.back());
  free_.pop_back();
  return session;
}

void ReaderPool::Return(std::unique_ptr<soci::session> session) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    free_.push_back(std::move(session));
  }
  // All: Close may wait as well.
  changed_.notify_all();
}

void ReaderPool::Close() {
  std::unique_lock<std::mutex> lock(mutex_);
  if (closed_) return;
  closed_ = true;
  changed_.notify_all();
  changed_.wait(lock, [this] { return free_.size() == count_; });
  free_.clear();
}

}  // namespace yardmaster::store
