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
#include "clients/git/git_program.h"
#include "clients/git/git_repository.h"
#include "services/core/temp_folder.h"
#include "services/workflow/journal.h"
#include "services/workflow/operation.h"
#include "services/workflow/owed_push.h"
#include "services/workflow/result.h"

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
  std::unique_ptr<Journal> journal;   // null in a dry run
  std::vector<Operation> operations;  // as the command found them, oldest first
  GitCloneState state;
  std::vector<OwedPush> owed;           // pushes that killed commands owe
  std::unique_ptr<TempFolder> scratch;  // of Scratch; empty until somebody needs it

  // The branch that is checked out: "feat/x"; empty: none is.
  std::string branch() const;
  // What is owed of a branch; nullptr: nothing.
  const OwedPush* OwedOf(const std::string& branch) const;
  // The last operation of a command that made a branch of `source` for `target`, and that is still where it was put;
  // nullptr: there is none.
  const Operation* LastOf(const std::string& command, const std::string& source, const std::string& target) const;
  // Lets the installed git do what libgit2 can't: commits that the clone makes from here on are signed where
  // commit.gpgSign says so (in a dry run none is), and files that are the same once their filter program has run are
  // not dirty. `git` outlives the workspace.
  absl::Status UseGit(GitProgram& git);
  // An id that no operation has; `time` is "YYYYMMDDTHHMMSSZ".
  std::string NewId(const std::string& time) const;
  // For a command that stores nothing: a folder for its files, whose "objects" the clone and the repository read, too.
  absl::StatusOr<std::filesystem::path> Scratch();
  // Carries the operation out; nothing in a dry run.
  absl::Status Do(Operation operation) const;
  // As Journal::NotePushed; nothing in a dry run. What `result` told as owed of the branch goes.
  absl::Status NotePushed(const std::string& branch, const std::string& commit, Result& result) const;
};

// ABORTED: another command works in this clone. NOT_FOUND or FAILED_PRECONDITION: there is no such clone, or what a
// killed command left can't be settled here.
absl::StatusOr<Workspace> OpenWorkspace(const std::filesystem::path& repo, bool dry_run);

// The same for a command that writes. `result` gets the branch, what is untracked and what is owed. Without a workspace
// it is the refusal with which the command ends; errors are left for a `repo` that is no clone, and for broken ones.
absl::StatusOr<std::optional<Workspace>> BeginCommand(const std::filesystem::path& repo, bool dry_run, Result& result);

// Ends a command that has done `operations`, oldest first by their ids, and then is refused or fails: they are taken
// back. Where that can't be, since somebody has worked on meanwhile, the result tells what stays, and is kFailed.
Result TakeBackAll(const Workspace& work, const std::vector<std::string>& operations, Result refused);

inline constexpr std::string_view kBranchPrefix = "refs/heads/";

// Where an operation keeps what a ref of a branch was.
std::string BackupRef(const std::string& id, const std::string& branch);

// main, master, develop, release, hotfix, and what lies below the last two.
bool IsProtectedBranch(std::string_view branch);

// Why commits of a branch that others can see may not be replaced: it is protected, or one of the main repository's.
// Both repositories are "owner/name".
std::optional<Refusal> WhyNotReplaceable(std::string_view repository, std::string_view branch,
                                         std::string_view main_repository);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_WORKSPACE_H_
