// Moves committed pages from the write-ahead log to the main file, beside the writer and not in its way.
//
// SQLite's own way is that the commit which makes the log long enough also copies it, and everybody in that group
// waits. Here a thread with a connection of its own copies while the writer goes on. Since a log is only begun anew
// when all of it is copied, which a busy writer would never allow, the writer copies the short tail itself once the
// rest is done.
//
// SQLite from 3.7.0 to 3.51.2 loses commits where a checkpoint begins on a log that is copied while another connection
// commits: the commit begins the log anew, and the checkpoint then takes as many pages of the new log for copied as the
// old one had (sqlite.org/wal.html, "WAL-reset bug"). So there is one checkpoint at a time, and the thread's connection
// begins none on a copied log; a connection that both commits and checkpoints, as the writer's, is safe.
#ifndef YARDMASTER_SERVICES_CORE_STORE_CHECKPOINTER_H_
#define YARDMASTER_SERVICES_CORE_STORE_CHECKPOINTER_H_

#include <soci/soci.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <mutex>
#include <thread>

#include "absl/status/status.h"
#include "services/core/store/dialect.h"

namespace yardmaster::store {

// Thread-safe but for BetweenGroups.
class Checkpointer {
 public:
  // Opens a connection of its own (may throw, see sql.h) and watches the log of `writer`, which must outlive this
  // object. `threaded`: false = only RunNow does anything, and the writer's connection looks after itself.
  Checkpointer(const std::filesystem::path& file, soci::session& writer, bool threaded);
  // Stops.
  ~Checkpointer();
  Checkpointer(const Checkpointer&) = delete;
  Checkpointer& operator=(const Checkpointer&) = delete;

  // On the writer's thread, between transactions. May throw.
  void BetweenGroups();
  // Copies what can be copied now; nothing if all is copied.
  absl::Status RunNow();
  // Idempotent.
  void Stop();

 private:
  void Loop();
  // Under checkpoint_mutex_.
  LogState Copy(soci::session& connection);

  soci::session& writer_;
  const bool threaded_;
  LogWatch watch_;
  std::atomic<int64_t> pages_{0};   // in the log
  std::atomic<int64_t> copied_{0};  // of them, in the main file; a hint
  // Commits are numbered from 1. One is noted as done only some time after its pages are in the log.
  std::atomic<int64_t> begun_{0};
  std::atomic<int64_t> done_{0};

  std::mutex checkpoint_mutex_;  // held during each checkpoint; guards what follows
  std::unique_ptr<soci::session> connection_;
  // Commits that had begun when the log was last seen to be copied: the log holds more only once a later one is done.
  int64_t begun_when_copied_ = 0;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool wanted_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_CHECKPOINTER_H_
