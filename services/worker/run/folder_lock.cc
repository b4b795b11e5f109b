#include "services/worker/run/folder_lock.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <system_error>
#include <thread>

namespace yardmaster::worker {
namespace {

constexpr std::chrono::milliseconds kRetryInterval{100};

}  // namespace

UniqueFd LockFolder(const std::filesystem::path& folder, const std::atomic<bool>& cancel,
                    const std::function<void(std::string_view)>& note) {
  std::error_code error;
  std::filesystem::create_directories(folder, error);
  // The lock is on the folder itself: no file of ours lies in it or beside it.
  UniqueFd lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  bool told = false;
  while (lock.ok() && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) {
    if (errno != EWOULDBLOCK || cancel.load()) return {};
    if (!told) note("waiting for " + folder.native() + ", in which another run works");
    told = true;
    std::this_thread::sleep_for(kRetryInterval);
  }
  return lock;
}

}  // namespace yardmaster::worker
