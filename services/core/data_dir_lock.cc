#include "services/core/data_dir_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <system_error>
#include <utility>

#include "services/core/errors.h"

namespace yardmaster {
namespace {

// The process id that the holder wrote, or nothing if it wrote none yet.
std::string ReadHolder(int fd) {
  char buffer[32];
  const ssize_t count = ::pread(fd, buffer, sizeof(buffer), 0);
  std::string holder;
  for (ssize_t i = 0; i < count && buffer[i] >= '0' && buffer[i] <= '9'; ++i) holder += buffer[i];
  return holder;
}

// Puts the names in a folder on the disk, as far as the system can: what is kept in a new folder must be found again.
void SyncFolder(const std::filesystem::path& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  ::fsync(fd);
  ::close(fd);
}

}  // namespace

absl::StatusOr<std::unique_ptr<DataDirLock>> DataDirLock::Take(const std::filesystem::path& dir) {
  // The folder. Its parents get the usual mode, itself ours.
  std::error_code error;
  std::filesystem::path absolute = std::filesystem::absolute(dir, error).lexically_normal();
  if (error) return errors::DataDirUnusable(dir.native(), error.message());
  if (absolute.has_parent_path() && !absolute.has_filename()) absolute = absolute.parent_path();
  std::filesystem::create_directories(absolute.parent_path(), error);
  if (error) return errors::DataDirUnusable(absolute.native(), error.message());
  if (::mkdir(absolute.c_str(), 0700) == 0) {
    SyncFolder(absolute.parent_path());
  } else if (errno != EEXIST) {
    return errors::DataDirUnusable(absolute.native(), std::strerror(errno));
  }

  // The lock. Not through a link: the folder may be writable by others.
  const std::filesystem::path file = absolute / kFileName;
  const int fd = ::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return errors::DataDirUnusable(absolute.native(), std::strerror(errno));
  while (::flock(fd, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    if (reason == EINTR) continue;
    const std::string holder = ReadHolder(fd);
    ::close(fd);
    if (reason == EWOULDBLOCK) return errors::DataDirLocked(absolute.native(), holder);
    return errors::DataDirUnusable(absolute.native(), std::strerror(reason));
  }

  // Our process id, for the message that a second daemon prints. Only for that: a failure here does no harm.
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(fd, 0) != 0 || ::pwrite(fd, pid.data(), pid.size(), 0) < 0) errno = 0;
  return std::unique_ptr<DataDirLock>(new DataDirLock(std::move(absolute), fd));
}

DataDirLock::~DataDirLock() { ::close(fd_); }

}  // namespace yardmaster
