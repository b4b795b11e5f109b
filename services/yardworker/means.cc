#include "services/yardworker/means.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/process/memory_group.h"
#include "services/worker/process/process_limit.h"
#include "services/yardworker/sandbox.h"

namespace yardmaster::yardworker {
namespace {

constexpr std::chrono::seconds kTrialPatience{10};

// Starts a program as a run's are started.
std::string NamespacesMissing() {
  SandboxPolicy policy;
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

std::string ProcessesMissing() {
  std::string reason;
  // The limit of a user's processes does not hold for root.
  if (::geteuid() != 0 || worker::ProcessLimit::Possible(reason)) return "";
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
};

// The table: a row for each means.
constexpr MeanRow kMeans[] = {
    {"namespaces", "sees other processes, runs and files, reaches the network, or outlives its end", NamespacesMissing},
    {"processes", "takes all processes of the host", ProcessesMissing},
    {"memory", "takes all memory of the host", MemoryMissing},
};

}  // namespace

std::vector<Mean> FindMeans() {
  std::vector<Mean> means;
  means.reserve(std::size(kMeans));
  for (const MeanRow& row : kMeans) means.push_back({row.name, row.does, row.missing()});
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
