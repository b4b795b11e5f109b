// `commit`: tracked changes become a commit on the branch, and the branch is pushed to the fork. Files of the work tree
// stay as they are, hooks of the clone run, and what is left out is named.
#ifndef YARDMASTER_SERVICES_WORKFLOW_COMMIT_H_
#define YARDMASTER_SERVICES_WORKFLOW_COMMIT_H_

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"
#include "clients/git/git_program.h"
#include "clients/git/git_remotes.h"
#include "services/workflow/commit_message.h"
#include "services/workflow/preview.h"
#include "services/workflow/result.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {

struct CommitRequest {
  std::filesystem::path repo;
  std::string message;                     // empty: "Update FILE", which needs `yes`
  Language language = Language::kEnglish;  // of a message that is made
  bool yes = false;
  Preview preview;  // accepts the message where nobody gave one and `yes` is not said; empty: that is an error
  bool push = true;
  bool keep_years = false;  // copyright lines stay as they are
  bool amend = false;       // the last commit is replaced; without a message it keeps its own
  bool dry_run = false;     // writes nothing, not even objects; hooks do not run
  std::string time;         // now, "YYYYMMDDTHHMMSSZ"
};
// INVALID_ARGUMENT: a message is needed.
absl::StatusOr<Result> Commit(const CommitRequest& request, GitProgram& git, const GitRemotes& remotes);

// As a part of a command that has begun: `result` is that command's, and becomes that of the commit. Nothing is pushed;
// the operation says that it is to be if `request.push` does.
absl::StatusOr<Result> CommitIn(Workspace& work, const CommitRequest& request, GitProgram& git, Result result);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_COMMIT_H_
