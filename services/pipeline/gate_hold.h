// Whether the gate of a pull request must not be disturbed by a push.
#ifndef YARDMASTER_SERVICES_PIPELINE_GATE_HOLD_H_
#define YARDMASTER_SERVICES_PIPELINE_GATE_HOLD_H_

#include <string>

#include "absl/status/statusor.h"
#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/packs/registry/pack_registry.h"
#include "services/pipeline/gate_source.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// Where the profile says `no_push_while_running`, and the gate runs: in which phase it is and why. Empty: nothing keeps
// anybody from pushing. Waits for the network only where the profile says so. Errors are the source's.
absl::StatusOr<std::string> WhyGateHolds(const Config& config, const PackSet& packs, GateSource& gates,
                                         const Clock& clock, const v1::Subject& subject, const std::string& pack);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PIPELINE_GATE_HOLD_H_
