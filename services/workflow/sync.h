// `sync`: a branch of the fork, and the one of that name here, go forward to where the main repository's is.
#ifndef YARDMASTER_SERVICES_WORKFLOW_SYNC_H_
#define YARDMASTER_SERVICES_WORKFLOW_SYNC_H_

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"
#include "clients/git/git_remotes.h"
#include "services/workflow/result.h"

namespace yardmaster::workflow {

struct SyncRequest {
  std::filesystem::path repo;
  std::string branch;    // empty: the default branch of upstream
  bool dry_run = false;  // fetches nothing: the branch is taken as last fetched
  std::string time;      // now, "YYYYMMDDTHHMMSSZ"
};
absl::StatusOr<Result> Sync(const SyncRequest& request, const GitRemotes& remotes);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_SYNC_H_
