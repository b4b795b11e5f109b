// A push of a branch to the branch of its name in a remote, only forwards: what is there is contained in what comes.
#ifndef YARDMASTER_SERVICES_WORKFLOW_BRANCH_PUSH_H_
#define YARDMASTER_SERVICES_WORKFLOW_BRANCH_PUSH_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/git_remotes.h"
#include "clients/git/git_repository.h"
#include "services/workflow/owed_push.h"
#include "services/workflow/result.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {

class BranchPush {
 public:
  // `force`: what is there need not be contained, but it must still be what Look saw.
  BranchPush(std::string remote, std::string branch, bool force = false)
      : remote_(std::move(remote)), branch_(std::move(branch)), force_(force) {}

  // Where the branch is there. ABORTED: it has commits that `head` has not. FAILED_PRECONDITION: there is no such
  // remote, or what is pushed would go to another repository than the one that is looked at.
  absl::Status Look(const GitRemotes& remotes, GitRepository& repository, const std::string& head);
  absl::Status Send(const GitRemotes& remotes, const std::string& id) const;

  const std::string& there() const { return there_; }  // after Look; empty: the branch is not there
  PushedRef Done(const std::string& id) const;
  // The result of a command whose Look or Send failed.
  absl::StatusOr<Result> Refused(Result result, const absl::Status& status) const;

 private:
  std::string ref() const { return "refs/heads/" + branch_; }

  const std::string remote_;
  const std::string branch_;
  const bool force_;
  std::string there_;
  std::string fix_;  // of FAILED_PRECONDITION
  bool forced_ = false;
};

// Pushes what a command that was ended owes, and tells it in `result`; nothing in a dry run. Only over what that
// command found there.
absl::StatusOr<Result> PushOwed(const Workspace& work, const OwedPush& owed, const GitRemotes& remotes, Result result);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_BRANCH_PUSH_H_
