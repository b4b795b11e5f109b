// Moves committed pages from the write-ahead log to the main file, without holding up the writer.
//
// SQLite's own way is that the commit which makes the log long enough also copies it, and all writes of that group
// wait. Here a thread with a connection of its own copies while the writer goes on. Since a log is only begun anew
// when all of it is copied, which a busy writer would never allow, the writer copies the short tail itself once the
// rest is done.
#ifndef YARDMASTER_SERVICES_CORE_STORE_CHECKPOINTER_H_
#define YARDMASTER_SERVICES_CORE_STORE_CHECKPOINTER_H_

#include <soci/soci.h>

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "absl/status/status.h"

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
  // Copies what can be copied now.
  absl::Status RunNow();
  // Idempotent.
  void Stop();

 private:
  void Loop();

  soci::session& writer_;
  std::function<void(int64_t)> committed_;
  std::atomic<int64_t> pages_{0};   // in the log
  std::atomic<int64_t> copied_{0};  // of them, in the main file; a hint

  std::mutex connection_mutex_;
  std::unique_ptr<soci::session> connection_;

  std::mutex mutex_;  // guards what follows
  std::condition_variable changed_;
  bool wanted_ = false;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_CHECKPOINTER_H_
