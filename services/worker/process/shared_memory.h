// Shared memory that a run leaves behind. It outlives the processes that made it, until somebody removes it or the
// machine is started anew, and fills /dev/shm.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_SHARED_MEMORY_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_SHARED_MEMORY_H_

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

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

struct SharedMemoryLeft {
  std::vector<std::string> names;  // removed from the folder, sorted
  std::vector<int> system_v;       // ids of System V segments that were removed
  uint64_t bytes = 0;              // of all of them
  bool empty() const { return names.empty() && system_v.empty(); }
};

// What there is before a run.
class SharedMemorySnapshot {
 public:
  // `folder` is another one only in tests.
  static SharedMemorySnapshot Take(std::filesystem::path folder = "/dev/shm");

  // Removes what has come since, belongs to our user, and is neither open nor mapped in any living process. To be
  // called when the processes of the run are gone. What another run of the same user made and has nobody looking at
  // right now can't be told from it.
  SharedMemoryLeft RemoveNew() const;

 private:
  using File = std::pair<std::string, ino_t>;
  explicit SharedMemorySnapshot(std::filesystem::path folder) : folder_(std::move(folder)) {}
  std::filesystem::path folder_;
  std::set<File> files_;
  std::set<int> segments_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_SHARED_MEMORY_H_
