#include "services/yardworker/memory_share.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "services/core/limits.h"

namespace yardmaster::yardworker {

uint64_t MemoryShareMb(uint64_t all_mb, const std::vector<v1::WorkerDevice>& of_worker,
                       const std::vector<std::string>& of_run) {
  struct Count {
    uint64_t all = 0;
    uint64_t of_run = 0;
  };
  const std::set<std::string_view> mine(of_run.begin(), of_run.end());
  std::map<std::string_view, Count> kinds;
  uint64_t found = 0;
  for (const v1::WorkerDevice& device : of_worker) {
    Count& count = kinds[device.kind()];
    ++count.all;
    if (!mine.contains(device.id())) continue;
    ++count.of_run;
    ++found;
  }
  if (kinds.empty() || found < mine.size()) {
    Count& gone = kinds[""];
    gone.all = gone.of_run = std::max<uint64_t>(mine.size() - found, 1);
  }
  uint64_t share = 0;
  for (const auto& [kind, count] : kinds) share += all_mb / kinds.size() * count.of_run / count.all;
  return std::max<uint64_t>(share, 1);
}

void LimitMemory(uint64_t all_mb, const std::vector<v1::WorkerDevice>& of_worker, v1::RunOrder& order) {
  if (all_mb == 0) return;
  const uint64_t share = MemoryShareMb(all_mb, of_worker, {order.devices().begin(), order.devices().end()});
  v1::RunLimits& limits = *order.mutable_limits();
  limits.set_memory_mb(static_cast<uint32_t>(LeastLimit(limits.memory_mb(), share)));
}

}  // namespace yardmaster::yardworker
