#include "services/yardworker/containment.h"

#include <unistd.h>

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "services/core/files.h"
#include "services/core/status_macros.h"
#include "services/yardworker/device_groups.h"
#include "services/yardworker/means.h"
#include "services/yardworker/run_order.h"
#include "services/yardworker/sandbox.h"
#include "services/yardworker/syscall_filter.h"

namespace yardmaster::yardworker {

absl::StatusOr<Containment> Contain(const RunFolder& folder, const v1::RunOrder& order, ContainmentScope scope,
                                    worker::ProcessStarter& starter) {
  const std::vector<Mean> means = FindMeans();
  const bool untrusted = IsUntrusted(order);
  Containment containment;
  for (const Mean& mean : means) {
    if (mean.missing.empty()) continue;
    const std::string what = absl::StrCat("not contained by ", mean.name, ": ", mean.missing);
    if (untrusted) return absl::UnavailableError(what);
    containment.notes.push_back(what);
  }
  const v1::RunLimits limits = LimitsOf(order);
  std::string reason;
  if (worker::ProcessLimit::Possible(reason)) {
    containment.processes = worker::ProcessLimit::Enter(folder.Mark(), limits.processes(), reason);
    if (containment.processes == nullptr) {
      if (untrusted && ::geteuid() == 0) return absl::UnavailableError(reason);
      containment.notes.push_back(reason);
    }
  }
  std::unique_ptr<worker::MemoryGroup> memory;
  if (limits.memory_mb() > 0) {
    memory = starter.MakeMemoryGroup(folder.Mark(), limits.memory_mb() * kBytesOfMib, reason);
    if (memory == nullptr && untrusted) {
      return absl::UnavailableError(absl::StrCat("its memory can't be limited: ", reason));
    }
  }
  if (!IsThere(means, "namespaces")) return containment;
  SandboxPolicy policy;
  policy.readable = std::move(scope.readable);
  policy.readable.push_back(folder.temp());
  policy.readable.push_back(folder.result());
  policy.writable = {folder.source(), folder.result() / "build", folder.result() / "sources"};
  if (scope.tree != nullptr) {
    policy.writable.insert(policy.writable.end(), {scope.tree->source(), scope.tree->build()});
  }
  if (scope.cache.enabled()) {
    policy.writable.push_back(scope.cache.ccache());
    policy.fetched_into.push_back(scope.cache.objects());
  }
  policy.temp = folder.temp() / "tmp";
  if (IsThere(means, "seccomp")) {
    policy.filter = folder.path() / "syscalls";
    RETURN_IF_ERROR(WriteFileAtomically(policy.filter, SyscallFilter()));
  }
  policy.device_nodes = DeviceNodesOf(scope.devices, NvidiaMinorOf);
  JoinGroupsOf(policy.device_nodes);
  policy.network = scope.network && order.network();
  policy.processes = containment.processes == nullptr && ::geteuid() != 0 ? limits.processes() : 0;
  policy.file_bytes = limits.disk_mb() * kBytesOfMib;
  policy.core_bytes = limits.core_mb() * kBytesOfMib;
  containment.starter = std::make_unique<ContainedStarter>(starter, std::move(policy), std::move(memory));
  return containment;
}

}  // namespace yardmaster::yardworker
