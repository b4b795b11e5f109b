// Where the gate of a pull request stands, by what its labels alone say: without a server, its comments and its builds.
#ifndef YARDMASTER_CLIENTS_CLI_GATE_PHASE_H_
#define YARDMASTER_CLIENTS_CLI_GATE_PHASE_H_

#include <string>

#include "absl/status/status.h"
#include "clients/cli/session.h"
#include "services/workflow/result.h"

namespace yardmaster::cli {

// Fills `gate_pack` and `gate_phase` of a pull request of `repository` ("owner/name"), where a pack that has suites of
// it has a profile of its gate. A pack that is bad is an error of usage.
absl::Status AddGatePhase(const Session& session, const std::string& repository, workflow::PullRequest& pull);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_GATE_PHASE_H_
