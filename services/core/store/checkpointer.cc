#include "services/core/store/checkpointer.h"

#include <exception>

#include "services/core/errors.h"
#include "services/core/store/dialect.h"
#include "services/core/store/failure.h"

namespace yardmaster::store {
namespace {

// Pages of 4 KiB.
constexpr int64_t kWorthCopying = 1'000;
// From here on the writer begins the log anew, if no more than a tail is left to copy: 49 MB, so that what comes in
// meanwhile still fits into what is kept of the file (kKeptLogBytes). Cutting and growing it costs the disk more.
constexpr int64_t kLongLog = 12'000;
constexpr int64_t kTail = 500;
// Here it copies whatever is left: the thread does not keep up.
constexpr int64_t kTooLongLog = 64'000;

}  // namespace

Checkpointer::Checkpointer(const std::filesystem::path& file, soci::session& writer, bool threaded)
    : writer_(writer), threaded_(threaded) {
  connection_ = Connect(file, {ConnectionRole::kCheckpoint});
  if (!threaded) return;
  watch_.committing = [this] { ++begun_; };
  watch_.committed = [this](int64_t pages) {
    pages_ = pages;
    done_ = begun_.load();
  };
  WatchLog(writer_, &watch_);
  thread_ = std::thread([this] { Loop(); });
}

Checkpointer::~Checkpointer() { Stop(); }

LogState Checkpointer::Copy(soci::session& connection) {
  const LogState log = Checkpoint(connection, false);
  copied_ = log.copied;
  if (log.complete) begun_when_copied_ = begun_;
  return log;
}

void Checkpointer::BetweenGroups() {
  const int64_t pages = pages_;
  const int64_t copied = copied_;
  if (pages >= kTooLongLog || (pages >= kLongLog && copied >= pages - kTail)) {
    // Else the thread is at it: next time.
    const std::unique_lock<std::mutex> lock(checkpoint_mutex_, std::try_to_lock);
    // All copied: the next commit begins the log anew, and its hook says so.
    if (lock.owns_lock() && Copy(writer_).complete) pages_ = 0, copied_ = 0;
    return;
  }
  if (pages - copied < kWorthCopying) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    wanted_ = true;
  }
  changed_.notify_one();
}

absl::Status Checkpointer::RunNow() {
  std::lock_guard<std::mutex> lock(checkpoint_mutex_);
  if (connection_ == nullptr) return errors::StoreClosed();
  // Without a thread nobody commits meanwhile.
  if (threaded_ && done_ <= begun_when_copied_) return absl::OkStatus();
  try {
    Copy(*connection_);
    return absl::OkStatus();
  } catch (const std::exception& error) {
    return FailureOf(error).status;
  }
}

void Checkpointer::Loop() {
  while (true) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      changed_.wait(lock, [this] { return wanted_ || stopping_; });
      if (stopping_) return;
      wanted_ = false;
    }
    // A disk that fails here fails the writer's next checkpoint as well, which reports it.
    RunNow().IgnoreError();
  }
}

void Checkpointer::Stop() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (stopping_) return;
    stopping_ = true;
  }
  changed_.notify_one();
  if (thread_.joinable()) {
    WatchLog(writer_, nullptr);
    thread_.join();
  }
  std::lock_guard<std::mutex> lock(checkpoint_mutex_);
  connection_.reset();
}

}  // namespace yardmaster::store
