// Processes of a job: each is started as the leader of a group of its own, its output is handed on line by line, and
// its whole tree ends with it.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_H_

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace yardmaster::worker {

enum class Stream : uint8_t { kStdout, kStderr };

class SharedMemory;

struct ProcessSpec {
  std::vector<std::string> argv;         // argv[0] is looked up in the PATH of `environment` unless it has a slash
  std::vector<std::string> environment;  // "NAME=value"; all of it: nothing is inherited
  std::filesystem::path directory;
  // What it reads from its standard input.
  std::string input = {};
  // Where it makes its shared memory; null: with all others of this machine.
  const SharedMemory* shared_memory = nullptr;
  // For starters that contain what they start: folders that it may write to besides the run's own source and build, and
  // whether it is the worker's own fetching, which needs the network whatever the suite may.
  std::vector<std::filesystem::path> writable = {};
  bool fetches = false;
  // Called by one thread of the process's own, in order, with pieces of output as they come (not split into lines).
  std::function<void(Stream, std::string_view)> output;
};

// How a process ended.
struct ProcessExit {
  int code = 0;    // exit code; 128 + signal where it was killed
  int signal = 0;  // 0: it exited by itself
  std::chrono::steady_clock::time_point ended;
  uint64_t peak_rss_kb = 0;  // of the largest process of the tree that was waited for
  double cpu_seconds = 0;
};

// One process with everything that it starts. Destroying it kills what is left of the tree and waits for it.
class Process {
 public:
  virtual ~Process() = default;
  virtual int pid() const = 0;
  // Waits until the process itself has ended and its output is read, at most until `deadline`; nullopt: it still runs.
  virtual std::optional<ProcessExit> WaitUntil(std::chrono::steady_clock::time_point deadline) = 0;
  // SIGTERM to the whole tree, after `grace` SIGKILL to what is left. Returns when nothing of it is left.
  virtual void Stop(std::chrono::milliseconds grace) = 0;
  // Processes of the tree that outlived it and were killed; after WaitUntil or Stop.
  virtual int strays() const = 0;
};

// Memory of a group of processes, limited by the kernel where that is to be had (cgroup v1 or v2).
class MemoryGroup {
 public:
  virtual ~MemoryGroup() = default;
  // How often the kernel killed for want of memory in this group.
  virtual int64_t oom_kills() const = 0;
  virtual uint64_t peak_bytes() const = 0;
};

// Objects of shared memory that outlived their processes.
struct SharedMemoryLeft {
  std::vector<std::string> names;  // in /dev/shm, sorted
  std::vector<int> system_v;       // ids of System V segments
  uint64_t bytes = 0;              // of all of them
  bool empty() const { return names.empty() && system_v.empty(); }
};

// Shared memory of a group of processes, which nobody else sees, and which goes with them.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  // What there is in it now.
  virtual SharedMemoryLeft Left() const = 0;
};

class ProcessStarter {
 public:
  virtual ~ProcessStarter() = default;
  // NOT_FOUND: there is no such program; FAILED_PRECONDITION: it can't be executed or the directory is missing;
  // RESOURCE_EXHAUSTED: the system has no processes, descriptors or memory left.
  virtual absl::StatusOr<std::unique_ptr<Process>> Start(const ProcessSpec& spec, MemoryGroup* memory) = 0;
  // Null where the kernel offers no limit to us; `reason` then says why.
  virtual std::unique_ptr<MemoryGroup> MakeMemoryGroup(std::string_view name, uint64_t limit_bytes,
                                                       std::string& reason) = 0;
  // Null where the system does not let us; `reason` then says why.
  virtual std::unique_ptr<SharedMemory> MakeSharedMemory(std::string& reason) = 0;
};

// The system's own. Makes this process the reaper of orphans below it (PR_SET_CHILD_SUBREAPER).
std::unique_ptr<ProcessStarter> MakeProcessStarter();

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_H_
