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
  uint32_t memory_mb = 0;  // 0: none of its own
  uint32_t files = 1'048'576;
};

// How long a job may take in all, as far as the control plane sees it; the time limits of a suite are its worker's.
struct JobTimesConfig {
  std::chrono::minutes queue{24 * 60};  // waiting for devices
  std::chrono::minutes start{30};       // with devices, until its first process
  std::chrono::minutes run{24 * 60};    // from there on, where its suite has no limit of its own
  std::chrono::minutes finish{2 * 60};  // after its last process, until all is uploaded
};

// Whether code of people without rights in the repository is tested.
enum class ForkPolicy : uint8_t { kApprove, kNever, kAlways };

struct DispatchConfig {
  std::string engine = "local";  // what places jobs on machines; whether it is there is known to services/dispatch
  ForkPolicy fork_policy = ForkPolicy::kApprove;
  uint32_t max_attempts = 3;                 // runs of a job at most
  std::chrono::seconds lease{30};            // so long may a worker be silent
  std::chrono::hours artifact_age{24 * 30};  // uploaded files are removed when they are older
  RunLimitsConfig limits;
  JobTimesConfig times;
  // Globs on "pack/id": suites that have the host's network in the pool "untrusted", if they ask for it.
  std::vector<std::string> untrusted_network;
  uint64_t artifact_bytes = uint64_t{20} * 1024 * 1024 * 1024;  // of all uploaded files
};

// Reads the member "dispatch" of the daemon's configuration.
DispatchConfig ReadDispatchConfig(ObjectReader& reader);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_CONFIG_DISPATCH_CONFIG_H_
