// Whether the gate of a pull request must not be disturbed by a push.
#ifndef YARDMASTER_SERVICES_PIPELINE_GATE_HOLD_H_
#define YARDMASTER_SERVICES_PIPELINE_GATE_HOLD_H_

#include <string>

#include "absl/status/statusor.h"
#include "clients/forge/forge_pulls.h"
#include "services/core/clock.h"
#include "services/core/config/config.h"
#include "services/intake/configured_forge.h"
#include "services/packs/registry/pack_registry.h"
#include "services/pipeline/gate_source.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// What is asked about gates. References outlive the call.
struct GateHoldEnvironment {
  const Config& config;
  const PackSet& packs;
  GateSource& gates;
  const ConfiguredForges& forges;
  const Clock& clock;
};

// Where the profile says `no_push_while_running`, and the gate of a pull request runs that comes from `branch`: which,
// in which phase it is and why. Empty: nothing keeps anybody from pushing there. `subject`: a pull request of the
// repository whose gates are meant; it is one of them if `branch` is its own. Waits for the network only where the
// profile says so. Errors are the source's and the forge's.
absl::StatusOr<std::string> WhyGateHolds(const GateHoldEnvironment& env, const v1::Subject& subject,
                                         const std::string& pack, const ForgePullHead& branch);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PIPELINE_GATE_HOLD_H_
