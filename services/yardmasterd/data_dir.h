// The data directory: one daemon at a time.
#ifndef YARDMASTER_SERVICES_YARDMASTERD_DATA_DIR_H_
#define YARDMASTER_SERVICES_YARDMASTERD_DATA_DIR_H_

#include <filesystem>
#include <memory>

#include "absl/status/statusor.h"

namespace yardmaster {

// Holds an exclusive lock (flock on DIR/lock, which the kernel lifts when the process ends, however it ends).
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

 private:
  DataDir(std::filesystem::path path, bool temporary, int lock)
      : path_(std::move(path)), temporary_(temporary), lock_(lock) {}

  std::filesystem::path path_;
  bool temporary_;
  int lock_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_YARDMASTERD_DATA_DIR_H_
