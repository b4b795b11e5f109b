// Suites that `yard workflow` runs on a developer's clone: before a pull request, or for their own sake.
#ifndef YARDMASTER_CLIENTS_CLI_WORKFLOW_GATES_H_
#define YARDMASTER_CLIENTS_CLI_WORKFLOW_GATES_H_

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "clients/cli/session.h"
#include "clients/cli/test_suites.h"
#include "services/workflow/gate.h"

namespace yardmaster::cli {

// Which tests run: none, those of the change, or all.
enum class GateScope : uint8_t { kSkip, kChanged, kFull };

// "skip", "changed" or "full"; `option` is named where it is something else.
absl::StatusOr<GateScope> ParseGateScope(std::string_view text, std::string_view option);

// What is decided. What is not is asked on a terminal; where nobody can answer, --yes takes those of the change for
// unit tests and none for system tests, and without it a change of tests is INVALID_ARGUMENT that names the option.
struct GateChoice {
  std::optional<GateScope> unit;
  std::optional<GateScope> system;
  bool yes = false;
  bool dry_run = false;  // runs and asks nothing: what would run is told
};

// Of the suites that the packs have for a repository ("owner/name"): unit tests first. Results go to
// .git/yardmaster-results of the clone. `session` outlives the gate.
workflow::Gate MakeGate(Session& session, const std::filesystem::path& repo, const std::string& repository,
                        GateChoice choice);

// One suite on the clone. nullopt: it passed.
absl::StatusOr<std::optional<workflow::Refusal>> RunGateSuite(Session& session, const std::filesystem::path& repo,
                                                              const ChosenSuite& chosen, GateScope scope,
                                                              const std::vector<std::string>& paths,
                                                              std::vector<workflow::Step>& steps);

}  // namespace yardmaster::cli

#endif  // YARDMASTER_CLIENTS_CLI_WORKFLOW_GATES_H_
