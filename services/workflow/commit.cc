#include "services/workflow/commit.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/cleanup/cleanup.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/workflow/branch_push.h"
#include "services/workflow/commit_message.h"
#include "services/workflow/copyright.h"
#include "services/workflow/staging.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMaxMessageBytes = 1024 * 1024;
constexpr size_t kMaxYearsBytes = 2 * 1024 * 1024;

// Submodules whose own files are changed or untracked: a commit would not have them.
absl::StatusOr<std::vector<std::string>> DirtySubmodules(GitProgram& git) {
  ASSIGN_OR_RETURN(const GitOutput output, git.Run({"status", "--porcelain=v2", "-z", "--untracked-files=no",
                                                    "--ignore-submodules=none", "--no-renames"}));
  if (output.code != 0) return errors::GitProgramFailed("status", GitComplaint(output.err));
  std::vector<std::string> dirty;
  for (const std::string& record : SplitAtNul(output.out)) {
    // "1 .M S.MU 160000 160000 160000 ID ID PATH"
    const std::vector<std::string> columns = absl::StrSplit(record, absl::MaxSplits(' ', 8));
    if (columns.size() == 9 && columns[2].size() == 4 && columns[2][0] == 'S' &&
        (columns[2][2] != '.' || columns[2][3] != '.')) {
      dirty.push_back(columns[8]);
    }
  }
  return dirty;
}

std::vector<std::string> Without(const std::vector<std::string>& all, const std::vector<std::string>& some) {
  std::vector<std::string> left;
  absl::c_copy_if(all, std::back_inserter(left),
                  [&some](const std::string& one) { return !absl::c_linear_search(some, one); });
  return left;
}

// Where a commit is put together: the journal's folder, or in a dry run one that goes.
struct Place {
  std::string id;
  fs::path folder;
  fs::path before;
  fs::path after;
  fs::path objects;  // of the clone, where new ones must not be stored there
  fs::path message;
};

absl::StatusOr<Place> MakePlace(Workspace& work, const std::string& time) {
  Place place;
  place.id = work.NewId(time);
  if (work.journal != nullptr) {
    place.folder = work.journal->folder();
    place.before = work.journal->IndexBefore(place.id);
    place.after = work.journal->IndexAfter(place.id);
  } else {
    ASSIGN_OR_RETURN(place.folder, work.Scratch());
    place.before = place.folder / "before";
    place.after = place.folder / "after";
    place.objects = work.clone->common_dir() / "objects";
  }
  place.message = place.folder / (place.id + ".message");
  RETURN_IF_ERROR(CopyIndex(work.clone->index_file(), place.before));
  RETURN_IF_ERROR(CopyIndex(work.clone->index_file(), place.after));
  return place;
}

void Leave(const Place& place, bool done) {
  std::error_code ignored;
  fs::remove(place.message, ignored);
  fs::remove(place.folder / "paths", ignored);
  if (done) return;
  fs::remove(place.before, ignored);
  fs::remove(place.after, ignored);
}

// What was staged, and what the commit is to have.
struct Selection {
  std::vector<std::string> paths;
  std::vector<std::string> cosmetic;  // left out
};

absl::StatusOr<Selection> Select(GitProgram& git, const Place& place, Staging& staging) {
  Staging own(git, place.before, place.folder, place.objects);
  ASSIGN_OR_RETURN(const std::vector<std::string> staged, own.Changed());
  RETURN_IF_ERROR(staging.AddTracked());
  ASSIGN_OR_RETURN(const std::vector<std::string> cosmetic, staging.Cosmetic());
  Selection selection;
  // What somebody staged by hand is meant.
  selection.cosmetic = Without(cosmetic, staged);
  RETURN_IF_ERROR(staging.Drop(selection.cosmetic));
  ASSIGN_OR_RETURN(selection.paths, staging.Changed());
  return selection;
}

// What is written anew for the copyright years of the files of the commit.
struct Years {
  std::vector<FileChange> files;
  std::vector<std::string> left;  // not as they are staged, by a filter
  std::string backup;             // a commit whose tree has the files as they were
};

// Stages the files of `paths` with this year in their copyright lines. Files of the work tree are not touched here.
absl::StatusOr<Years> RenewYears(const CommitRequest& request, const std::vector<std::string>& paths,
                                 const Workspace& work, const Place& place, GitProgram& git, Staging& staging) {
  Years years;
  int year = 0;
  if (request.keep_years || !absl::SimpleAtoi(request.time.substr(0, 4), &year)) return years;
  ASSIGN_OR_RETURN(const fs::path root, git.Text({"rev-parse", "--show-toplevel"}));
  ASSIGN_OR_RETURN(const StagedFiles staged, staging.FilesOf(paths));
  std::vector<std::string> names;
  std::vector<fs::path> old_files;
  std::vector<fs::path> new_files;
  const absl::Cleanup remove = [&new_files] {
    std::error_code ignored;
    for (const fs::path& file : new_files) fs::remove(file, ignored);
  };
  for (const auto& [path, file] : staged) {
    // git takes their names by lines, and the journal is UTF-8.
    if (path.find('\n') != std::string::npos || !IsValidUtf8(path)) continue;
    const absl::StatusOr<std::string> text = ReadSmallFile(root / path, kMaxYearsBytes);
    if (!text.ok() || !IsValidUtf8(*text)) continue;
    const std::optional<std::string> renewed = WithYear(*text, year);
    if (!renewed) continue;
    names.push_back(path);
    old_files.push_back(root / path);
    new_files.push_back(place.folder / absl::StrCat(place.id, ".year.", new_files.size()));
    RETURN_IF_ERROR(WriteFileAtomically(new_files.back(), *renewed));
  }
  if (names.empty()) return years;
  ASSIGN_OR_RETURN(const std::string before, staging.WriteTree());
  ASSIGN_OR_RETURN(const std::vector<std::string> old_blobs, staging.BlobsOf(old_files, /*write=*/false));
  ASSIGN_OR_RETURN(const std::vector<std::string> new_blobs, staging.BlobsOf(new_files, /*write=*/true));
  StagedFiles renewed;
  for (size_t i = 0; i < names.size(); ++i) {
    const StagedFile& file = staged.at(names[i]);
    if (file.blob != old_blobs[i]) {
      years.left.push_back(names[i]);
      continue;
    }
    renewed[names[i]] = {file.mode, new_blobs[i]};
    years.files.push_back({names[i], old_blobs[i], new_blobs[i]});
  }
  if (years.files.empty()) return years;
  RETURN_IF_ERROR(WriteFileAtomically(place.message, "The files before their copyright years were renewed\n"));
  ASSIGN_OR_RETURN(years.backup, staging.MakeCommit(before, {work.state.head}, place.message, /*sign=*/false));
  RETURN_IF_ERROR(staging.Stage(renewed));
  return years;
}

absl::StatusOr<std::optional<GitCommit>> LastCommit(const Workspace& work) {
  ASSIGN_OR_RETURN(const std::vector<GitCommit> commits, work.repository->Merged("", work.state.head, 1));
  return commits.empty() ? std::nullopt : std::optional(commits.front());
}

// What was asked for, that of the commit which is replaced, or one that names the files.
absl::StatusOr<std::string> MessageFor(const CommitRequest& request, const Workspace& work,
                                       const std::vector<std::string>& paths) {
  if (!request.message.empty()) return request.message;
  if (request.amend) {
    ASSIGN_OR_RETURN(const std::optional<GitCommit> last, LastCommit(work));
    if (last) return last->message;
  }
  return ShortMessageOf(paths, request.language);
}

// What to tell where the repository expects a hook of pre-commit that is not installed here; empty: nothing.
absl::StatusOr<std::string> MissingHook(const Workspace& work, GitProgram& git) {
  std::error_code error;
  const fs::path root = work.clone->WorkTreePath(work.clone->work_tree());
  std::string fix;
  if (fs::exists(root / "scripts/pre-commit/install.sh", error)) fix = "sh scripts/pre-commit/install.sh";
  if (fix.empty() && fs::exists(root / ".pre-commit-config.yaml", error)) fix = "pre-commit install";
  if (fix.empty()) return fix;
  // Where core.hooksPath says.
  ASSIGN_OR_RETURN(const fs::path hook,
                   git.Text({"rev-parse", "--path-format=absolute", "--git-path", "hooks/pre-commit"}));
  if (fs::exists(hook, error)) return std::string();
  return absl::StrCat("the repository has checks for its pre-commit hook, and it is not installed here: ", fix);
}

struct NewCommit {
  std::string id;
  std::string index_backup;  // a commit whose tree is the index as it was
};

absl::StatusOr<NewCommit> MakeCommit(const CommitRequest& request, const std::string& message, const Workspace& work,
                                     const Place& place, GitProgram& git, Staging& staging) {
  NewCommit made;
  // 1. What was staged has a name before anything else is.
  Staging own(git, place.before, place.folder, place.objects);
  ASSIGN_OR_RETURN(const std::string staged_tree, own.WriteTree());
  RETURN_IF_ERROR(WriteFileAtomically(place.message, "The index before yard workflow commit\n"));
  ASSIGN_OR_RETURN(made.index_backup, own.MakeCommit(staged_tree, {work.state.head}, place.message, /*sign=*/false));
  // 2. The hooks, which may change the message and what is staged.
  std::string text(absl::StripTrailingAsciiWhitespace(message));
  RETURN_IF_ERROR(WriteFileAtomically(place.message, text + "\n"));
  if (!request.dry_run) {
    RETURN_IF_ERROR(staging.RunHook("pre-commit", {}));
    RETURN_IF_ERROR(staging.RunHook("prepare-commit-msg", {place.message.string(), "message"}));
    RETURN_IF_ERROR(staging.RunHook("commit-msg", {place.message.string()}));
    ASSIGN_OR_RETURN(text, ReadSmallFile(place.message, kMaxMessageBytes));
    if (const std::optional<std::string> bad = WhyBadMessage(text)) return errors::GitHookRefused("commit-msg", *bad);
  }
  // 3. The commit.
  ASSIGN_OR_RETURN(const std::string tree, staging.WriteTree());
  std::vector<std::string> parents = {work.state.head};
  if (request.amend) {
    ASSIGN_OR_RETURN(const std::optional<GitCommit> last, LastCommit(work));
    parents = last ? last->parents : std::vector<std::string>();
  }
  ASSIGN_OR_RETURN(made.id,
                   staging.MakeCommit(tree, parents, place.message, work.state.signs_commits && !request.dry_run,
                                      request.amend ? work.state.head : ""));
  return made;
}

}  // namespace

absl::StatusOr<Result> CommitIn(Workspace& work, const CommitRequest& request, GitProgram& git, Result result) {
  // 1. What there is.
  if (const std::optional<std::string> bad = WhyBadMessage(request.message); bad && !request.message.empty()) {
    return Refuse(std::move(result), *bad, "-m MESSAGE without it");
  }
  const absl::StatusOr<std::vector<std::string>> submodules = DirtySubmodules(git);
  if (!submodules.ok()) return RefuseOrFail(std::move(result), submodules.status());
  if (!submodules->empty()) {
    return Refuse(std::move(result), "submodules have changes of their own: " + absl::StrJoin(*submodules, ", "),
                  absl::StrCat("commit there first: git -C ", submodules->front(), " status"));
  }
  if (work.state.dirty.empty()) {
    result.outcome = Result::Outcome::kNothing;
    result.reason = "no changes to commit";
    if (!result.untracked.empty()) result.fix = "git add what is untracked and is to be committed";
    return result;
  }

  // 2. What the commit is to have.
  const absl::StatusOr<Place> place = MakePlace(work, request.time);
  if (!place.ok()) return RefuseOrFail(std::move(result), place.status());
  bool done = false;
  const absl::Cleanup leave = [&] { Leave(*place, done); };
  Staging staging(git, place->after, place->folder, place->objects);
  const absl::StatusOr<Selection> selection = Select(git, *place, staging);
  if (!selection.ok()) return RefuseOrFail(std::move(result), selection.status());
  if (!selection->cosmetic.empty()) {
    result.steps.push_back({"stage", "left",
                            "only white space at line ends and blank lines differ, so that these stay uncommitted "
                            "(git add them to have them): " +
                                absl::StrJoin(selection->cosmetic, ", ")});
  }
  if (!result.untracked.empty()) {
    result.steps.push_back({"untracked", "left", "not committed: " + absl::StrJoin(result.untracked, ", ")});
  }
  if (selection->paths.empty()) {
    result.outcome = Result::Outcome::kNothing;
    result.reason = "no changes to commit after excluding cosmetic changes";
    return result;
  }
  ASSIGN_OR_RETURN(std::string message, MessageFor(request, work, selection->paths));
  if (request.message.empty() && !request.amend && !request.yes && !request.dry_run) {
    absl::StatusOr<std::string> accepted = AcceptedMessage(request.preview, message);
    if (!accepted.ok()) return RefuseOrFail(std::move(result), accepted.status());
    message = *std::move(accepted);
  }

  const absl::StatusOr<std::string> hook = MissingHook(work, git);
  if (!hook.ok()) return RefuseOrFail(std::move(result), hook.status());

  // 3. The work.
  const absl::StatusOr<Years> years = RenewYears(request, selection->paths, work, *place, git, staging);
  if (!years.ok()) return RefuseOrFail(std::move(result), years.status());
  const absl::StatusOr<NewCommit> made = MakeCommit(request, message, work, *place, git, staging);
  if (!made.ok()) return RefuseOrFail(std::move(result), made.status());
  Operation operation;
  operation.id = place->id;
  operation.command = result.command;
  operation.branch = result.branch;
  operation.index = true;
  if (request.push) operation.push_to = "origin";
  const std::string backup = BackupRef(place->id, result.branch);
  const std::string index_backup = "refs/yardmaster/index/" + place->id;
  operation.refs = {{backup, "", work.state.head},
                    {index_backup, "", made->index_backup},
                    {work.state.head_ref, work.state.head, made->id}};
  operation.files = years->files;
  if (!years->backup.empty()) {
    operation.refs.insert(operation.refs.begin(), {"refs/yardmaster/files/" + place->id, "", years->backup});
  }
  const absl::Status moved = work.Do(operation);
  if (!moved.ok()) return RefuseOrFail(std::move(result), moved);
  done = true;
  work.state.head = made->id;
  result.id = operation.id;
  result.refs = operation.refs;
  result.backups = {backup, index_backup};
  const char* const state = request.dry_run ? "planned" : "done";
  if (!hook->empty()) result.steps.push_back({"pre-commit", "left", *hook});
  for (const std::string& path : years->left) {
    result.steps.push_back({"copyright", "left", "a filter of git changes it: " + path});
  }
  for (const FileChange& file : years->files) {
    result.steps.push_back({"copyright", state, absl::StrCat(request.time.substr(0, 4), " in ", file.path)});
  }
  result.steps.push_back({"commit", state,
                          absl::StrCat(selection->paths.size(), selection->paths.size() == 1 ? " file" : " files", ": ",
                                       std::string(message.substr(0, message.find('\n'))))});
  return result;
}

absl::StatusOr<Result> Commit(const CommitRequest& request, GitProgram& git, const GitRemotes& remotes) {
  Result result;
  result.command = "commit";
  ASSIGN_OR_RETURN(std::optional<Workspace> begun, BeginCommand(request.repo, request.dry_run, result));
  if (!begun) return result;
  Workspace& work = *begun;
  if (const absl::Status used = work.UseGit(git); !used.ok()) return RefuseOrFail(std::move(result), used);
  const OwedPush* const owed = work.OwedOf(result.branch);
  if (request.push && work.state.dirty.empty() && owed != nullptr) {
    return PushOwed(work, *owed, remotes, std::move(result));
  }
  BranchPush push("origin", result.branch, request.amend);
  if (request.push && !work.state.dirty.empty()) {
    const absl::Status known = push.Look(remotes, *work.repository, work.state.head);
    if (!known.ok()) return push.Refused(std::move(result), known);
  }
  ASSIGN_OR_RETURN(result, CommitIn(work, request, git, std::move(result)));
  if (result.outcome != Result::Outcome::kDone) return result;
  if (!request.push) {
    result.steps.push_back({"push", "left", "nothing is pushed"});
    return result;
  }
  const std::string made = work.state.head;
  const absl::Status pushed = request.dry_run ? absl::OkStatus() : push.Send(remotes, made);
  if (!pushed.ok()) {
    const std::string id = result.id;
    ASSIGN_OR_RETURN(Result refused, push.Refused(std::move(result), pushed));
    return TakeBackAll(work, {id}, std::move(refused));
  }
  RETURN_IF_ERROR(work.NotePushed(result.branch, made, result));
  result.pushed.push_back(push.Done(made));
  result.steps.push_back({"push", request.dry_run ? "planned" : "done",
                          absl::StrCat("to origin/", result.branch,
                                       IsProtectedBranch(result.branch)
                                           ? "; that is a branch others expect to be as in the main repository"
                                           : "")});
  return result;
}

}  // namespace yardmaster::workflow
