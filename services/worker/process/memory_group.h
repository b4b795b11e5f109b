// Memory of a group of processes, limited by a control group of the kernel.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_MEMORY_GROUP_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_MEMORY_GROUP_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "services/worker/process/process.h"
#include "services/worker/process/unique_fd.h"

namespace yardmaster::worker {

// Where a controller is, and which of its groups we are in.
struct CgroupPlace {
  int version = 0;              // 1 or 2
  std::filesystem::path mount;  // the highest group that is to be seen
  std::filesystem::path own;    // ours, at or below `mount`
};

// From the contents of /proc/self/mountinfo and /proc/self/cgroup. nullopt: there is no memory controller; `reason`
// says so.
std::optional<CgroupPlace> FindMemoryCgroup(std::string_view mountinfo, std::string_view cgroup, std::string& reason);
// The same for another controller of one version: "pids", "memory".
std::optional<CgroupPlace> FindCgroup(std::string_view mountinfo, std::string_view cgroup, int version,
                                      std::string_view controller);

// The number behind `name` in lines of "name number" (memory.events, memory.oom_control, vmstat); nullopt if it is
// missing.
std::optional<int64_t> CounterIn(std::string_view text, std::string_view name);

// How often the kernel killed for want of memory on this machine since it started; nullopt if it does not count.
std::optional<int64_t> HostOomKills();

// What a group for `name` is called: unique on this machine, and nothing in it that a path could mean.
std::string CgroupName(std::string_view name, int64_t pid, int64_t number);

class CgroupMemory : public MemoryGroup {
 public:
  // Makes a group below or beside our own, with no more than `limit_bytes` (0: no limit), swap included where that can
  // be limited. Null with a reason where that can't be.
  static std::unique_ptr<CgroupMemory> Make(std::string_view name, uint64_t limit_bytes, std::string& reason);
  static std::unique_ptr<CgroupMemory> MakeAt(const CgroupPlace& place, std::string_view name, uint64_t limit_bytes,
                                              std::string& reason);
  // Kills what is still in the group and removes it.
  ~CgroupMemory() override;
  CgroupMemory(const CgroupMemory&) = delete;
  CgroupMemory& operator=(const CgroupMemory&) = delete;

  int64_t oom_kills() const override;
  uint64_t peak_bytes() const override;
  // Open for writing: who writes "0" to it is in the group.
  UniqueFd OpenProcs() const;
  const std::filesystem::path& folder() const { return folder_; }

 private:
  CgroupMemory(int version, std::filesystem::path folder) : version_(version), folder_(std::move(folder)) {}
  bool Limit(uint64_t limit_bytes, std::string& reason) const;

  const int version_ = 0;
  const std::filesystem::path folder_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_MEMORY_GROUP_H_
