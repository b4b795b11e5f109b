#include "services/workflow/branch_push.h"

#include "absl/strings/str_cat.h"
#include "clients/git/remote_url.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster::workflow {

absl::Status BranchPush::Look(const GitRemotes& remotes, GitRepository& repository, const std::string& head) {
  ASSIGN_OR_RETURN(const std::string url, remotes.Url(remote_));
  fix_ = url.empty() ? absl::StrCat("git remote add ", remote_, " URL, or --no-push")
                     : absl::StrCat("git remote set-url --push ", remote_, " ", WithoutCredentials(url));
  RETURN_IF_ERROR(remotes.PushesWhereItFetches(remote_));
  ASSIGN_OR_RETURN(const std::string upstream, remotes.Url("upstream"));
  if (!upstream.empty() && SameRepository(url, upstream)) {
    fix_ = absl::StrCat("fork it, and git remote set-url ", remote_, " YOUR-FORK");
    return errors::GitOriginIsUpstream();
  }
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
  if (absl::IsFailedPrecondition(status)) refused.fix = fix_;
  return refused;
}

absl::StatusOr<Result> PushOwed(const Workspace& work, const OwedPush& owed, const GitRemotes& remotes, Result result) {
  const bool planned = work.journal == nullptr;
  BranchPush push(owed.remote, owed.branch, owed.replaces);
  absl::Status status = push.Look(remotes, *work.repository, owed.new_id);
  const bool as_found = !owed.replaces || push.there() == owed.old_id || push.there() == owed.new_id;
  if (status.ok() && !as_found) {
    status = errors::GitPushRejected("refs/heads/" + owed.branch, "it is not where it was before that command");
  }
  if (status.ok() && !planned) status = push.Send(remotes, owed.new_id);
  if (!status.ok()) return push.Refused(std::move(result), status);
  RETURN_IF_ERROR(work.NotePushed(owed.branch, owed.new_id, result));
  result.outcome = Result::Outcome::kDone;
  if (push.there() != owed.new_id) result.pushed.push_back(push.Done(owed.new_id));
  result.steps.push_back(
      {"push", planned ? "planned" : "done",
       absl::StrCat("to ", owed.remote, "/", owed.branch, ", which ", owed.command, " ", owed.id, " did not get to")});
  return result;
}

}  // namespace yardmaster::workflow
