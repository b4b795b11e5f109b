// Tests that must pass before something is pushed.
#ifndef YARDMASTER_SERVICES_WORKFLOW_GATE_H_
#define YARDMASTER_SERVICES_WORKFLOW_GATE_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/git/git_repository.h"
#include "services/workflow/result.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {

// Runs what it runs for a change of these files, and adds what it did to `steps`. nullopt: go on. Nothing of the clone
// has changed when it is asked.
using Gate = std::function<absl::StatusOr<std::optional<Refusal>>(const std::vector<std::string>& paths,
                                                                  std::vector<Step>& steps)>;

// The paths that `head` has and `base`, an ancestor, has not or has otherwise; in order. Commits by their ids.
absl::StatusOr<std::vector<std::string>> PathsChanged(GitRepository& repository, const std::string& base,
                                                      const std::string& head);

// The same for a clone as it is now: its commits since it left the main repository's default branch, as last fetched,
// and what is not committed. Without such a branch only the latter.
absl::StatusOr<std::vector<std::string>> PathsChangedHere(const Workspace& work);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_GATE_H_
