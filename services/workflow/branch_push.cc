#include "services/workflow/branch_push.h"

#include "absl/strings/str_cat.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster::workflow {

absl::Status BranchPush::Look(const GitRemotes& remotes, GitRepository& repository, const std::string& head) {
  ASSIGN_OR_RETURN(const std::string url, remotes.Url(remote_));
  if (url.empty()) return errors::GitRemoteMissing(remote_);
  ASSIGN_OR_RETURN(there_, remotes.Ref(remote_, ref()));
  if (there_.empty() || there_ == head) return absl::OkStatus();
  // A commit that is not here is not contained, either.
  const absl::StatusOr<std::string> common = repository.MergeBase(there_, head);
  forced_ = !common.ok() || *common != there_;
  if (forced_ && !force_) return errors::GitPushRejected(ref(), "it has commits that are not here");
  return absl::OkStatus();
}

absl::Status BranchPush::Send(const GitRemotes& remotes, const std::string& id) const {
  if (there_ == id) return absl::OkStatus();
  return remotes.Push({remote_, ref(), there_, id});
}

PushedRef BranchPush::Done(const std::string& id) const { return {remote_, {ref(), there_, id}, forced_}; }

absl::StatusOr<Result> BranchPush::Refused(Result result, const absl::Status& status) const {
  ASSIGN_OR_RETURN(Result refused, RefuseOrFail(std::move(result), status));
  if (absl::IsAborted(status)) refused.fix = absl::StrCat("git pull --rebase ", remote_, " ", branch_);
  if (absl::IsFailedPrecondition(status)) {
    refused.fix = absl::StrCat("git remote add ", remote_, " URL, or --no-push");
  }
  return refused;
}

}  // namespace yardmaster::workflow
