#include "services/workflow/pull.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "clients/forge/forge_error.h"
#include "services/core/short_commit.h"
#include "services/core/status_macros.h"
#include "services/workflow/branch_push.h"
#include "services/workflow/commit_message.h"
#include "services/workflow/describe.h"
#include "services/workflow/description.h"
#include "services/workflow/pull_template.h"
#include "services/workflow/squash.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {
namespace {

constexpr size_t kMaxPullCommits = 500;

// What is to become a pull request.
struct Proposal {
  std::string base;      // the branch of upstream
  std::string base_tip;  // where it is
  std::string merge_base;
  std::vector<GitCommit> commits;
  std::string branch;  // in the fork
  std::string tip;     // what is pushed
  std::string source;  // as of Operation
  std::vector<GitRefChange> refs;
  std::vector<std::string> backups;
  std::vector<Step> steps;
};

// A name below pr/ that no branch has here.
absl::StatusOr<std::string> WorkingBranch(GitClone& clone, const std::string& time) {
  for (size_t n = 1;; ++n) {
    std::string name = n == 1 ? "pr/" + time : absl::StrCat("pr/", time, "-", n);
    ASSIGN_OR_RETURN(const std::string there, clone.Ref("refs/heads/" + name));
    if (there.empty()) return name;
  }
}

std::optional<Refusal> WhyNotProposable(const Workspace& work, const Proposal& proposal) {
  if (proposal.commits.empty()) {
    return Refusal{"no new commits relative to upstream/" + proposal.base, "commit on a feature branch"};
  }
  if (proposal.commits.size() > kMaxPullCommits) {
    return Refusal{absl::StrCat("more than ", kMaxPullCommits, " commits"), "check --base"};
  }
  for (const GitCommit& commit : proposal.commits) {
    if (const std::optional<std::string> bad = WhyBadMessage(commit.message)) {
      return Refusal{ShortCommit(commit.id) + ": " + *bad, "git rebase -i, and reword it"};
    }
  }
  if (!work.state.dirty.empty()) {
    return Refusal{"uncommitted changes: " + absl::StrJoin(work.state.dirty, ", "), "commit first"};
  }
  return std::nullopt;
}

// The tip and the branch of what is pushed: the branch as it is, or another one where that is protected.
absl::StatusOr<std::optional<Refusal>> PlanBranch(const PullRequestRequest& request, const Workspace& work,
                                                  const std::string& id, Proposal& proposal) {
  proposal.branch = work.branch();
  proposal.tip = work.state.head;
  const bool is_protected = IsProtectedBranch(proposal.branch);
  std::string onto = proposal.merge_base;
  if (is_protected) {
    // What was made of the same commits before, and perhaps not pushed or opened, is taken up again.
    proposal.source = absl::StrCat(work.state.head, request.squash ? " squashed" : "");
    if (const Operation* const before = work.LastOf("pr", proposal.source, proposal.base)) {
      proposal.branch = before->branch;
      proposal.tip = before->refs.back().new_id;
      proposal.steps.push_back(
          {"branch", "left", absl::StrCat(proposal.branch, " has these commits since ", before->id)});
      return std::nullopt;
    }
    ASSIGN_OR_RETURN(proposal.branch, WorkingBranch(*work.clone, request.time));
    std::vector<std::string> ids;
    for (const GitCommit& commit : proposal.commits) ids.push_back(commit.id);
    if (proposal.merge_base != proposal.base_tip) {
      ASSIGN_OR_RETURN(const GitReplay replay, work.clone->Replay(ids, proposal.base_tip, ""));
      if (!replay.stopped_at.empty()) {
        return Refusal{absl::StrCat(ShortCommit(replay.stopped_at), " does not fit on upstream/", proposal.base, ": ",
                                    absl::StrJoin(replay.conflicts, ", ")),
                       "develop on a feature branch, and rebase it"};
      }
      proposal.tip = replay.tip;
      onto = proposal.base_tip;
    }
    proposal.steps.push_back({"branch", "done", absl::StrCat(work.branch(), " is protected: ", proposal.branch)});
  } else if (proposal.merge_base != proposal.base_tip) {
    proposal.steps.push_back(
        {"branch", "left", absl::StrCat("behind upstream/", proposal.base, ": consider a rebase")});
  }
  if (request.squash && proposal.commits.size() > 1) {
    GitNewCommit squashed;
    squashed.tree_of = proposal.tip;
    squashed.parent = onto;
    squashed.author_of = proposal.commits.front().id;
    const bool ask = request.message.empty() && !request.yes && !request.dry_run;
    ASSIGN_OR_RETURN(squashed.message,
                     UsableMessage(ask, request.preview,
                                   request.message.empty() ? SquashedMessage(proposal.commits) : request.message));
    if (!squashed.message.ends_with('\n')) squashed.message.push_back('\n');
    ASSIGN_OR_RETURN(proposal.tip, work.clone->MakeCommit(squashed));
    proposal.steps.push_back({"squash", "done", absl::StrCat(proposal.commits.size(), " commits")});
  }
  const std::string ref = "refs/heads/" + proposal.branch;
  if (is_protected) {
    proposal.refs.push_back({ref, "", proposal.tip});
  } else if (proposal.tip != work.state.head) {
    proposal.backups.push_back(BackupRef(id, proposal.branch));
    proposal.refs.push_back({proposal.backups.back(), "", work.state.head});
    proposal.refs.push_back({ref, work.state.head, proposal.tip});
  }
  return std::nullopt;
}

absl::StatusOr<Description> DescribeProposal(const PullRequestRequest& request, const Fork& fork,
                                             const Proposal& proposal, GitRepository& repository) {
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> base, repository.TreeOf(proposal.merge_base));
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> head, repository.TreeOf(proposal.commits.back().id));
  ASSIGN_OR_RETURN(const std::vector<FileFacts> facts, FactsBetween(repository, *base, *head));
  ASSIGN_OR_RETURN(const GitTreeEntry entry, FindTemplate(*base, fork.templates));
  std::string text;
  if (entry.mode != 0) {
    ASSIGN_OR_RETURN(text, base->Read(entry, kMaxTemplateBytes));
  }
  Description description =
      Describe(proposal.commits, facts, text.empty() ? PlainTemplate(request.language) : text, request.language);
  if (!request.title.empty()) description.title = request.title;
  if (!request.body.empty()) description.body = request.body;
  return description;
}

// What was asked for that a pull request which is open already does not get by `pr`, and what gives it.
void TellWhatStays(const PullRequestRequest& request, int64_t number, std::vector<Step>& steps) {
  std::vector<std::string> texts;
  if (!request.title.empty()) texts.emplace_back("--title");
  if (!request.body.empty()) texts.emplace_back("--body");
  const std::string open = absl::StrCat("#", number, " is open already");
  if (!texts.empty()) {
    steps.push_back(
        {"description", "left",
         absl::StrCat(absl::StrJoin(texts, " and "), " not used: ", open, " and keeps its text; yard workflow update ",
                      number, " ", absl::StrJoin(texts, " TEXT "), " TEXT")});
  }
  if (request.draft) {
    steps.push_back({"draft", "left", absl::StrCat("--draft not used: ", open, "; make it a draft on the forge")});
  }
}

// Asks those who were named for a review. Who can't be asked is told; the rest stays done.
Step AskReviewers(const PullRequestRequest& request, const Fork& fork, int64_t number) {
  const std::string logins = absl::StrJoin(request.reviewers, ", ");
  if (request.dry_run) return {"reviewers", "planned", "POST that asks for a review: " + logins};
  const absl::Status asked = fork.pulls.AskForReview(CommandCall(), {fork.upstream, number, true}, request.reviewers);
  if (asked.ok()) return {"reviewers", "done", logins};
  return {"reviewers", "left", absl::StrCat("not asked for a review: ", logins, ": ", asked.message())};
}

// The pull request that was made, or the one that somebody has made meanwhile.
absl::StatusOr<ForgePull> CreateOnce(const Fork& fork, const ForgeNewPull& pull) {
  absl::StatusOr<ForgePull> made = fork.pulls.CreatePull(CommandCall(), fork.upstream, pull);
  if (made.ok() || ForgeOutcomeOf(made.status()) == ForgeOutcome::kNotSent) return made;
  const absl::StatusOr<std::vector<ForgePull>> found = fork.pulls.FindPulls(CommandCall(), fork.upstream, pull.head);
  if (!found.ok()) return made;
  const auto same = absl::c_find_if(*found, [&pull](const ForgePull& one) { return one.base_ref == pull.base; });
  if (same == found->end()) return made;
  return *same;
}

}  // namespace

absl::StatusOr<Result> OpenPull(const PullRequestRequest& request, const Fork& fork, GitProgram& git) {
  Result result;
  result.command = "pr";
  // 1. What there is.
  ASSIGN_OR_RETURN(std::optional<Workspace> begun, BeginCommand(request.repo, request.dry_run, result));
  if (!begun) return result;
  Workspace& work = *begun;
  if (const absl::Status used = work.UseGit(git); !used.ok()) return RefuseOrFail(std::move(result), used);
  if (absl::EqualsIgnoreCase(fork.origin, fork.upstream)) {
    return Refuse(std::move(result), "origin is the main repository itself", "git remote set-url origin YOUR-FORK");
  }
  Proposal proposal;
  proposal.base = request.base;
  if (proposal.base.empty()) {
    absl::StatusOr<std::string> name = fork.remotes.DefaultBranch("upstream");
    if (!name.ok()) return RefuseOrFail(std::move(result), name.status());
    if (name->empty()) return absl::InvalidArgumentError("the default branch of upstream is not known: --base BRANCH");
    proposal.base = *std::move(name);
  }
  if (!request.dry_run) {
    // A stale base would give a wrong difference.
    const absl::Status fetched = fork.remotes.FetchBranches("upstream", {proposal.base});
    if (!fetched.ok()) return RefuseOrFail(std::move(result), fetched);
  }
  ASSIGN_OR_RETURN(proposal.base_tip, work.clone->Ref("refs/remotes/upstream/" + proposal.base));
  if (proposal.base_tip.empty()) {
    return Refuse(std::move(result), "upstream has no branch " + proposal.base, "git fetch upstream");
  }
  const absl::StatusOr<std::string> merge_base = work.repository->MergeBase(proposal.base_tip, work.state.head);
  if (!merge_base.ok()) return RefuseOrFail(std::move(result), merge_base.status());
  proposal.merge_base = *merge_base;
  ASSIGN_OR_RETURN(proposal.commits,
                   work.repository->Commits(proposal.merge_base, work.state.head, kMaxPullCommits + 1));
  if (const std::optional<Refusal> refusal = WhyNotProposable(work, proposal)) {
    return Refuse(std::move(result), refusal->reason, refusal->fix);
  }
  if (request.gate) {
    ASSIGN_OR_RETURN(const std::vector<std::string> paths,
                     PathsChanged(*work.repository, proposal.merge_base, work.state.head));
    ASSIGN_OR_RETURN(const std::optional<Refusal> failed, request.gate(paths, result.steps));
    if (failed) return Refuse(std::move(result), failed->reason, failed->fix);
  }

  // 2. What would be done.
  Operation operation;
  operation.id = work.NewId(request.time);
  operation.command = result.command;
  const absl::StatusOr<std::optional<Refusal>> planned = PlanBranch(request, work, operation.id, proposal);
  if (!planned.ok()) return RefuseOrFail(std::move(result), planned.status());
  if (planned->has_value()) {
    result = Refuse(std::move(result), (*planned)->reason, (*planned)->fix);
    result.outcome = Result::Outcome::kConflict;
    return result;
  }
  result.branch = proposal.branch;
  BranchPush push("origin", proposal.branch, request.force);
  const absl::Status known = push.Look(fork.remotes, *work.repository, proposal.tip);
  if (!known.ok()) {
    ASSIGN_OR_RETURN(Result refused, push.Refused(std::move(result), known));
    if (absl::IsAborted(known)) refused.fix += ", or --force to replace what the fork has";
    return refused;
  }
  const absl::StatusOr<OwnPulls> found = FindOwnPulls(fork, proposal.branch);
  if (!found.ok()) return ForgeRefused(fork, std::move(result), found.status());
  const ForgePullHead head{found->origin, proposal.branch};
  const auto open =
      absl::c_find_if(found->pulls, [&proposal](const ForgePull& one) { return one.base_ref == proposal.base; });
  ASSIGN_OR_RETURN(Description description, DescribeProposal(request, fork, proposal, *work.repository));
  const bool is_open = open != found->pulls.end();
  if (!is_open && (request.title.empty() || request.body.empty()) && !request.yes && !request.dry_run) {
    absl::StatusOr<Description> accepted = AcceptedDescription(request.preview, description);
    if (!accepted.ok()) return RefuseOrFail(std::move(result), accepted.status());
    description = *std::move(accepted);
  }
  if (!is_open) {
    for (const std::string& gap : GapsOf(description.body)) proposal.steps.push_back({"description", "left", gap});
  }

  // 3. The work: refs here, the push, the pull request.
  operation.branch = proposal.branch;
  operation.refs = proposal.refs;
  operation.push_to = "origin";
  operation.source = proposal.source;
  operation.target = proposal.base;
  if (!operation.refs.empty()) {
    const absl::Status moved = work.Do(operation);
    if (!moved.ok()) return RefuseOrFail(std::move(result), moved);
  }
  const char* const state = request.dry_run ? "planned" : "done";
  if (push.there() != proposal.tip) {
    const absl::Status pushed = request.dry_run ? absl::OkStatus() : push.Send(fork.remotes, proposal.tip);
    if (!pushed.ok()) {
      ASSIGN_OR_RETURN(Result refused, push.Refused(std::move(result), pushed));
      return operation.refs.empty() ? refused : TakeBackAll(work, {operation.id}, std::move(refused));
    }
    result.pushed.push_back(push.Done(proposal.tip));
  }
  RETURN_IF_ERROR(work.NotePushed(proposal.branch, proposal.tip, result));
  result.refs = proposal.refs;
  result.backups = proposal.backups;
  for (Step& step : proposal.steps) {
    if (step.state == "done") step.state = state;
    result.steps.push_back(std::move(step));
  }
  result.steps.push_back(result.pushed.empty()
                             ? Step{"push", "left", absl::StrCat("origin/", proposal.branch, " has it already")}
                             : Step{"push", state, "to origin/" + proposal.branch});
  if (is_open) {
    result.pull = PullRequest{open->number, open->url};
    result.steps.push_back(
        {"pull", "left",
         absl::StrCat("#", open->number, " is open already and has it now; its text anew: yard workflow update ",
                      open->number)});
    TellWhatStays(request, open->number, result.steps);
    if (!request.reviewers.empty()) result.steps.push_back(AskReviewers(request, fork, open->number));
    return result;
  }
  result.steps.push_back(
      {"pull", state,
       absl::StrCat("POST /repos/", fork.upstream, "/pulls: ", description.title, " (", head.repository, ":",
                    proposal.branch, " → ", proposal.base, request.draft ? "), as a draft" : ")")});
  if (request.dry_run) {
    if (!request.reviewers.empty()) result.steps.push_back(AskReviewers(request, fork, 0));
    return result;
  }
  const absl::StatusOr<ForgePull> made =
      CreateOnce(fork, {description.title, description.body, head, proposal.base, request.draft});
  if (!made.ok()) {
    // What is pushed stays: the next call finds it there.
    const std::vector<PushedRef> pushed = result.pushed;
    const std::vector<GitRefChange> refs = result.refs;
    const std::vector<std::string> backups = result.backups;
    result.steps.back().state = "left";
    ASSIGN_OR_RETURN(Result failed, ForgeRefused(fork, std::move(result), made.status()));
    failed.outcome = Result::Outcome::kFailed;
    failed.pushed = pushed;
    failed.refs = refs;
    failed.backups = backups;
    return failed;
  }
  result.pull = PullRequest{made->number, made->url};
  if (!request.reviewers.empty()) result.steps.push_back(AskReviewers(request, fork, made->number));
  return result;
}

absl::StatusOr<Result> PullStatus(const StatusRequest& request, const Fork& fork) {
  Result result;
  result.command = "status";
  int64_t number = request.number;
  if (number == 0) {
    ASSIGN_OR_RETURN(const Workspace work, OpenWorkspace(request.repo, /*dry_run=*/true));
    result.branch = work.branch();
    if (result.branch.empty()) return absl::InvalidArgumentError("HEAD is detached: name a pull request");
    const absl::StatusOr<OwnPulls> found = FindOwnPulls(fork, result.branch);
    if (!found.ok()) return ForgeRefused(fork, std::move(result), found.status());
    if (found->pulls.empty()) {
      std::string reason = absl::StrCat("no open pull request comes from ", found->origin, ":", result.branch);
      return Refuse(std::move(result), std::move(reason), "yard workflow pr");
    }
    number = found->pulls.back().number;
  }
  const ForgeSubject subject{fork.upstream, number, /*pull_request=*/true};
  const absl::StatusOr<ForgePull> pull = fork.forge.GetPull(CommandCall(), subject);
  if (!pull.ok()) return ForgeRefused(fork, std::move(result), pull.status());
  const absl::StatusOr<std::vector<ForgeCommit>> commits = fork.forge.ListPullCommits(CommandCall(), subject);
  if (!commits.ok()) return ForgeRefused(fork, std::move(result), commits.status());
  const absl::StatusOr<ForgePullFileList> files = fork.forge.ListPullFiles(CommandCall(), subject);
  if (!files.ok()) return ForgeRefused(fork, std::move(result), files.status());
  PullRequest shown{pull->number, pull->url};
  shown.title = pull->title;
  shown.state = pull->state == ForgeState::kOpen && pull->draft ? "draft" : std::string(ForgeStateName(pull->state));
  shown.author = pull->author.login;
  shown.head = absl::StrCat(pull->head_repository, ":", pull->head_ref);
  shown.base = pull->base_ref;
  shown.labels = pull->labels;
  shown.reviewers = pull->reviewers;
  shown.created_at = pull->created_at;
  shown.updated_at = pull->updated_at;
  shown.commits = static_cast<int64_t>(commits->size());
  shown.files = static_cast<int64_t>(files->files.size());
  for (const ForgePullFile& file : files->files) {
    shown.additions += file.additions > 0 ? file.additions : 0;
    shown.deletions += file.deletions > 0 ? file.deletions : 0;
  }
  result.pull = std::move(shown);
  return result;
}

}  // namespace yardmaster::workflow
