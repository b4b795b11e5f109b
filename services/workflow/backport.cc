#include "services/workflow/backport.h"

#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "services/core/errors.h"
#include "services/core/short_commit.h"
#include "services/core/status_macros.h"
#include "services/workflow/branch_push.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {
namespace {

constexpr size_t kMaxBackported = 100;
constexpr const char* kTrailer = "\n(cherry picked from commit {})\n";

// Oldest first.
absl::StatusOr<std::vector<std::string>> CommitsOf(const std::string& range, GitRepository& repository) {
  const size_t dots = range.find("..");
  if (dots == std::string::npos) {
    ASSIGN_OR_RETURN(std::string id, repository.Resolve(range));
    return std::vector<std::string>{std::move(id)};
  }
  ASSIGN_OR_RETURN(const std::string base, repository.Resolve(range.substr(0, dots)));
  ASSIGN_OR_RETURN(const std::string head, repository.Resolve(range.substr(dots + 2)));
  ASSIGN_OR_RETURN(const std::vector<GitCommit> commits, repository.Commits(base, head, kMaxBackported + 1));
  if (commits.size() > kMaxBackported) return errors::GitRevisionInvalid(range, "it has too many commits");
  std::vector<std::string> ids;
  ids.reserve(commits.size());
  for (const GitCommit& commit : commits) ids.push_back(commit.id);
  return ids;
}

// A branch that is not there yet.
absl::StatusOr<std::string> NewBranch(GitClone& clone, const std::string& commit, const std::string& to) {
  const std::string name = absl::StrCat("backport/", commit.substr(0, 8), "-to-", to);
  for (size_t n = 1;; ++n) {
    std::string branch = n == 1 ? name : absl::StrCat(name, "-", n);
    ASSIGN_OR_RETURN(const std::string there, clone.Ref("refs/heads/" + branch));
    if (there.empty()) return branch;
  }
}

}  // namespace

absl::StatusOr<Result> Backport(const BackportRequest& request, GitProgram& git, const GitRemotes& remotes) {
  Result result;
  result.command = "backport";
  // 1. What there is.
  if (request.commit.empty() || request.to.empty()) return absl::InvalidArgumentError("COMMIT and --to BRANCH");
  ASSIGN_OR_RETURN(std::optional<Workspace> begun, BeginCommand(request.repo, request.dry_run, result));
  if (!begun) return result;
  Workspace& work = *begun;
  if (const absl::Status used = work.UseGit(git); !used.ok()) return RefuseOrFail(std::move(result), used);
  const absl::StatusOr<std::vector<std::string>> commits = CommitsOf(request.commit, *work.repository);
  if (!commits.ok()) return RefuseOrFail(std::move(result), commits.status());
  if (commits->empty()) return Refuse(std::move(result), request.commit + " has no commits", "");
  if (!request.dry_run) {
    const absl::Status fetched = remotes.FetchBranches("upstream", {request.to});
    if (!fetched.ok()) return RefuseOrFail(std::move(result), fetched);
  }
  ASSIGN_OR_RETURN(const std::string onto, work.clone->Ref("refs/remotes/upstream/" + request.to));
  if (onto.empty()) return Refuse(std::move(result), "upstream has no branch " + request.to, "git fetch upstream");

  // 2. What would be done.
  const absl::StatusOr<GitReplay> replay = work.clone->Replay(*commits, onto, kTrailer);
  if (!replay.ok()) return RefuseOrFail(std::move(result), replay.status());
  if (!replay->stopped_at.empty()) {
    result = Refuse(std::move(result),
                    absl::StrCat(ShortCommit(replay->stopped_at), " does not fit on ", request.to, ": ",
                                 absl::StrJoin(replay->conflicts, ", ")),
                    absl::StrCat("git switch -c BRANCH upstream/", request.to, " && git cherry-pick -x ",
                                 absl::StrJoin(*commits, " ")));
    result.outcome = Result::Outcome::kConflict;
    return result;
  }
  if (replay->commits.empty()) {
    result.outcome = Result::Outcome::kNothing;
    result.reason = absl::StrCat("all of it is on ", request.to, " already");
    return result;
  }
  // A branch that a killed command had made of the same is taken up again.
  const std::string source = absl::StrCat(commits->front(), "..", commits->back());
  const Operation* const before = request.push ? work.LastOf(result.command, source, request.to) : nullptr;
  if (before != nullptr && work.OwedOf(before->branch) != nullptr) {
    result.branch = before->branch;
    return PushOwed(work, *work.OwedOf(before->branch), remotes, std::move(result));
  }
  ASSIGN_OR_RETURN(result.branch, NewBranch(*work.clone, commits->back(), request.to));
  BranchPush push("origin", result.branch);
  if (request.push) {
    const absl::Status known = push.Look(remotes, *work.repository, replay->tip);
    if (!known.ok()) return push.Refused(std::move(result), known);
  }

  // 3. The work.
  Operation operation;
  operation.id = work.NewId(request.time);
  operation.command = result.command;
  operation.branch = result.branch;
  operation.refs = {{"refs/heads/" + result.branch, "", replay->tip}};
  operation.source = source;
  operation.target = request.to;
  if (request.push) operation.push_to = "origin";
  const absl::Status moved = work.Do(operation);
  if (!moved.ok()) return RefuseOrFail(std::move(result), moved);
  result.refs = operation.refs;
  const char* const state = request.dry_run ? "planned" : "done";
  result.steps.push_back({"cherry-pick", state,
                          absl::StrCat(replay->commits.size(), replay->commits.size() == 1 ? " commit" : " commits",
                                       " onto upstream/", request.to)});
  for (const std::string& empty : replay->empty) {
    result.steps.push_back({"cherry-pick", "left", ShortCommit(empty) + " is there already"});
  }
  if (!request.push) {
    result.steps.push_back({"push", "left", "nothing is pushed"});
    return result;
  }
  const absl::Status pushed = request.dry_run ? absl::OkStatus() : push.Send(remotes, replay->tip);
  if (!pushed.ok()) {
    ASSIGN_OR_RETURN(Result refused, push.Refused(std::move(result), pushed));
    return TakeBackAll(work, {operation.id}, std::move(refused));
  }
  RETURN_IF_ERROR(work.NotePushed(result.branch, replay->tip, result));
  result.pushed.push_back(push.Done(replay->tip));
  result.steps.push_back({"push", state, "to origin/" + result.branch});
  return result;
}

}  // namespace yardmaster::workflow
