// Shared memory: POSIX's in /dev/shm and System V's. It outlives the processes that made it, until somebody removes it
// or the machine is started anew.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_SHARED_MEMORY_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_SHARED_MEMORY_H_

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "services/worker/process/process.h"
#include "services/worker/process/spawn.h"
#include "services/worker/process/unique_fd.h"

namespace yardmaster::worker {

// A System V segment, from a line of /proc/sysvipc/shm.
struct SystemVSegment {
  int id = 0;
  uint64_t bytes = 0;
  pid_t creator = 0;
  uint64_t attached = 0;
  uid_t owner = 0;  // who made it
};

// The content of /proc/sysvipc/shm; lines that can't be read are left out.
std::vector<SystemVSegment> ParseSystemVSegments(std::string_view text);

// What there is on this machine before a step.
class SharedMemorySnapshot {
 public:
  // `folder` is another one only in tests.
  static SharedMemorySnapshot Take(std::filesystem::path folder = "/dev/shm");

  // What has come since, belongs to our user, and is neither open nor mapped in any living process. Nothing says
  // whether a step made it or another program of this user, so it is never removed.
  SharedMemoryLeft New() const;

 private:
  using File = std::pair<std::string, ino_t>;
  explicit SharedMemorySnapshot(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
  std::set<File> files_;
  std::set<int> segments_;
};

// Mount and IPC namespaces with a /dev/shm and System V segments of their own. They live as long as this object, or a
// process that was started in them.
class NamespacedSharedMemory : public SharedMemory {
 public:
  // Without the right to make namespaces, or if `as_user`, they are made in a user namespace in which nobody but our
  // user is known. With `own_network` there is a network namespace, too, with nothing in it but its own loopback. Null
  // where neither is allowed; `reason` then says why.
  static std::unique_ptr<NamespacedSharedMemory> Make(std::string& reason, bool as_user = false,
                                                      bool own_network = false);

  SharedMemoryLeft Left() const override;
  // Has a process that is to be started enter them.
  void Enter(SpawnRequest& request) const;

 private:
  NamespacedSharedMemory() = default;

  std::vector<UniqueFd> namespaces_;  // in the order in which they are entered
  UniqueFd root_;                     // the folder / as this process sees it, in the mount namespace
  UniqueFd folder_;                   // its /dev/shm
  UniqueFd segments_;                 // its /proc/sysvipc/shm; may be missing
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_SHARED_MEMORY_H_
