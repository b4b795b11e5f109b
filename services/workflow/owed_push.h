// What a command that was killed, or whose forge did not answer, did not get to push.
#ifndef YARDMASTER_SERVICES_WORKFLOW_OWED_PUSH_H_
#define YARDMASTER_SERVICES_WORKFLOW_OWED_PUSH_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/git/git_clone.h"
#include "clients/git/git_repository.h"
#include "services/workflow/operation.h"

namespace yardmaster::workflow {

struct OwedPush {
  std::string id;  // of the operation
  std::string command;
  std::string branch;
  std::string remote;
  std::string old_id;     // where the branch was before the command; empty: it was not there
  std::string new_id;     // what is to be pushed
  bool replaces = false;  // what is to be pushed does not contain what there was
};

// Where a branch has moved since, or the remote is known to have it, nothing is owed.
absl::StatusOr<std::vector<OwedPush>> OwedPushes(GitClone& clone, GitRepository& repository,
                                                 const std::vector<Operation>& operations);

// In words, with the way to do it.
std::string OwedText(const OwedPush& owed);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_OWED_PUSH_H_
