#include "services/worker/process/memory_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/escaping.h"
#include "services/core/absl_view.h"
#include "services/core/lines.h"
#include "services/worker/process/process_table.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxNameBytes = 64;
// How long a group that can't be removed yet is tried again: what was killed in it has to go first.
constexpr std::chrono::milliseconds kRemovePause{5};
constexpr int kRemoveTries = 1000;

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

// Writes to a file of a control group; 0 or errno. Never makes a file.
int WriteControl(const std::filesystem::path& file, std::string_view value) {
  const UniqueFd fd(::open(file.c_str(), O_WRONLY | O_CLOEXEC));
  if (!fd.ok()) return errno;
  return ::write(fd.get(), value.data(), value.size()) == static_cast<ssize_t>(value.size()) ? 0 : errno;
}

// The groups below which a new one may get a limit, best first.
std::vector<std::filesystem::path> Parents(const CgroupPlace& place, std::string& reason) {
  if (place.version == 1) return {place.own};
  // Version 2: a group hands the controller on to its children or has processes, not both, except at the very top.
  // So usually it is our neighbours' place, below the group that handed it to us.
  std::vector<std::filesystem::path> parents;
  const auto hands_on = [](const std::filesystem::path& group) {
    const std::string controllers = ReadProcFile((group / "cgroup.subtree_control").native());
    return HasWord(Split(controllers, '\n')[0], ' ', "memory");
  };
  if (hands_on(place.own) || WriteControl(place.own / "cgroup.subtree_control", "+memory") == 0) {
    parents.push_back(place.own);
  }
  if (place.own != place.mount && hands_on(place.own.parent_path())) parents.push_back(place.own.parent_path());
  if (parents.empty()) reason = "the memory controller is not delegated to " + place.own.native();
  return parents;
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

std::optional<CgroupPlace> FindMemoryCgroup(std::string_view mountinfo, std::string_view cgroup, std::string& reason) {
  // Where both are mounted a controller is in one of them only; version 1 says in which.
  if (std::optional<CgroupPlace> place = FindCgroup(mountinfo, cgroup, 1, "memory")) return place;
  if (std::optional<CgroupPlace> place = FindCgroup(mountinfo, cgroup, 2, "memory")) return place;
  reason = "no control groups with memory are mounted here";
  return std::nullopt;
}

std::optional<int64_t> CounterIn(std::string_view text, std::string_view name) {
  for (const std::string_view line : LinesOf(text)) {
    const std::vector<std::string_view> words = Split(line, ' ', 2);
    if (words.size() < 2 || words[0] != name) continue;
    const std::optional<uint64_t> value = NumberOf(words[1]);
    return value.has_value() ? std::optional<int64_t>(*value) : std::nullopt;
  }
  return std::nullopt;
}

std::optional<int64_t> HostOomKills() { return CounterIn(ReadProcFile("/proc/vmstat"), "oom_kill"); }

std::string CgroupName(std::string_view name, int64_t pid, int64_t number) {
  std::string result = "yardmaster-" + std::to_string(pid) + "-" + std::to_string(number) + "-";
  for (const char c : name.substr(0, kMaxNameBytes)) {
    const bool plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    result += plain ? c : '-';
  }
  return result;
}

std::unique_ptr<CgroupMemory> CgroupMemory::Make(std::string_view name, uint64_t limit_bytes, std::string& reason) {
  const std::optional<CgroupPlace> place =
      FindMemoryCgroup(ReadProcFile("/proc/self/mountinfo"), ReadProcFile("/proc/self/cgroup"), reason);
  return place.has_value() ? MakeAt(*place, name, limit_bytes, reason) : nullptr;
}

std::unique_ptr<CgroupMemory> CgroupMemory::MakeAt(const CgroupPlace& place, std::string_view name,
                                                   uint64_t limit_bytes, std::string& reason) {
  static std::atomic<int64_t> made{0};
  for (const std::filesystem::path& parent : Parents(place, reason)) {
    const std::filesystem::path folder = parent / CgroupName(name, ::getpid(), ++made);
    if (::mkdir(folder.c_str(), 0755) != 0) {
      reason = "can't make a control group in " + parent.native() + ": " + std::strerror(errno);
      continue;
    }
    std::unique_ptr<CgroupMemory> group(new CgroupMemory(place.version, folder));
    if (group->Limit(limit_bytes, reason)) return group;
  }
  return nullptr;
}

bool CgroupMemory::Limit(uint64_t limit_bytes, std::string& reason) const {
  const std::string limit = std::to_string(limit_bytes);
  const bool first = version_ == 1;
  const std::filesystem::path file = folder_ / (first ? "memory.limit_in_bytes" : "memory.max");
  const int error = WriteControl(file, limit_bytes > 0 ? limit : first ? "-1" : "max");
  if (error != 0) {
    reason = "can't write " + file.native() + ": " + std::strerror(error);
    return false;
  }
  // Swap is memory, too; not every kernel counts it.
  if (limit_bytes > 0 && first) WriteControl(folder_ / "memory.memsw.limit_in_bytes", limit);
  if (limit_bytes > 0 && !first) WriteControl(folder_ / "memory.swap.max", "0");
  // Ranks of one job wait for each other for ever when one of them is gone.
  if (!first) WriteControl(folder_ / "memory.oom.group", "1");
  return true;
}

CgroupMemory::~CgroupMemory() {
  for (int i = 0; i < kRemoveTries && ::rmdir(folder_.c_str()) != 0 && errno != ENOENT; ++i) {
    if (WriteControl(folder_ / "cgroup.kill", "1") != 0) {
      const std::string pids = ReadProcFile((folder_ / "cgroup.procs").native());
      for (const std::string_view line : Split(pids, '\n')) {
        const uint64_t pid = NumberOf(line).value_or(0);
        if (pid > 0) ::kill(static_cast<pid_t>(pid), SIGKILL);
      }
    }
    std::this_thread::sleep_for(kRemovePause);
  }
}

int64_t CgroupMemory::oom_kills() const {
  const char* file = version_ == 1 ? "memory.oom_control" : "memory.events";
  return CounterIn(ReadProcFile((folder_ / file).native()), "oom_kill").value_or(0);
}

uint64_t CgroupMemory::peak_bytes() const {
  const char* file = version_ == 1 ? "memory.max_usage_in_bytes" : "memory.peak";
  return NumberOf(TrimBlanks(ReadProcFile((folder_ / file).native()))).value_or(0);
}

UniqueFd CgroupMemory::OpenProcs() const {
  return UniqueFd(::open((folder_ / "cgroup.procs").c_str(), O_WRONLY | O_CLOEXEC));
}

}  // namespace yardmaster::worker
