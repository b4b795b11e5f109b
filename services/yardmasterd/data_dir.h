// The data directory: one daemon at a time.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_DATA_DIR_H_
#define YARDMASTER_SERVICES_YARDMASTERD_DATA_DIR_H_

#include <filesystem>
#include <memory>

#include "absl/status/statusor.h"
#include "services/core/data_dir_lock.h"

namespace yardmaster {

// Holds an exclusive lock (data_dir_lock.h).
class DataDir {
 public:
  // Makes the folder (mode 0700) if it is missing and locks it. An empty path: a new folder below the system's
  // temporary one, removed at the end. FAILED_PRECONDITION if another daemon has it, INTERNAL if it can't be made or
  // written.
  static absl::StatusOr<std::unique_ptr<DataDir>> Open(const std::filesystem::path& path);
  ~DataDir();
  DataDir(const DataDir&) = delete;
  DataDir& operator=(const DataDir&) = delete;

  const std::filesystem::path& path() const { return path_; }
  bool temporary() const { return temporary_; }
  const DataDirLock& lock() const { return *lock_; }

 private:
  DataDir(std::filesystem::path path, bool temporary, std::unique_ptr<DataDirLock> lock)
      : path_(std::move(path)), temporary_(temporary), lock_(std::move(lock)) {}

  std::filesystem::path path_;
  bool temporary_;
  std::unique_ptr<DataDirLock> lock_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_DATA_DIR_H_
