// `squash`: the commits of a branch become one on the merge base. The tree of the branch stays as it is, byte by byte:
// what its base has gained since is neither taken in nor taken back.
#ifndef YARDMASTER_SERVICES_WORKFLOW_SQUASH_H_
#define YARDMASTER_SERVICES_WORKFLOW_SQUASH_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "clients/git/git_clone.h"
#include "clients/git/git_repository.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {

struct SquashPlan {
  std::optional<Refusal> refused;
  bool nothing = false;  // there is one commit or none
  GitNewCommit commit;
};

// Pure. `commits`: those between `merge_base` and the branch, oldest first. `message`: empty for SquashedMessage.
SquashPlan PlanSquash(const GitCloneState& state, const std::string& merge_base, const std::vector<GitCommit>& commits,
                      const std::string& message);

// The first subject, what all commits say, and at the end each trailer once.
std::string SquashedMessage(const std::vector<GitCommit>& commits);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_SQUASH_H_
