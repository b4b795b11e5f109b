// `backport`: a commit once more on another branch of the main repository, as a branch of its own in the fork. HEAD,
// index and files stay as they are.
#ifndef YARDMASTER_SERVICES_WORKFLOW_BACKPORT_H_
#define YARDMASTER_SERVICES_WORKFLOW_BACKPORT_H_

#include <cstdint>
#include <filesystem>
#include <string>

#include "absl/status/statusor.h"
#include "clients/git/git_remotes.h"
#include "services/workflow/fork.h"
#include "services/workflow/result.h"

namespace yardmaster::workflow {

struct BackportRequest {
  std::filesystem::path repo;
  std::string commit;  // a revision, or a range "A..B"
  std::string to;      // the branch of the main repository: "release/2.0"
  bool push = true;
  bool dry_run = false;  // writes nothing, not even objects; the branch is taken as last fetched
  std::string time;      // now, "YYYYMMDDTHHMMSSZ"
};
// `git` signs the commits where commit.gpgSign says so.
absl::StatusOr<Result> Backport(const BackportRequest& request, GitProgram& git, const GitRemotes& remotes);

// The commits of a pull request that is open or merged; `request.commit` plays no part.
absl::StatusOr<Result> BackportPull(BackportRequest request, int64_t number, const Fork& fork, GitProgram& git);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_BACKPORT_H_
