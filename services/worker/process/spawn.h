// Starts one program, and says exactly what failed if it can't. The lowest layer: no threads, no policy.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_SPAWN_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_SPAWN_H_

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace yardmaster::worker {

struct SpawnRequest {
  std::vector<std::string> programs;  // tried in order, like a search in PATH
  std::vector<std::string> argv;
  std::vector<std::string> environment;
  std::string directory;
  // For descriptors 0, 1 and 2. Each must be above 2.
  int in = -1;
  int out = -1;
  int err = -1;
  // Open for writing: the "cgroup.procs" of the group it is to be in; -1: it stays in ours.
  int cgroup_procs = -1;
  // Namespaces to enter, in this order, and then the folder that is the root there; -1: it is left as it is.
  std::vector<int> namespaces;
  int root = -1;
  // How readily the kernel kills it when memory is short, 0 to 1000.
  int oom_score_adj = 0;
};

enum class SpawnStage : uint8_t { kClone, kCgroup, kNamespace, kDirectory, kDescriptors, kExec };

struct SpawnResult {
  pid_t pid = -1;  // > 0: it runs
  int error = 0;   // errno otherwise
  SpawnStage stage = SpawnStage::kClone;
  size_t program = 0;  // which of `programs` the error is about
};

// The program runs in a session and a process group of its own, with no signal blocked or ignored, no descriptors but
// 0 to 2, and without core files (soft limit). The caller waits until it is executed or has failed; a program that
// could not be executed is already reaped.
SpawnResult Spawn(const SpawnRequest& request);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_SPAWN_H_
