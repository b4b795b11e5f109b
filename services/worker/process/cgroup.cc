#include "services/worker/process/cgroup.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <system_error>
#include <thread>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "services/core/absl_view.h"
#include "services/worker/process/process_table.h"
#include "services/worker/process/unique_fd.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxNameBytes = 64;
// How long a group that can't be removed yet is tried again: what was killed in it has to go first.
constexpr std::chrono::milliseconds kRemovePause{5};
constexpr int kRemoveTries = 1000;
// Where this process goes to make room.
constexpr const char* kLeafName = "yardmaster-self";

bool HasWord(std::string_view list, char separator, std::string_view word) {
  return absl::c_linear_search(Split(list, separator), word);
}

// Spaces and the like are written as \040 in mountinfo.
std::string Unescaped(std::string_view text) {
  std::string plain;
  return absl::CUnescape(Abs(text), &plain) ? plain : std::string(text);
}

struct Mount {
  std::string root;  // what of the hierarchy is mounted
  std::string point;
};

// The mount of a cgroup hierarchy: version 2, or version 1 with the controller.
std::optional<Mount> FindMount(std::string_view mountinfo, int version, std::string_view controller) {
  for (const std::string_view line : Split(mountinfo, '\n')) {
    // "35 31 0:32 ROOT POINT OPTIONS [FURTHER…] - TYPE SOURCE SUPER-OPTIONS"
    const size_t dash = line.find(" - ");
    if (dash == std::string_view::npos) continue;
    const std::vector<std::string_view> left = Split(line.substr(0, dash), ' ');
    const std::vector<std::string_view> right = Split(line.substr(dash + 3), ' ');
    if (left.size() < 5 || right.size() < 3) continue;
    const bool matches =
        version == 2 ? right[0] == "cgroup2" : right[0] == "cgroup" && HasWord(right[2], ',', controller);
    if (matches) return Mount{Unescaped(left[3]), Unescaped(left[4])};
  }
  return std::nullopt;
}

// Our path in the hierarchy: "4:memory:/a/b", for version 2 "0::/a/b".
std::optional<std::string> OwnPath(std::string_view cgroup, int version, std::string_view controller) {
  for (const std::string_view line : Split(cgroup, '\n')) {
    const std::vector<std::string_view> parts = Split(line, ':', 3);
    if (parts.size() < 3) continue;
    if (version == 2 ? parts[0] == "0" && parts[1].empty() : HasWord(parts[1], ',', controller))
      return std::string(parts[2]);
  }
  return std::nullopt;
}

std::vector<std::filesystem::path> GroupsIn(const std::filesystem::path& group) {
  std::vector<std::filesystem::path> groups;
  std::error_code error;
  for (std::filesystem::directory_iterator it(group, error), end; !error && it != end; it.increment(error)) {
    std::error_code gone;
    if (it->is_directory(gone)) groups.push_back(it->path());
  }
  return groups;
}

// What is in a group, this process left out. One without groups below it is killed as a whole where the kernel can.
void KillMembers(const std::filesystem::path& group) {
  std::vector<pid_t> members;
  bool ours = false;
  const std::string pids = ReadProcFile((group / "cgroup.procs").native());
  for (const std::string_view line : Split(pids, '\n')) {
    const auto pid = static_cast<pid_t>(NumberOf(line).value_or(0));
    if (pid <= 0) continue;
    ours = ours || pid == ::getpid();
    if (pid != ::getpid()) members.push_back(pid);
  }
  if (!ours && GroupsIn(group).empty() && WriteCgroupFile(group / "cgroup.kill", "1") == 0) return;
  for (const pid_t pid : members) ::kill(pid, SIGKILL);
}

// How the name of a group for `name` ends.
std::string PlainEnd(std::string_view name) {
  std::string end = "-";
  for (const char c : name.substr(0, kMaxNameBytes)) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    end += plain ? c : '-';
  }
  return end;
}

bool HasController(const std::filesystem::path& group, std::string_view controller) {
  return HasWord(Split(ReadProcFile((group / "cgroup.controllers").native()), '\n')[0], ' ', controller);
}

}  // namespace

std::optional<CgroupPlace> FindCgroup(std::string_view mountinfo, std::string_view cgroup, int version,
                                      std::string_view controller) {
  const std::optional<Mount> mount = FindMount(mountinfo, version, controller);
  const std::optional<std::string> own = OwnPath(cgroup, version, controller);
  if (!mount.has_value() || !own.has_value()) return std::nullopt;
  // In a container the mount may begin in the middle of the hierarchy.
  std::string below = *own;
  if (mount->root != "/") {
    if (below.compare(0, mount->root.size(), mount->root) != 0) return std::nullopt;
    below.erase(0, mount->root.size());
  }
  while (!below.empty() && below.front() == '/') below.erase(0, 1);
  if (below.compare(0, 2, "..") == 0) return std::nullopt;
  CgroupPlace place;
  place.version = version;
  place.mount = mount->point;
  place.own = below.empty() ? place.mount : place.mount / below;
  return place;
}

std::optional<CgroupPlace> FindCgroup(std::string_view mountinfo, std::string_view cgroup,
                                      std::string_view controller) {
  std::optional<CgroupPlace> place = FindCgroup(mountinfo, cgroup, 1, controller);
  return place.has_value() ? place : FindCgroup(mountinfo, cgroup, 2, controller);
}

std::optional<CgroupPlace> OwnCgroup(std::string_view controller, std::string& reason) {
  std::optional<CgroupPlace> place =
      FindCgroup(ReadProcFile("/proc/self/mountinfo"), ReadProcFile("/proc/self/cgroup"), controller);
  if (!place.has_value()) {
    reason = "no control groups with \"" + std::string(controller) + "\" are mounted here";
  }
  return place;
}

bool HandsOn(const std::filesystem::path& group, std::string_view controller) {
  return HasWord(Split(ReadProcFile((group / "cgroup.subtree_control").native()), '\n')[0], ' ', controller);
}

int WriteCgroupFile(const std::filesystem::path& file, std::string_view value) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.ok()) return errno;
  return ::write(fd.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size()) ? 0 : errno;
}

std::string CgroupName(std::string_view name, int64_t pid, int64_t number) {
  return "yardmaster-" + std::to_string(pid) + "-" + std::to_string(number) + PlainEnd(name);
}

void KillAndRemoveCgroup(const std::filesystem::path& group) {
  for (int i = 0; i < kRemoveTries; ++i) {
    for (const std::filesystem::path& below : GroupsIn(group)) {
      KillMembers(below);
      for (const std::filesystem::path& further : GroupsIn(below)) {
        KillMembers(further);
        ::rmdir(further.c_str());
      }
      ::rmdir(below.c_str());
    }
    if (::rmdir(group.c_str()) == 0 || errno == ENOENT) return;
    KillMembers(group);
    std::this_thread::sleep_for(kRemovePause);
  }
}

void RemoveCgroupsOf(std::string_view name, int64_t pid) {
  const std::string made_by = "yardmaster-" + std::to_string(pid) + "-";
  const std::string named = PlainEnd(name);
  for (const char* controller : {"pids", "memory"}) {
    std::string reason;
    const std::optional<CgroupPlace> place = OwnCgroup(controller, reason);
    if (!place.has_value()) continue;
    for (const std::filesystem::path& parent : {place->own, place->own.parent_path()}) {
      for (const std::filesystem::path& group : GroupsIn(parent)) {
        const std::string own = group.filename().native();
        if (own.starts_with("yardmaster-") && own.ends_with(named)) {
          KillAndRemoveCgroup(group);
        } else if (own.starts_with(made_by)) {
          ::rmdir(group.c_str());
        }
      }
    }
  }
}

bool MakeRoomForCgroups(std::string& reason) {
  const std::optional<CgroupPlace> place = OwnCgroup("memory", reason);
  return place.has_value() && MakeRoomForCgroupsAt(*place, reason);
}

bool MakeRoomForCgroupsAt(const CgroupPlace& place, std::string& reason) {
  if (place.version == 1) return true;
  // Started by one that has made room: it is there.
  if (place.own.filename() == kLeafName) return true;
  const std::filesystem::path leaf = place.own / kLeafName;
  const auto refused = [&](const std::string& what, int error) {
    reason = "can't " + what + ": " + std::strerror(error);
    return false;
  };
  // The group at the very top has no type, and may have both.
  const bool top = !std::filesystem::exists(place.own / "cgroup.type");
  if (!top) {
    if (::mkdir(leaf.c_str(), 0755) != 0 && errno != EEXIST) return refused("make " + leaf.native(), errno);
    if (const int error = WriteCgroupFile(leaf / "cgroup.procs", "0"); error != 0) {
      return refused("move to " + leaf.native(), error);
    }
  }
  for (const char* controller : {"memory", "pids"}) {
    if (!HasController(place.own, controller) || HandsOn(place.own, controller)) continue;
    const int error = WriteCgroupFile(place.own / "cgroup.subtree_control", "+" + std::string(controller));
    if (error == EBUSY) {
      reason = "other processes are in the control group " + place.own.native() +
               ": start the worker in one of its own, with Delegate=yes, as deploy/systemd/yard-worker.service does";
      return false;
    }
    if (error != 0) {
      return refused("hand " + std::string(controller) + " on to groups below " + place.own.native(), error);
    }
  }
  return true;
}

}  // namespace yardmaster::worker
