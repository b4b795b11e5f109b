// A folder that runs share, such as a build folder in the cache: one run at a time works in it.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_FOLDER_LOCK_H_
#define YARDMASTER_SERVICES_WORKER_RUN_FOLDER_LOCK_H_

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string_view>

namespace yardmaster::worker {

class FolderLock {
 public:
  // Makes the folder and waits until no other run has it; `note` is told what is waited for. Null: the folder can't be
  // made or locked, or `cancel` became true.
  static std::unique_ptr<FolderLock> Take(const std::filesystem::path& folder, const std::atomic<bool>& cancel,
                                          const std::function<void(std::string_view)>& note);
  ~FolderLock();
  FolderLock(const FolderLock&) = delete;
  FolderLock& operator=(const FolderLock&) = delete;

 private:
  explicit FolderLock(int fd) : fd_(fd) {}
  const int fd_ = -1;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_FOLDER_LOCK_H_
