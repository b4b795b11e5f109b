#include "services/yardmasterd/data_dir.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <system_error>

#include "services/core/errors.h"
#include "services/core/files.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;

constexpr char kLockFile[] = "lock";

// A new folder that nobody else can use.
absl::StatusOr<fs::path> MakeTemporaryFolder() {
  std::error_code error;
  fs::path parent = fs::temp_directory_path(error);
  if (error) parent = "/tmp";
  std::string pattern = (parent / "yardmasterd-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) return errors::DataDirUnusable(pattern, std::strerror(errno));
  return fs::path(pattern);
}

absl::Status MakeFolder(const fs::path& path) {
  std::error_code error;
  if (fs::is_directory(path, error)) return absl::OkStatus();
  fs::create_directories(path, error);
  if (error) return errors::DataDirUnusable(path.native(), error.message());
  // What is kept there is not for other users.
  fs::permissions(path, fs::perms::owner_all, error);
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::unique_ptr<DataDir>> DataDir::Open(const fs::path& path) {
  const bool temporary = path.empty();
  fs::path folder = path;
  if (temporary) {
    absl::StatusOr<fs::path> made = MakeTemporaryFolder();
    if (!made.ok()) return made.status();
    folder = *std::move(made);
  } else {
    const absl::Status made = MakeFolder(folder);
    if (!made.ok()) return made;
  }

  const fs::path lock_file = folder / kLockFile;
  const int lock = ::open(lock_file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (lock < 0) return errors::DataDirUnusable(folder.native(), std::strerror(errno));
  if (::flock(lock, LOCK_EX | LOCK_NB) != 0) {
    const int reason = errno;
    ::close(lock);
    if (reason != EWOULDBLOCK) return errors::DataDirUnusable(folder.native(), std::strerror(reason));
    std::string holder = ReadSmallFile(lock_file, 64).value_or("");
    while (holder.ends_with('\n')) holder.pop_back();
    return errors::DataDirLocked(folder.native(), holder);
  }
  // For people and for the message above; the lock itself is the kernel's.
  const std::string pid = std::to_string(::getpid()) + "\n";
  if (::ftruncate(lock, 0) != 0 || ::pwrite(lock, pid.data(), pid.size(), 0) != static_cast<ssize_t>(pid.size())) {
    const int reason = errno;
    ::close(lock);
    return errors::DataDirUnusable(folder.native(), std::strerror(reason));
  }
  return std::unique_ptr<DataDir>(new DataDir(std::move(folder), temporary, lock));
}

DataDir::~DataDir() {
  if (temporary_) {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  ::close(lock_);
}

}  // namespace yardmaster
