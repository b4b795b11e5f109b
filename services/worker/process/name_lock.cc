#include "services/worker/process/name_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include "services/worker/errors.h"

namespace yardmaster::worker {
namespace {

// Another run may remove the folder, or the file, between two calls of ours.
constexpr int kTries = 100;

// Makes the folder, ours alone. An empty text, or why it can't be used.
std::string MakeFolder(const std::filesystem::path& folder) {
  if (::mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return std::strerror(errno);
  struct stat about {};
  if (::lstat(folder.c_str(), &about) != 0) return errno == ENOENT ? "" : std::strerror(errno);
  // In /tmp anybody may have made it.
  if (!S_ISDIR(about.st_mode) || about.st_uid != ::geteuid()) return "it belongs to another user";
  return "";
}

std::string HolderOf(const UniqueFd& file) {
  char digits[32];
  const ssize_t count = ::pread(file.get(), digits, sizeof(digits), 0);
  return count > 0 ? std::string(digits, static_cast<size_t>(count)) : std::string();
}

}  // namespace

std::filesystem::path DefaultLockFolder() {
  const char* runtime = std::getenv("XDG_RUNTIME_DIR");
  if (runtime != nullptr && runtime[0] == '/' && ::access(runtime, W_OK | X_OK) == 0) {
    return std::filesystem::path(runtime) / "yardmaster-ports";
  }
  return "/tmp/yardmaster-ports-" + std::to_string(::geteuid());
}

absl::StatusOr<std::unique_ptr<NameLock>> NameLock::Take(const std::filesystem::path& folder, std::string_view name,
                                                         std::string& holder) {
  holder.clear();
  const std::filesystem::path file = folder / name;
  for (int i = 0; i < kTries; ++i) {
    const std::string problem = MakeFolder(folder);
    if (!problem.empty()) return worker_errors::LockFolderUnusable(folder.native(), problem);
    UniqueFd lock(::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!lock.ok() && errno == ENOENT) continue;
    if (!lock.ok()) return worker_errors::LockFolderUnusable(folder.native(), std::strerror(errno));
    if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
      holder = HolderOf(lock);
      return nullptr;
    }
    // Its last holder may have removed the file after we opened it: then we hold nothing.
    struct stat opened {};
    struct stat named {};
    if (::fstat(lock.get(), &opened) != 0 || ::stat(file.c_str(), &named) != 0 || opened.st_ino != named.st_ino) {
      continue;
    }
    // For the messages of others only: where it can't be written they name no process.
    const std::string pid = std::to_string(::getpid());
    if (::ftruncate(lock.get(), 0) != 0 || ::pwrite(lock.get(), pid.data(), pid.size(), 0) < 0) errno = 0;
    return std::unique_ptr<NameLock>(new NameLock(file, std::move(lock)));
  }
  return nullptr;
}

NameLock::~NameLock() {
  // Removed while it is locked, so that nobody finds a file that is about to go.
  ::unlink(file_.c_str());
  lock_.Reset();
  ::rmdir(file_.parent_path().c_str());  // fails while others have names in it
}

}  // namespace yardmaster::worker
