// What a command of the workflow stands on: a clone, and unless it is a dry run its journal, which is held meanwhile.
#ifndef YARDMASTER_SERVICES_WORKFLOW_WORKSPACE_H_
#define YARDMASTER_SERVICES_WORKFLOW_WORKSPACE_H_

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/git_clone.h"
#include "clients/git/git_repository.h"
#include "services/workflow/journal.h"
#include "services/workflow/operation.h"

namespace yardmaster::workflow {

// Why a command that writes may not begin in this state of a clone, and what helps.
struct Refusal {
  std::string reason;
  std::string fix;
};

std::optional<Refusal> WhyNotWritable(const GitCloneState& state);

struct Workspace {
  std::unique_ptr<GitClone> clone;
  std::unique_ptr<GitRepository> repository;
  std::unique_ptr<Journal> journal;  // null in a dry run
  GitCloneState state;
  std::vector<std::string> owed;  // pushes that killed commands owe

  // The branch that is checked out: "feat/x"; empty: none is.
  std::string branch() const;
  // An id that no operation has; `time` is "YYYYMMDDTHHMMSSZ".
  std::string NewId(const std::string& time) const;
  // Carries the operation out; nothing in a dry run.
  absl::Status Do(Operation operation) const;
};

// ABORTED: another command works in this clone.
absl::StatusOr<Workspace> OpenWorkspace(const std::filesystem::path& repo, bool dry_run);

inline constexpr std::string_view kBranchPrefix = "refs/heads/";

// Where an operation keeps what a ref of a branch was.
std::string BackupRef(const std::string& id, const std::string& branch);

// main, master, develop, release, hotfix, and what lies below the last two.
bool IsProtectedBranch(std::string_view branch);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_WORKSPACE_H_
