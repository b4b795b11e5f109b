// What the daemon's configuration says about runs of suites on attached runners.
#ifndef YARDMASTER_SERVICES_CORE_CONFIG_DISPATCH_CONFIG_H_
#define YARDMASTER_SERVICES_CORE_CONFIG_DISPATCH_CONFIG_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "services/core/json_reader.h"

namespace yardmaster {

// What a run may use up; see RunLimits of runner.proto.
struct RunLimitsConfig {
  uint32_t processes = 4'096;
  uint32_t disk_mb = 15 * 1024;
  uint32_t log_mb = 1'024;
  uint32_t core_mb = 64;
};

// Whether code of people without rights in the repository is tested.
enum class ForkPolicy : uint8_t { kApprove, kNever, kAlways };

struct DispatchConfig {
  ForkPolicy fork_policy = ForkPolicy::kApprove;
  uint32_t max_attempts = 3;                 // runs of a job at most
  std::chrono::seconds lease{30};            // so long may a worker be silent
  std::chrono::hours artifact_age{24 * 30};  // uploaded files are removed when they are older
  RunLimitsConfig limits;
  uint64_t artifact_bytes = uint64_t{20} * 1024 * 1024 * 1024;  // of all uploaded files
};

// Reads the member "dispatch" of the daemon's configuration. `later` gets the keys that were checked, but that nothing
// acts upon yet.
DispatchConfig ReadDispatchConfig(ObjectReader& reader, std::vector<std::string>& later);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CONFIG_DISPATCH_CONFIG_H_
