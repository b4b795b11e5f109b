// The store: everything that survives a restart, in one SQLite database. See README.md beside this file.
//
// One thread writes. What arrives while it waits for the disk goes into its next transaction (group commit), and nobody
// is answered before the commit that holds their change. Readers have connections of their own and see what is
// committed; they never wait for the writer, nor the writer for them.
#ifndef YARDMASTER_SERVICES_CORE_STORE_STORE_H_
#define YARDMASTER_SERVICES_CORE_STORE_STORE_H_

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/clock.h"
#include "services/core/data_dir_lock.h"
#include "services/core/limits.h"
#include "services/core/logging.h"
#include "services/core/metrics.h"
#include "services/core/store/chat_links.h"
#include "services/core/store/chat_threads.h"
#include "services/core/store/commands.h"
#include "services/core/store/decisions.h"
#include "services/core/store/inbox.h"
#include "services/core/store/jobs.h"
#include "services/core/store/ledger.h"
#include "services/core/store/operators.h"
#include "services/core/store/retention.h"
#include "services/core/store/reviews.h"
#include "services/core/store/schedule_runs.h"
#include "services/core/store/schedules.h"
#include "services/core/store/shadows.h"
#include "services/core/store/subjects.h"
#include "services/core/store/subscriptions.h"

namespace yardmaster::store {

struct StoreOptions {
  std::filesystem::path data_dir;
  // The lock on `data_dir`, if the caller holds it for longer than the store lives. Null: Open takes it and the store
  // keeps it.
  const DataDirLock* lock = nullptr;
  RetentionConfig retention;
  // With less free disk than this nothing new is taken in.
  uint64_t disk_floor_bytes = kStoreDiskFloorBytes;
  // What may wait for a commit before deliveries are turned away.
  size_t queue_deliveries = kStoreQueueDeliveries;
  size_t queue_bytes = kStoreQueueBytes;
  // Connections for reading.
  size_t readers = kStoreReaders;
  // Between looks for what retention has to remove. The first look is one such time after the start.
  std::chrono::milliseconds maintenance_interval = kStoreMaintenanceInterval;

  // Writes, callbacks included, happen in the calling thread, one at a time, and upkeep only when Maintain is called:
  // for simulations and tests that run in one thread on a clock of their own.
  bool single_threaded = false;
  // Free bytes of the disk that holds a folder; null = the system's answer. For tests.
  std::function<std::optional<uint64_t>(const std::filesystem::path&)> free_disk_bytes;
  // Largest size of the database file, 0 = what the disk can hold. For tests.
  uint64_t max_database_bytes = 0;

  Logger* logger = nullptr;  // may be null
};

struct StoreStats {
  uint64_t database_bytes = 0;  // the main file
  uint64_t wal_bytes = 0;       // the write-ahead log
  uint64_t unused_bytes = 0;    // inside the main file, to be given back by compaction
  uint64_t bodies_bytes = 0;    // bodies as stored, compressed
  uint64_t queued_deliveries = 0;
  uint64_t queued_bytes = 0;
  uint64_t commits = 0;           // since the start
  uint64_t committed_writes = 0;  // since the start; divided by commits: the size of a group
};

// Thread-safe.
class Store {
 public:
  // Takes the lock, makes or migrates the database, and starts the writer. `clock` and `metrics` must outlive the
  // store; `metrics` may be null. FAILED_PRECONDITION if another process holds the data directory or a newer version of
  // this program wrote it, INTERNAL or DATA_LOSS if the database can't be used; each with the reason.
  static absl::StatusOr<std::unique_ptr<Store>> Open(StoreOptions options, const Clock& clock, Metrics* metrics);

  // Shuts down.
  ~Store();
  Store(const Store&) = delete;
  Store& operator=(const Store&) = delete;

  Inbox& inbox();
  Ledger& ledger();
  Decisions& decisions();
  Subjects& subjects();
  Schedules& schedules();
  ScheduleRuns& schedule_runs();
  Subscriptions& subscriptions();
  Operators& operators();
  Commands& commands();
  Reviews& reviews();
  Shadows& shadows();
  ChatLinks& chat_links();
  ChatThreads& chat_threads();
  Jobs& jobs();

  // OK, or why the store takes nothing in: RESOURCE_EXHAUSTED (disk below its floor, disk full), UNAVAILABLE (shut
  // down, or the disk failed: the daemon has to be restarted). One atomic read: for readiness probes.
  absl::Status Ready() const;
  StoreStats Stats() const;

  // A whole round of upkeep now: retention, compaction, the checkpoint. It runs in slices like the automatic one, so
  // writes go on meanwhile. Returns when it is done.
  absl::Status Maintain();

  // Refuses new writes, commits what waits, calls the callbacks, checkpoints and closes. Idempotent. Reads and writes
  // after it are UNAVAILABLE.
  void Shutdown();

 private:
  struct Impl;
  explicit Store(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_STORE_H_
