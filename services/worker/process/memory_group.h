// Memory of a group of processes, limited by a control group of the kernel.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_MEMORY_GROUP_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_MEMORY_GROUP_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "services/worker/process/cgroup.h"
#include "services/worker/process/process.h"
#include "services/worker/process/unique_fd.h"

namespace yardmaster::worker {

// The number behind `name` in lines of "name number" (memory.events, memory.oom_control, vmstat); nullopt if it is
// missing.
std::optional<int64_t> CounterIn(std::string_view text, std::string_view name);

// How often the kernel killed for want of memory on this machine since it started; nullopt if it does not count.
std::optional<int64_t> HostOomKills();

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
