#include "services/worker/process/process_limit.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "services/worker/process/memory_group.h"
#include "services/worker/process/process_table.h"

namespace yardmaster::worker {
namespace {

// In version 2 this process itself is in a group below the one with the limit, beside the memory groups of its steps.
constexpr const char* kSelf = "self";

// The group in which one for a run is made. Empty: there is none.
std::filesystem::path ParentOf(const CgroupPlace& place, std::string& reason) {
  if (place.version == 1) return place.own;
  if (HandsOn(place.own, "pids")) return place.own;
  if (place.own != place.mount && HandsOn(place.own.parent_path(), "pids")) return place.own.parent_path();
  reason = "the controller \"pids\" is not delegated to " + place.own.native() + ": start the worker with Delegate=yes";
  return {};
}

}  // namespace

bool ProcessLimit::Possible(std::string& reason) {
  const std::optional<CgroupPlace> place = OwnCgroup("pids", reason);
  if (!place.has_value()) return false;
  const std::filesystem::path parent = ParentOf(*place, reason);
  if (parent.empty()) return false;
  if (::access(parent.c_str(), W_OK) == 0) return true;
  reason = "can't write to " + parent.native() + ": " + std::strerror(errno);
  return false;
}

std::unique_ptr<ProcessLimit> ProcessLimit::Enter(std::string_view name, uint64_t most, std::string& reason) {
  const std::optional<CgroupPlace> place = OwnCgroup("pids", reason);
  return place.has_value() ? EnterAt(*place, name, most, reason) : nullptr;
}

std::unique_ptr<ProcessLimit> ProcessLimit::EnterAt(const CgroupPlace& place, std::string_view name, uint64_t most,
                                                    std::string& reason) {
  const std::filesystem::path parent = ParentOf(place, reason);
  if (parent.empty()) return nullptr;
  const std::filesystem::path folder = parent / CgroupName(name, ::getpid(), 0);
  if (::mkdir(folder.c_str(), 0755) != 0 && errno != EEXIST) {
    reason = "can't make a control group in " + parent.native() + ": " + std::strerror(errno);
    return nullptr;
  }
  std::unique_ptr<ProcessLimit> limit(new ProcessLimit(place.own, folder));
  std::filesystem::path self = folder;
  int error = WriteCgroupFile(folder / "pids.max", std::to_string(most));
  if (error == 0 && place.version == 2) {
    self = folder / kSelf;
    if (::mkdir(self.c_str(), 0755) != 0) error = errno;
    // Without it steps have no limit of their own, which they say.
    if (error == 0) WriteCgroupFile(folder / "cgroup.subtree_control", "+memory");
  }
  if (error == 0) error = WriteCgroupFile(self / "cgroup.procs", "0");
  if (error == 0) return limit;
  reason = "can't limit processes in " + folder.native() + ": " + std::strerror(error);
  return nullptr;
}

ProcessLimit::~ProcessLimit() {
  WriteCgroupFile(before_ / "cgroup.procs", "0");
  KillAndRemoveCgroup(folder_);
}

int64_t ProcessLimit::refusals() const {
  return CounterIn(ReadProcFile((folder_ / "pids.events").native()), "max").value_or(0);
}

}  // namespace yardmaster::worker
