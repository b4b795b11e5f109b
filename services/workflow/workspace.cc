#include "services/workflow/workspace.h"

#include <algorithm>
#include <array>
#include <set>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/errors.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

namespace yardmaster::workflow {
namespace {

absl::Status OpenClone(const std::filesystem::path& repo, bool dry_run, Workspace& workspace) {
  ASSIGN_OR_RETURN(workspace.clone,
                   GitClone::Open(repo, dry_run ? GitClone::NewObjects::kForgotten : GitClone::NewObjects::kStored));
  ASSIGN_OR_RETURN(workspace.repository, GitRepository::Open(repo));
  return absl::OkStatus();
}

absl::Status LookAround(bool dry_run, Workspace& workspace) {
  if (dry_run) {
    ASSIGN_OR_RETURN(workspace.operations, ReadJournal(*workspace.clone));
  } else {
    ASSIGN_OR_RETURN(workspace.journal, Journal::Open(*workspace.clone));
    workspace.operations = workspace.journal->operations();
  }
  ASSIGN_OR_RETURN(workspace.state, workspace.clone->State());
  ASSIGN_OR_RETURN(workspace.owed, OwedPushes(*workspace.clone, *workspace.repository, workspace.operations));
  return absl::OkStatus();
}

}  // namespace

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

const OwedPush* Workspace::OwedOf(const std::string& branch) const {
  const auto found = absl::c_find_if(owed, [&branch](const OwedPush& one) { return one.branch == branch; });
  return found == owed.end() ? nullptr : &*found;
}

const Operation* Workspace::LastOf(const std::string& command, const std::string& source,
                                   const std::string& target) const {
  const auto found = std::find_if(operations.rbegin(), operations.rend(), [&](const Operation& one) {
    return one.state == Operation::State::kDone && one.command == command && one.source == source &&
           one.target == target;
  });
  if (found == operations.rend()) return nullptr;
  const absl::StatusOr<std::string> here = clone->Ref(absl::StrCat(Abs(kBranchPrefix), found->branch));
  const bool is_there = here.ok() && !found->refs.empty() && *here == found->refs.back().new_id;
  return is_there ? &*found : nullptr;
}

absl::Status Workspace::UseGit(GitProgram& git) {
  if (state.signs_commits && journal != nullptr) clone->SignWith(git);
  if (state.filtered.empty()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const GitOutput output,
                   git.Run({"status", "--porcelain", "-z", "--untracked-files=no", "--no-renames"}));
  if (output.code != 0) return errors::GitProgramFailed("status", GitComplaint(output.err));
  std::set<std::string> changed;
  // " M PATH"
  for (const std::string& record : SplitAtNul(output.out)) {
    if (record.size() > 3) changed.insert(record.substr(3));
  }
  std::erase_if(state.dirty, [&](const std::string& path) {
    return absl::c_linear_search(state.filtered, path) && !changed.contains(path);
  });
  return absl::OkStatus();
}

std::string Workspace::NewId(const std::string& time) const {
  return journal != nullptr ? journal->NewId(time) : time + "-1";
}

absl::StatusOr<std::filesystem::path> Workspace::Scratch() {
  if (scratch == nullptr) {
    ASSIGN_OR_RETURN(scratch, TempFolder::Make("yard-workflow"));
    const std::filesystem::path objects = scratch->path() / "objects";
    std::error_code error;
    std::filesystem::create_directory(objects, error);
    if (error) return errors::FileNotWritten(objects.string(), error.message());
    RETURN_IF_ERROR(clone->ReadAlso(objects));
    RETURN_IF_ERROR(repository->ReadAlso(objects));
  }
  return scratch->path();
}

absl::Status Workspace::Do(Operation operation) const {
  return journal != nullptr ? journal->Do(std::move(operation)) : absl::OkStatus();
}

absl::Status Workspace::NotePushed(const std::string& branch, const std::string& commit, Result& result) const {
  for (const OwedPush& one : owed) {
    if (one.branch != branch) continue;
    std::erase_if(result.steps, [&one](const Step& step) { return step.detail == OwedText(one); });
  }
  return journal != nullptr ? journal->NotePushed(branch, commit) : absl::OkStatus();
}

absl::StatusOr<Workspace> OpenWorkspace(const std::filesystem::path& repo, bool dry_run) {
  Workspace workspace;
  RETURN_IF_ERROR(OpenClone(repo, dry_run, workspace));
  RETURN_IF_ERROR(LookAround(dry_run, workspace));
  return workspace;
}

absl::StatusOr<std::optional<Workspace>> BeginCommand(const std::filesystem::path& repo, bool dry_run, Result& result) {
  std::optional<Workspace> work(std::in_place);
  RETURN_IF_ERROR(OpenClone(repo, dry_run, *work));
  if (const absl::Status status = LookAround(dry_run, *work); !status.ok()) {
    ASSIGN_OR_RETURN(result, RefuseOrFail(std::move(result), status));
    return std::nullopt;
  }
  for (const OwedPush& owed : work->owed) result.steps.push_back({"push", "left", OwedText(owed)});
  result.branch = work->branch();
  result.untracked = work->state.untracked;
  std::optional<Refusal> refusal = WhyNotWritable(work->state);
  if (!refusal && !IsValidUtf8(work->clone->work_tree())) {
    refusal = {"the name of the work tree is not UTF-8", "git worktree add another one"};
  }
  if (!refusal) return work;
  result = Refuse(std::move(result), refusal->reason, refusal->fix);
  return std::nullopt;
}

Result TakeBackAll(const Workspace& work, const std::vector<std::string>& operations, Result refused) {
  if (work.journal == nullptr) return refused;
  std::vector<std::string> left = operations;
  absl::Status status = absl::OkStatus();
  while (!left.empty() && status.ok()) {
    status = work.journal->Undo(left.back());
    if (status.ok()) left.pop_back();
  }
  if (left.empty()) {
    refused.steps.push_back({"undo", "done", "what was done here is taken back"});
    return refused;
  }
  refused.outcome = Result::Outcome::kFailed;
  absl::StrAppend(&refused.reason, "; what was done here stays, since it can't be taken back: ", status.message());
  refused.fix = absl::StrCat("yard workflow undo ", left.back(), ", once that is mended");
  for (const std::string& id : left) {
    const Operation* const operation = work.journal->Find(id);
    if (operation == nullptr) continue;
    for (const GitRefChange& change : operation->refs) {
      refused.refs.push_back(change);
      if (change.ref.starts_with("refs/yardmaster/")) refused.backups.push_back(change.ref);
    }
  }
  return refused;
}

std::string BackupRef(const std::string& id, const std::string& branch) {
  return absl::StrCat("refs/yardmaster/backup/", id, "/", branch);
}

bool IsProtectedBranch(std::string_view branch) {
  static constexpr std::array<std::string_view, 5> kNames = {"main", "master", "develop", "release", "hotfix"};
  return std::find(kNames.begin(), kNames.end(), branch) != kNames.end() || branch.starts_with("release/") ||
         branch.starts_with("hotfix/");
}

std::optional<Refusal> WhyNotReplaceable(std::string_view repository, std::string_view branch,
                                         std::string_view main_repository) {
  if (IsProtectedBranch(branch)) {
    return Refusal{absl::StrCat("commits of ", Abs(branch), " are not replaced: others build on that branch"),
                   "work on a branch of your own"};
  }
  if (absl::EqualsIgnoreCase(Abs(repository), Abs(main_repository))) {
    return Refusal{absl::StrCat("commits of ", Abs(branch), " are not replaced: it is a branch of the main repository"),
                   "push to a fork of your own"};
  }
  return std::nullopt;
}

}  // namespace yardmaster::workflow
