// The commands of the workflow, carried out in a clone. What the user can change is a result; errors are for what is
// broken, and INVALID_ARGUMENT for what was asked wrongly.
#ifndef YARDMASTER_SERVICES_WORKFLOW_COMMANDS_H_
#define YARDMASTER_SERVICES_WORKFLOW_COMMANDS_H_

#include <filesystem>
#include <string>

#include "absl/status/statusor.h"
#include "clients/git/git_program.h"
#include "services/workflow/preview.h"
#include "services/workflow/result.h"

namespace yardmaster::workflow {

struct SquashRequest {
  std::filesystem::path repo;
  std::string base;     // a revision; empty: the default branch of upstream, else of origin, as last fetched
  std::string message;  // empty: made of those of the commits, which needs `yes`
  bool yes = false;
  Preview preview;       // as of CommitRequest
  bool dry_run = false;  // writes nothing, not even objects
  std::string time;      // now, "YYYYMMDDTHHMMSSZ"
};
// `git` signs the commit where commit.gpgSign says so.
absl::StatusOr<Result> Squash(const SquashRequest& request, GitProgram& git);

struct UndoRequest {
  std::filesystem::path repo;
  std::string id;  // empty: the last operation that is not undone
  bool list = false;
  bool dry_run = false;
};
absl::StatusOr<Result> Undo(const UndoRequest& request);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_COMMANDS_H_
