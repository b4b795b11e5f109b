// The right to use a data directory: one daemon at a time.
#ifndef YARDMASTER_SERVICES_CORE_DATA_DIR_LOCK_H_
#define YARDMASTER_SERVICES_CORE_DATA_DIR_LOCK_H_

#include <filesystem>
#include <memory>
#include <string_view>

#include "absl/status/statusor.h"

namespace yardmaster {

// An exclusive lock on a folder, by flock(2) on the file "lock" inside it. The kernel lifts it when the process dies,
// however it dies, so there is nothing to clean up after a crash. The file stays: removing it would let two processes
// hold locks on two files of the same name.
class DataDirLock {
 public:
  static constexpr std::string_view kFileName = "lock";

  // Makes the folder if it is not there (mode 0700: it holds what people wrote), and takes the lock. Never waits.
  // FAILED_PRECONDITION (errors::DataDirLocked, with the other's process id) if somebody else has it, also within this
  // process; INTERNAL if the folder can't be made or written.
  static absl::StatusOr<std::unique_ptr<DataDirLock>> Take(const std::filesystem::path& dir);

  // Gives the lock back.
  ~DataDirLock();
  DataDirLock(const DataDirLock&) = delete;
  DataDirLock& operator=(const DataDirLock&) = delete;

  // The folder, absolute.
  const std::filesystem::path& dir() const { return dir_; }

 private:
  DataDirLock(std::filesystem::path dir, int fd) : dir_(std::move(dir)), fd_(fd) {}

  const std::filesystem::path dir_;
  const int fd_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_DATA_DIR_LOCK_H_
