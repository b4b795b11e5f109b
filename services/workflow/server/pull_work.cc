#include "services/workflow/server/pull_work.h"

#include <memory>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "clients/git/git_drafts.h"
#include "services/core/errors.h"
#include "services/core/short_commit.h"
#include "services/core/status_macros.h"
#include "services/workflow/commit_message.h"
#include "services/workflow/describe.h"
#include "services/workflow/squash.h"

namespace yardmaster::workflow {
namespace {

using Kind = v1::PullOperation;

// As of the effect.
constexpr size_t kMaxPackBytes = 8 * 1024 * 1024;
constexpr std::string_view kBackportTrailer = "\n(cherry picked from commit {})\n";

std::vector<std::string> IdsOf(const std::vector<GitCommit>& commits) {
  std::vector<std::string> ids;
  ids.reserve(commits.size());
  for (const GitCommit& commit : commits) ids.push_back(commit.id);
  return ids;
}

class PullWorker {
 public:
  PullWorker(const PullWorkRequest& request, PullMaterial& material, GitDrafts* drafts)
      : request_(request), material_(material), drafts_(drafts) {}

  absl::StatusOr<PullWorkResult> Work();

 private:
  absl::Status Squash();
  absl::Status Rebase();
  absl::Status Backport();
  absl::Status Append();
  absl::Status Update();
  absl::Status Sync();
  absl::Status Undo();

  void Refuse(std::string_view code, std::string detail) {
    result_.refusal = PullRefusal{std::string(code), std::move(detail)};
  }
  // New commits are by the author of the newest one: a project that knows the mail of that one knows theirs.
  absl::StatusOr<GitCommitter> Committer() const {
    if (material_.commits.empty()) return errors::Internal("commits are made of a pull request that has none");
    return GitCommitter{material_.commits.back().id, request_.seconds};
  }
  absl::StatusOr<std::string> Made(const GitNewCommit& commit);
  // The new tip; empty where it stopped, which is then refused.
  absl::StatusOr<std::string> Replayed(const std::vector<std::string>& commits, const std::string& onto,
                                       const std::string& trailer);
  // The message that is wanted, or one of these; empty where it must not be used, which is then refused.
  std::string MessageFor(const std::vector<GitCommit>& commits);
  void PushTo(const ForgePull& pull, const std::string& tip);
  absl::Status Pack(const std::vector<std::string>& known);
  Language TextLanguage() const { return request_.operation.chinese() ? Language::kChinese : Language::kEnglish; }
  absl::StatusOr<Description> Described(const std::string& text);

  const PullWorkRequest& request_;
  PullMaterial& material_;
  GitDrafts* const drafts_;
  PullWorkResult result_;
  std::vector<std::string> made_;
};

absl::StatusOr<std::string> PullWorker::Replayed(const std::vector<std::string>& commits, const std::string& onto,
                                                 const std::string& trailer) {
  ASSIGN_OR_RETURN(const GitCommitter committer, Committer());
  const absl::StatusOr<GitReplay> replay = drafts_->Replay(commits, onto, trailer, committer);
  if (absl::IsFailedPrecondition(replay.status())) {
    Refuse("merges", std::string(replay.status().message()));
    return std::string();
  }
  RETURN_IF_ERROR(replay.status());
  if (!replay->stopped_at.empty()) {
    Refuse("conflict", absl::StrCat(ShortCommit(replay->stopped_at), ": ", absl::StrJoin(replay->conflicts, ", ")));
    result_.hunks = replay->hunks;
    return std::string();
  }
  made_.insert(made_.end(), replay->commits.begin(), replay->commits.end());
  return replay->tip;
}

absl::StatusOr<std::string> PullWorker::Made(const GitNewCommit& commit) {
  ASSIGN_OR_RETURN(const GitCommitter committer, Committer());
  ASSIGN_OR_RETURN(std::string tip, drafts_->MakeCommit(commit, committer));
  made_.push_back(tip);
  return tip;
}

std::string PullWorker::MessageFor(const std::vector<GitCommit>& commits) {
  std::string message = request_.operation.message().empty() ? SquashedMessage(commits)
                                                             : absl::StrCat(request_.operation.message(), "\n");
  if (const std::optional<std::string> bad = WhyBadMessage(message)) {
    Refuse("bad-message", *bad);
    return std::string();
  }
  return message;
}

void PullWorker::PushTo(const ForgePull& pull, const std::string& tip) {
  result_.repository = pull.head_repository;
  result_.move = {"refs/heads/" + pull.head_ref, pull.head_sha, tip};
}

absl::Status PullWorker::Pack(const std::vector<std::string>& known) {
  std::vector<std::string> commits = material_.lacking;
  commits.insert(commits.end(), made_.begin(), made_.end());
  absl::StatusOr<std::string> pack = drafts_->Pack(commits, known, kMaxPackBytes);
  if (absl::IsInvalidArgument(pack.status())) {
    Refuse("too-large", std::string(pack.status().message()));
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(pack.status());
  result_.pack = *std::move(pack);
  return absl::OkStatus();
}

absl::StatusOr<Description> PullWorker::Described(const std::string& text) {
  GitRepository& repository = material_.handle->repository();
  const std::vector<GitCommit>& commits = material_.commits;
  std::unique_ptr<GitTree> base = repository.EmptyTree();
  if (!commits.front().parents.empty()) {
    ASSIGN_OR_RETURN(base, repository.TreeOf(commits.front().parents.front()));
  }
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> head, repository.TreeOf(commits.back().id));
  ASSIGN_OR_RETURN(const std::vector<FileFacts> facts, FactsBetween(repository, *base, *head));
  return Describe(commits, facts, text, TextLanguage());
}

absl::Status PullWorker::Squash() {
  if (material_.commits.size() < 2) {
    Refuse("one-commit", absl::StrCat(material_.commits.size()));
    return absl::OkStatus();
  }
  GitNewCommit commit;
  commit.tree_of = request_.pull.head_sha;
  commit.parent = material_.handle->merge_base();
  commit.author_of = material_.commits.front().id;
  commit.message = MessageFor(material_.commits);
  if (result_.refusal.has_value()) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string tip, Made(commit));
  PushTo(request_.pull, tip);
  // The tree is that of the head, which is there.
  return Pack({request_.pull.head_sha});
}

absl::Status PullWorker::Rebase() {
  if (material_.handle->merge_base() == material_.onto) {
    Refuse("up-to-date", request_.pull.base_ref);
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN(const std::string tip, Replayed(IdsOf(material_.commits), material_.onto, ""));
  if (result_.refusal.has_value()) return absl::OkStatus();
  if (made_.empty()) {
    Refuse("nothing-left", request_.pull.base_ref);
    return absl::OkStatus();
  }
  PushTo(request_.pull, tip);
  return Pack({});
}

absl::Status PullWorker::Backport() {
  const std::string& branch = request_.operation.branch();
  ASSIGN_OR_RETURN(const std::string tip,
                   Replayed(IdsOf(material_.commits), material_.onto, std::string(kBackportTrailer)));
  if (result_.refusal.has_value()) return absl::OkStatus();
  if (made_.empty()) {
    Refuse("nothing-left", branch);
    return absl::OkStatus();
  }
  const std::string name = BackportBranch(request_.pull.number, branch);
  if (!material_.place.empty()) {
    Refuse("branch-taken", name);
    return absl::OkStatus();
  }
  result_.repository = request_.repository;
  result_.move = {"refs/heads/" + name, "", tip};
  ASSIGN_OR_RETURN(result_.description, Described(material_.description_template));
  result_.description.title = absl::StrCat("[", branch, "] ", request_.pull.title);
  // It is our text that quotes theirs: nobody is called by it once more.
  const bool chinese = TextLanguage() == Language::kChinese;
  result_.description.body = absl::StrCat(chinese ? "将 #" : "Backport of #", request_.pull.number,
                                          chinese ? " 移植到 `" : " to `", branch, chinese ? "`。\n\n" : "`.\n\n",
                                          absl::StrReplaceAll(result_.description.body, {{"@", "@\xe2\x81\xa0"}}));
  return Pack({});
}

absl::Status PullWorker::Append() {
  const ForgePull& target = request_.target;
  if (material_.commits.empty()) {
    Refuse("no-commits", absl::StrCat("#", request_.pull.number, " has none that #", target.number, " lacks"));
    return absl::OkStatus();
  }
  const bool amend = request_.operation.amend();
  std::vector<GitCommit> theirs = material_.target_commits;
  std::optional<GitCommit> amended;
  if (amend) {
    if (theirs.empty()) {
      Refuse("no-commits", absl::StrCat("#", target.number, " has none that could be amended"));
      return absl::OkStatus();
    }
    amended = std::move(theirs.back());
    theirs.pop_back();
    if (amended->parents.size() != 1) {
      Refuse("merges", ShortCommit(amended->id));
      return absl::OkStatus();
    }
  }
  // 1. Theirs, where they are wanted on the tip. Any of them may be there already, so that nothing of it is left.
  std::string tip = target.head_sha;
  std::string below = amend ? amended->parents.front() : tip;
  if (!request_.operation.keep_base()) {
    ASSIGN_OR_RETURN(below, Replayed(IdsOf(theirs), material_.onto, ""));
    if (result_.refusal.has_value()) return absl::OkStatus();
    tip = below;
  }
  const size_t kept = made_.size();
  if (amend && !request_.operation.keep_base()) {
    ASSIGN_OR_RETURN(tip, Replayed({amended->id}, below, ""));
    if (result_.refusal.has_value()) return absl::OkStatus();
  }
  // 2. What is added.
  const size_t before = made_.size();
  ASSIGN_OR_RETURN(tip, Replayed(IdsOf(material_.commits), tip, ""));
  if (result_.refusal.has_value()) return absl::OkStatus();
  if (made_.size() == before) {
    Refuse("nothing-left", absl::StrCat("#", target.number));
    return absl::OkStatus();
  }
  // 3. Both in one commit: it has all that those have which it is made of.
  if (amend) {
    made_.resize(kept);
    GitNewCommit commit{tip, below, amended->id, MessageFor({*amended})};
    if (result_.refusal.has_value()) return absl::OkStatus();
    ASSIGN_OR_RETURN(tip, Made(commit));
  }
  PushTo(target, tip);
  return Pack({});
}

absl::Status PullWorker::Update() {
  const v1::PullOperation& operation = request_.operation;
  ASSIGN_OR_RETURN(result_.description, Described(request_.pull.body));
  // A title that says more than a made one stays.
  const std::string& title = request_.pull.title;
  if (!absl::StartsWith(title, "Update") && title.size() >= result_.description.title.size()) {
    result_.description.title = title;
  }
  if (!operation.title().empty()) result_.description.title = operation.title();
  if (!operation.body().empty()) result_.description.body = operation.body();
  result_.gaps = GapsOf(result_.description.body, TextLanguage());
  if (result_.description.title == title && result_.description.body == request_.pull.body) {
    Refuse("up-to-date", absl::StrCat("#", request_.pull.number));
  }
  return absl::OkStatus();
}

absl::Status PullWorker::Sync() {
  const std::string& tip = material_.handle->head();
  if (tip == material_.place) {
    Refuse("up-to-date", request_.operation.branch());
    return absl::OkStatus();
  }
  result_.repository = request_.pull.head_repository;
  result_.move = {"refs/heads/" + request_.operation.branch(), material_.place, tip};
  return Pack({});
}

absl::Status PullWorker::Undo() {
  result_.repository = request_.undo_repository;
  result_.move = {request_.undo.ref, request_.undo.new_id, request_.undo.old_id};
  if (request_.undo.old_id.empty() || !material_.handle.has_value()) return absl::OkStatus();
  made_ = IdsOf(material_.commits);
  return Pack({});
}

absl::StatusOr<PullWorkResult> PullWorker::Work() {
  result_.refusal = material_.refusal;
  result_.commits = material_.commits.size();
  if (result_.refusal.has_value()) return std::move(result_);
  switch (request_.operation.kind()) {
    case Kind::KIND_SQUASH:
      RETURN_IF_ERROR(Squash());
      break;
    case Kind::KIND_REBASE:
      RETURN_IF_ERROR(Rebase());
      break;
    case Kind::KIND_UPDATE:
      RETURN_IF_ERROR(Update());
      break;
    case Kind::KIND_BACKPORT:
      RETURN_IF_ERROR(Backport());
      break;
    case Kind::KIND_SYNC:
      RETURN_IF_ERROR(Sync());
      break;
    case Kind::KIND_APPEND:
      RETURN_IF_ERROR(Append());
      break;
    case Kind::KIND_UNDO:
      RETURN_IF_ERROR(Undo());
      break;
    default:
      return errors::Internal("an operation without a name");
  }
  return std::move(result_);
}

}  // namespace

absl::StatusOr<PullWorkResult> WorkOnPull(const PullWorkRequest& request, PullMaterial& material) {
  std::unique_ptr<GitDrafts> drafts;
  if (material.handle.has_value()) {
    ASSIGN_OR_RETURN(drafts, GitDrafts::Open(material.handle->path()));
  }
  return PullWorker(request, material, drafts.get()).Work();
}

}  // namespace yardmaster::workflow
