#include "services/worker/process/memory_group.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstring>
#include <vector>

#include "services/core/lines.h"
#include "services/worker/process/process_table.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

// The groups below which a new one may get a limit, best first.
std::vector<std::filesystem::path> Parents(const CgroupPlace& place, std::string& reason) {
  if (place.version == 1) return {place.own};
  // Version 2: a group hands the controller on to its children or has processes, not both, except at the very top.
  // So usually it is our neighbours' place, below the group that handed it to us.
  std::vector<std::filesystem::path> parents;
  if (HandsOn(place.own, "memory") || WriteCgroupFile(place.own / "cgroup.subtree_control", "+memory") == 0) {
    parents.push_back(place.own);
  }
  if (place.own != place.mount && HandsOn(place.own.parent_path(), "memory")) {
    parents.push_back(place.own.parent_path());
  }
  if (parents.empty()) reason = "the memory controller is not delegated to " + place.own.native();
  return parents;
}

}  // namespace

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

std::unique_ptr<CgroupMemory> CgroupMemory::Make(std::string_view name, uint64_t limit_bytes, std::string& reason) {
  const std::optional<CgroupPlace> place = OwnCgroup("memory", reason);
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
  const int error = WriteCgroupFile(file, limit_bytes > 0 ? limit : first ? "-1" : "max");
  if (error != 0) {
    reason = "can't write " + file.native() + ": " + std::strerror(error);
    return false;
  }
  // Swap is memory, too; not every kernel counts it.
  if (limit_bytes > 0 && first) WriteCgroupFile(folder_ / "memory.memsw.limit_in_bytes", limit);
  if (limit_bytes > 0 && !first) WriteCgroupFile(folder_ / "memory.swap.max", "0");
  // Ranks of one job wait for each other for ever when one of them is gone.
  if (!first) WriteCgroupFile(folder_ / "memory.oom.group", "1");
  return true;
}

CgroupMemory::~CgroupMemory() { KillAndRemoveCgroup(folder_); }

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
