// Git's lock of an index ("index.lock"), taken so that it can be told after a kill whose it is.
#ifndef YARDMASTER_CLIENTS_GIT_INDEX_LOCK_H_
#define YARDMASTER_CLIENTS_GIT_INDEX_LOCK_H_

#include <filesystem>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace yardmaster {

// Holds the lock as long as it lives, or until the index is replaced.
class IndexLock {
 public:
  // The lock is one file with another whose name begins with `own`, a path on the same file system that nobody else
  // uses at that time. ABORTED: another git holds the lock.
  static absl::StatusOr<std::unique_ptr<IndexLock>> Take(const std::filesystem::path& index,
                                                         const std::filesystem::path& own);
  ~IndexLock();
  IndexLock(const IndexLock&) = delete;
  IndexLock& operator=(const IndexLock&) = delete;

  // Room for the index that is to be put in place; what lies there goes with the lock.
  const std::filesystem::path& room() const { return room_; }
  // Moves what lies in the room into the place of the index, at once, and gives the lock back. INTERNAL where that
  // fails; the index is then the old one.
  absl::Status Replace();

 private:
  IndexLock(std::filesystem::path index, const std::filesystem::path& own);

  const std::filesystem::path index_;
  const std::filesystem::path lock_;
  const std::filesystem::path own_lock_;
  const std::filesystem::path own_new_;
  const std::filesystem::path room_;
  bool held_ = false;
};

// Removes the lock of `index` if it is one with a file of `folder`: who took it was killed. To be called by who knows
// that nobody holds one from there now.
void RemoveKilledLock(const std::filesystem::path& index, const std::filesystem::path& folder);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_INDEX_LOCK_H_
