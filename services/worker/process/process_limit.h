// How many processes this program and everything that it starts from now on may have together.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_LIMIT_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_LIMIT_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "services/worker/process/cgroup.h"

namespace yardmaster::worker {

// A control group of the controller "pids". The limit of a user's processes (RLIMIT_NPROC) does not hold for root, and
// counts what else the user has; this one counts what was started here, whatever it does to escape. In version 2 memory
// groups that are made later (memory_group.h) are below it, so that it counts what is in them, too.
class ProcessLimit {
 public:
  // Moves this process into a group of its own with room for `most`. Null where that can't be; `reason` then says why.
  static std::unique_ptr<ProcessLimit> Enter(std::string_view name, uint64_t most, std::string& reason);
  static std::unique_ptr<ProcessLimit> EnterAt(const CgroupPlace& place, std::string_view name, uint64_t most,
                                               std::string& reason);
  // True if Enter would find a place to make the group in; else `reason` says what is missing.
  static bool Possible(std::string& reason);
  // Moves this process back, kills what is still in the group, and removes it.
  ~ProcessLimit();
  ProcessLimit(const ProcessLimit&) = delete;
  ProcessLimit& operator=(const ProcessLimit&) = delete;

  // How often the kernel refused a process since Enter.
  int64_t refusals() const;

 private:
  ProcessLimit(std::filesystem::path before, std::filesystem::path folder)
      : before_(std::move(before)), folder_(std::move(folder)) {}

  const std::filesystem::path before_;  // where this process was
  const std::filesystem::path folder_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_PROCESS_LIMIT_H_
