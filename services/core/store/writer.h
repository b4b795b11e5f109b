// The one who writes. Everything that changes the database goes through here, in the order of arrival.
#ifndef YARDMASTER_SERVICES_CORE_STORE_WRITER_H_
#define YARDMASTER_SERVICES_CORE_STORE_WRITER_H_

#include <soci/soci.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "services/core/clock.h"
#include "services/core/limits.h"
#include "services/core/logging.h"
#include "services/core/store/totals.h"

namespace yardmaster::store {

// What a write may use. `sql` is inside a transaction.
struct Transaction {
  soci::session& sql;
  int64_t now = 0;  // microseconds
  Changes& changes;
};

// Decides who is turned away when room is short.
enum class WriteKind {
  kDelivery,    // comes from outside: bounded in number and size, refused when the disk is low
  kNew,         // begins something of ours: refused when the disk is low
  kTransition,  // notes what happened to what was begun: always let through
};

// One change, and who waits for it.
class Write {
 public:
  // `awaited`: a thread does nothing until it is committed.
  explicit Write(WriteKind kind, size_t bytes = 0, bool awaited = false)
      : kind_(kind), bytes_(bytes), awaited_(awaited) {}
  virtual ~Write() = default;
  Write(const Write&) = delete;
  Write& operator=(const Write&) = delete;

  // Makes the change. An error must be returned before the first change is made: the others of the group are committed
  // all the same. May be called again after a rollback, so it sets its results anew. May throw, see sql.h.
  virtual absl::Status Apply(Transaction& transaction) = 0;
  // Called exactly once: OK after the commit, else why there is no change. On the writer's thread, or on the caller's
  // if the write was turned away.
  virtual void Done(const absl::Status& status) = 0;

  WriteKind kind() const { return kind_; }
  size_t bytes() const { return bytes_; }
  bool awaited() const { return awaited_; }

 private:
  const WriteKind kind_;
  const size_t bytes_;
  const bool awaited_;
};

struct WriterOptions {
  size_t queue_deliveries = 0;
  size_t queue_bytes = 0;
  uint64_t disk_floor_bytes = 0;
  bool single_threaded = false;
  // After a group with several deliveries the next one begins no sooner than so long after it began. Commits that
  // follow each other at once cost more than they hurry: each of them flushes the disk. A lone delivery never waits,
  // nor does an awaited write.
  std::chrono::milliseconds between_groups_of_many = kStoreBetweenGroups;
  // Free bytes of the disk; nullopt if nobody knows.
  std::function<std::optional<uint64_t>()> free_disk;
  // The last thing in each transaction.
  std::function<void(Transaction&)> before_commit;
  // After each commit, before those who wait are told.
  std::function<void(const Changes&, int64_t writes)> committed;
  // A piece of upkeep to be done now, or null. Asked when nothing waits, and now and then when something does.
  std::function<std::unique_ptr<Write>()> next_slice;
  // Runs on the writer's connection between transactions. May throw.
  std::function<void()> between_groups;
  // After those of a group were told.
  std::function<void()> told;
  Logger* logger = nullptr;
};

// Thread-safe.
class Writer {
 public:
  // `sql` and everything prepared on it belongs to the writer from Start until Stop has returned.
  Writer(soci::session& sql, const Clock& clock, WriterOptions options);
  // Stops.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // Once, before anything is submitted.
  void Start();

  // Takes a write, or tells it at once why not.
  void Submit(std::unique_ptr<Write> write);

  // Makes a change and waits for its commit. `apply` is called as apply(Transaction&) and returns an absl::Status.
  template <typename ApplyFunction>
  absl::Status Run(WriteKind kind, ApplyFunction apply) {
    if (OnWriterThread()) return RefusalOnWriterThread();
    std::promise<absl::Status> promise;
    std::future<absl::Status> status = promise.get_future();
    Submit(std::make_unique<WaitingWrite<ApplyFunction>>(kind, std::move(apply), std::move(promise)));
    return status.get();
  }

  // OK, or why nothing new is taken in.
  absl::Status Ready() const;
  // The same, to be asked before work is done for a write; OK if only Submit can say.
  absl::Status EarlyRefusal() const { return options_.single_threaded ? absl::OkStatus() : Ready(); }
  size_t queued_deliveries() const { return queued_deliveries_.load(); }
  size_t queued_bytes() const { return queued_bytes_.load(); }

  // True inside a callback, where waiting for a write would wait for ever.
  bool OnWriterThread() const;

  // Makes the writer look for upkeep now.
  void Wake();

  // Turns new writes away, makes those that wait, ends the thread. Idempotent.
  void Stop();

 private:
  template <typename ApplyFunction>
  class WaitingWrite final : public Write {
   public:
    WaitingWrite(WriteKind kind, ApplyFunction apply, std::promise<absl::Status> promise)
        : Write(kind, 0, /*awaited=*/true), apply_(std::move(apply)), promise_(std::move(promise)) {}
    absl::Status Apply(Transaction& transaction) override { return apply_(transaction); }
    void Done(const absl::Status& status) override { promise_.set_value(status); }

   private:
    ApplyFunction apply_;
    std::promise<absl::Status> promise_;
  };
  using Group = std::vector<std::unique_ptr<Write>>;

  static absl::Status RefusalOnWriterThread();

  // Why a write is turned away, or OK and it is counted as waiting.
  absl::Status Admit(const Write& write);
  void Loop();
  void CheckDisk(bool idle);
  // Commits what can be, and tells everybody.
  void CommitAndTell(Group& group);
  // Commits the writes of these indexes in one transaction, or finds out which of them can't be.
  void CommitTogether(Group& group, const std::vector<size_t>& indexes, std::vector<absl::Status>& statuses);
  void RollBack();
  void Break(const absl::Status& status);

  soci::session& sql_;
  const Clock& clock_;
  const WriterOptions options_;

  std::mutex mutex_;  // guards the queue
  std::condition_variable changed_;
  std::deque<std::unique_ptr<Write>> queue_;
  size_t awaited_ = 0;  // writes in the queue
  bool stopping_ = false;
  bool woken_ = false;

  std::mutex commit_mutex_;  // single_threaded: one transaction at a time

  std::atomic<size_t> queued_deliveries_{0};
  std::atomic<size_t> queued_bytes_{0};
  std::atomic<uint64_t> free_disk_{0};
  std::atomic<bool> disk_low_{false};
  std::atomic<bool> disk_full_{false};
  std::atomic<std::chrono::steady_clock::duration> full_since_{};
  std::atomic<bool> broken_{false};
  std::atomic<bool> closed_{false};
  mutable std::mutex reason_mutex_;
  absl::Status broken_because_;

  std::atomic<std::thread::id> writer_thread_{};
  std::mutex stop_mutex_;
  std::thread thread_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_WRITER_H_
