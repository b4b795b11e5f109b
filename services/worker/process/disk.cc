#include "services/worker/process/disk.h"

#include <sys/statvfs.h>

#include <cerrno>
#include <cstring>
#include <system_error>

#include "services/worker/errors.h"

namespace yardmaster::worker {

absl::StatusOr<uint64_t> FreeDiskBytes(const std::filesystem::path& path) {
  std::error_code error;
  std::filesystem::path place = std::filesystem::absolute(path, error);
  if (error) return worker_errors::DiskUnreadable(path.native(), error.message());
  while (true) {
    struct statvfs about {};
    if (::statvfs(place.c_str(), &about) == 0) return uint64_t{about.f_bavail} * about.f_frsize;
    if (errno != ENOENT || !place.has_relative_path()) {
      return worker_errors::DiskUnreadable(path.native(), std::strerror(errno));
    }
    place = place.parent_path();
  }
}

}  // namespace yardmaster::worker
