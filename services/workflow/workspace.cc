#include "services/workflow/workspace.h"

#include <algorithm>
#include <array>
#include <utility>

#include "absl/strings/str_cat.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

namespace yardmaster::workflow {

std::optional<Refusal> WhyNotWritable(const GitCloneState& state) {
  if (!state.in_progress.empty()) {
    return Refusal{absl::StrCat(state.in_progress, " is in progress"), "finish it or abort it"};
  }
  if (state.head_ref.empty()) return Refusal{"HEAD is detached", "git switch BRANCH"};
  if (state.head.empty()) return Refusal{"the branch has no commit yet", "commit first"};
  // Journal and answers are JSON.
  if (!IsValidUtf8(state.head_ref)) return Refusal{"the name of the branch is not UTF-8", "git branch -m NAME"};
  return std::nullopt;
}

std::string Workspace::branch() const {
  return state.head_ref.starts_with(kBranchPrefix) ? state.head_ref.substr(kBranchPrefix.size()) : std::string();
}

std::string Workspace::NewId(const std::string& time) const {
  return journal != nullptr ? journal->NewId(time) : time + "-1";
}

absl::Status Workspace::Do(Operation operation) const {
  return journal != nullptr ? journal->Do(std::move(operation)) : absl::OkStatus();
}

absl::StatusOr<Workspace> OpenWorkspace(const std::filesystem::path& repo, bool dry_run) {
  Workspace workspace;
  ASSIGN_OR_RETURN(workspace.clone,
                   GitClone::Open(repo, dry_run ? GitClone::NewObjects::kForgotten : GitClone::NewObjects::kStored));
  ASSIGN_OR_RETURN(workspace.repository, GitRepository::Open(repo));
  if (!dry_run) {
    ASSIGN_OR_RETURN(workspace.journal, Journal::Open(*workspace.clone));
  }
  ASSIGN_OR_RETURN(workspace.state, workspace.clone->State());
  if (workspace.journal != nullptr) {
    ASSIGN_OR_RETURN(workspace.owed, OwedPushes(*workspace.clone, workspace.journal->operations()));
  } else {
    ASSIGN_OR_RETURN(const std::vector<Operation> operations, ReadJournal(*workspace.clone));
    ASSIGN_OR_RETURN(workspace.owed, OwedPushes(*workspace.clone, operations));
  }
  return workspace;
}

std::string BackupRef(const std::string& id, const std::string& branch) {
  return absl::StrCat("refs/yardmaster/backup/", id, "/", branch);
}

bool IsProtectedBranch(std::string_view branch) {
  static constexpr std::array<std::string_view, 5> kNames = {"main", "master", "develop", "release", "hotfix"};
  return std::find(kNames.begin(), kNames.end(), branch) != kNames.end() || branch.starts_with("release/") ||
         branch.starts_with("hotfix/");
}

}  // namespace yardmaster::workflow
