// A thing of this machine that one run at a time has, known by a name: a port, a device.
//
// The lock is one on a file of that name: the kernel lifts it when its holder dies, however it dies, so that there is
// nothing to clean up.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_NAME_LOCK_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_NAME_LOCK_H_

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "absl/status/statusor.h"
#include "services/worker/process/unique_fd.h"

namespace yardmaster::worker {

// $XDG_RUNTIME_DIR/yardmaster-ports, else /tmp/yardmaster-ports-UID: all runs of one user look there.
std::filesystem::path DefaultLockFolder();

class NameLock {
 public:
  // Locks `name`, a file name, in `folder`, which is made if it is missing. Null: somebody else has it; `holder` is
  // then the number of its process, or empty if it can't be told. FAILED_PRECONDITION: the folder can't be used, or is
  // not ours.
  static absl::StatusOr<std::unique_ptr<NameLock>> Take(const std::filesystem::path& folder, std::string_view name,
                                                        std::string& holder);
  // Gives it back; the folder goes with the last name.
  ~NameLock();
  NameLock(const NameLock&) = delete;
  NameLock& operator=(const NameLock&) = delete;

 private:
  NameLock(std::filesystem::path file, UniqueFd lock) : file_(std::move(file)), lock_(std::move(lock)) {}

  std::filesystem::path file_;
  UniqueFd lock_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_NAME_LOCK_H_
