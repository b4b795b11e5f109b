#include "services/yardworker/means.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "services/core/files.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/process/cgroup.h"
#include "services/worker/process/memory_group.h"
#include "services/worker/process/process_limit.h"
#include "services/yardworker/sandbox.h"
#include "services/yardworker/syscall_filter.h"

namespace yardmaster::yardworker {
namespace {

constexpr std::chrono::seconds kTrialPatience{10};

// Starts a program as a run's are started, with the filter of system calls in a file, or without one.
std::string SandboxMissing(const std::filesystem::path& filter) {
  SandboxPolicy policy;
  policy.filter = filter;
  policy.processes = 64;
  policy.file_bytes = 1 << 20;
  worker::ProcessSpec spec;
  spec.argv = {"true"};
  spec.directory = "/";
  const absl::StatusOr<worker::ToolOutput> trial =
      worker::MakeToolRunner(kTrialPatience)->Run(SandboxCommand(policy, spec));
  if (!trial.ok()) return std::string(trial.status().message());
  if (trial->exit_code == 0) return "";
  if (trial->exit_code == 127) {
    return "bwrap, or prlimit, is not installed: install the packages bubblewrap and util-linux";
  }
  const std::string first = std::vector<std::string>(absl::StrSplit(trial->err, '\n')).front();
  return absl::StrCat("bubblewrap can't make them here", first.empty() ? "" : ": ", first);
}

std::string NamespacesMissing() { return SandboxMissing({}); }

std::string FilterMissing() {
  if (SyscallFilter().empty()) return "there is no filter for this processor's system calls";
  std::error_code error;
  std::string folder = (std::filesystem::temp_directory_path(error) / "yard-trial-XXXXXX").native();
  if (::mkdtemp(folder.data()) == nullptr) return absl::StrCat("can't make ", folder);
  const std::filesystem::path filter = std::filesystem::path(folder) / "filter";
  const absl::Status written = WriteFileAtomically(filter, SyscallFilter());
  std::string missing = written.ok() ? SandboxMissing(filter) : std::string(written.message());
  std::filesystem::remove_all(folder, error);
  return missing;
}

std::string ProcessesMissing() {
  std::string reason;
  // Others have the limit of a user's processes, which does not hold for root.
  if (worker::ProcessLimit::Possible(reason) || ::geteuid() != 0) return "";
  return reason;
}

std::string MemoryMissing() {
  constexpr uint64_t kTrialBytes = 64 * 1024 * 1024;
  std::string reason;
  return worker::CgroupMemory::Make("trial", kTrialBytes, reason) != nullptr ? "" : reason;
}

struct MeanRow {
  const char* name;
  const char* does;
  std::string (*missing)();
  bool by_groups;  // control groups
};

// The table: a row for each means.
constexpr MeanRow kMeans[] = {
    {"namespaces", "sees other processes, runs and files, reaches the network, or outlives its end", NamespacesMissing,
     false},
    {"seccomp", "makes system calls that no build or test needs", FilterMissing, false},
    {"processes", "takes all processes of the host", ProcessesMissing, true},
    {"memory", "takes all memory of the host", MemoryMissing, true},
};

}  // namespace

std::vector<Mean> FindMeans() {
  std::string no_room;
  worker::MakeRoomForCgroups(no_room);
  std::vector<Mean> means;
  means.reserve(std::size(kMeans));
  for (const MeanRow& row : kMeans) {
    means.push_back({row.name, row.does, row.missing()});
    // What keeps us from groups of our own is more than that there are none.
    if (row.by_groups && !means.back().missing.empty() && !no_room.empty()) means.back().missing = no_room;
  }
  return means;
}

bool AllThere(const std::vector<Mean>& means) {
  return std::all_of(means.begin(), means.end(), [](const Mean& mean) { return mean.missing.empty(); });
}

bool IsThere(const std::vector<Mean>& means, const std::string& name) {
  return std::any_of(means.begin(), means.end(),
                     [&](const Mean& mean) { return mean.name == name && mean.missing.empty(); });
}

}  // namespace yardmaster::yardworker
