// Control groups of the kernel, version 1 and 2: where a controller is, which group we are in, and groups of our own.
#ifndef YARDMASTER_SERVICES_WORKER_PROCESS_CGROUP_H_
#define YARDMASTER_SERVICES_WORKER_PROCESS_CGROUP_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::worker {

// Where a controller is, and which of its groups we are in.
struct CgroupPlace {
  int version = 0;              // 1 or 2
  std::filesystem::path mount;  // the highest group that is to be seen
  std::filesystem::path own;    // ours, at or below `mount`
};

// From the contents of /proc/self/mountinfo and /proc/self/cgroup, for a controller of one version: "pids", "memory".
// For version 2 the hierarchy is found, whether or not it has the controller.
std::optional<CgroupPlace> FindCgroup(std::string_view mountinfo, std::string_view cgroup, int version,
                                      std::string_view controller);
// Where both versions are mounted a controller is in one of them only; version 1 says in which.
std::optional<CgroupPlace> FindCgroup(std::string_view mountinfo, std::string_view cgroup, std::string_view controller);
// As it is now, for this process. nullopt: there is none; `reason` says so.
std::optional<CgroupPlace> OwnCgroup(std::string_view controller, std::string& reason);

// True if a group of version 2 hands the controller on to its children.
bool HandsOn(const std::filesystem::path& group, std::string_view controller);
// Writes to a file of a control group; 0 or errno. Never makes a file.
int WriteCgroupFile(const std::filesystem::path& file, std::string_view value);
// What a group for `name` is called: unique on this machine, and nothing in it that a path could mean.
std::string CgroupName(std::string_view name, int64_t pid, int64_t number);
// Kills what is in the group and in those below it, this process left out, and removes them all. Gives up after some
// seconds.
void KillAndRemoveCgroup(const std::filesystem::path& group);

// After a process that made groups was killed: kills what is in groups of `name` and removes them, and removes those
// without processes that process `pid` made.
void RemoveCgroupsOf(std::string_view name, int64_t pid);

// In version 2 a group has processes or hands controllers on, not both, except at the very top. So this process moves
// into a group below the one that it was started in, and that one hands on "memory" and "pids", as far as it has them.
// True also where nothing has to be done. False where that can't be; `reason` then says why.
bool MakeRoomForCgroups(std::string& reason);
bool MakeRoomForCgroupsAt(const CgroupPlace& place, std::string& reason);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_PROCESS_CGROUP_H_
