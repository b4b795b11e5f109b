// What is fetched for work on a pull request.
#include <memory>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/forge/pull_ref.h"
#include "clients/git/git_drafts.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"
#include "services/workflow/pull_template.h"
#include "services/workflow/server/pull_work.h"

namespace yardmaster::workflow {
namespace {

using Kind = v1::PullOperation;

constexpr size_t kMaxPullCommits = 500;
// Of a branch that a fork is behind by. Beyond it the fork's server must have them: those of a forge mostly share what
// they hold.
constexpr size_t kMaxLacking = 500;

class MaterialReader {
 public:
  MaterialReader(const PullGit& git, const PullWorkRequest& request) : git_(git), request_(request) {}

  absl::StatusOr<PullMaterial> Read();

 private:
  GitPoint HeadOf(const ForgePull& pull) const { return {pull.head_sha, PullRefOf(request_.pull_ref, pull.number)}; }
  static GitPoint BranchOf(const std::string& branch) { return {"", "refs/heads/" + branch}; }

  // The two points, with what lies between them and their merge base.
  absl::Status Fetch(const GitPoint& base, const GitPoint& head);
  // Notes the commits that the head of what was fetched has and its base has not.
  absl::Status ListCommits();
  // Fetches a pull request with its commits: it has some, or it is refused.
  absl::Status FetchPull(const GitPoint& base);
  // Commits that `tip` has and `base` has not, without those of `commits` that the repository has that is pushed to.
  absl::Status NoteLacking(const std::string& repository, const std::string& base, const std::string& tip);
  absl::Status NeedFiles(const std::vector<GitCommit>& commits, const std::string& onto);
  absl::Status NotePlace(const std::string& repository, const std::string& ref);
  absl::Status ReadTemplate();

  absl::Status ReadSquash();
  absl::Status ReadRebase();
  absl::Status ReadUpdate();
  absl::Status ReadBackport();
  absl::Status ReadSync();
  absl::Status ReadAppend();
  absl::Status ReadUndo();

  GitRepository& repository() const { return material_.handle->repository(); }
  void Refuse(std::string_view code, std::string detail) {
    material_.refusal = PullRefusal{std::string(code), std::move(detail)};
  }

  const PullGit& git_;
  const PullWorkRequest& request_;
  PullMaterial material_;
};

absl::Status MaterialReader::Fetch(const GitPoint& base, const GitPoint& head) {
  GitCacheRequest request;
  request.repository = request_.repository;
  request.base = base;
  request.head = head;
  ASSIGN_OR_RETURN(material_.handle, git_.cache.Fetch(request));
  const GitCacheHandle& handle = *material_.handle;
  if (handle.merge_base().empty()) {
    Refuse("no-commits", "the branches have no common history");
  }
  return absl::OkStatus();
}

absl::Status MaterialReader::ListCommits() {
  if (material_.refusal.has_value()) return absl::OkStatus();
  const GitCacheHandle& handle = *material_.handle;
  ASSIGN_OR_RETURN(material_.commits, repository().Commits(handle.merge_base(), handle.head(), kMaxPullCommits + 1));
  if (material_.commits.size() > kMaxPullCommits) {
    Refuse("too-large", absl::StrCat("over ", kMaxPullCommits, " commits"));
  }
  return absl::OkStatus();
}

absl::Status MaterialReader::FetchPull(const GitPoint& base) {
  RETURN_IF_ERROR(Fetch(base, HeadOf(request_.pull)));
  RETURN_IF_ERROR(ListCommits());
  if (!material_.refusal.has_value() && material_.commits.empty()) {
    Refuse("no-commits", absl::StrCat(request_.pull.base_ref, " has all of them"));
  }
  return absl::OkStatus();
}

absl::Status MaterialReader::NeedFiles(const std::vector<GitCommit>& commits, const std::string& onto) {
  std::vector<std::string> ids;
  ids.reserve(commits.size());
  for (const GitCommit& commit : commits) ids.push_back(commit.id);
  ASSIGN_OR_RETURN(const std::unique_ptr<GitDrafts> drafts, GitDrafts::Open(material_.handle->path()));
  ASSIGN_OR_RETURN(const std::vector<std::string> files, drafts->Files(ids, onto));
  RETURN_IF_ERROR(material_.handle->NeedBlobs(files));
  if (onto.empty()) return absl::OkStatus();
  // What a search for renames reads.
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> base, repository().TreeOf(material_.handle->merge_base()));
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> target, repository().TreeOf(onto));
  const absl::StatusOr<std::vector<std::string>> missing = repository().MissingForDiff(*base, *target);
  // Too many of them: it is done without.
  return missing.ok() ? material_.handle->NeedBlobs(*missing) : absl::OkStatus();
}

absl::Status MaterialReader::NotePlace(const std::string& repository, const std::string& ref) {
  ASSIGN_OR_RETURN(const std::vector<GitRef> refs, git_.pusher.Refs(repository));
  material_.place = PlaceOf(refs, ref);
  return absl::OkStatus();
}

absl::Status MaterialReader::NoteLacking(const std::string& repository, const std::string& base,
                                         const std::string& tip) {
  if (repository == request_.repository) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::vector<GitRef> refs, git_.pusher.Refs(repository));
  ASSIGN_OR_RETURN(const std::vector<GitCommit> between, this->repository().Commits(base, tip, kMaxLacking + 1));
  if (between.size() > kMaxLacking) return absl::OkStatus();
  std::set<std::string> known;
  for (const GitRef& ref : refs) known.insert(ref.object);
  // Who has a commit has its ancestors.
  for (auto commit = between.rbegin(); commit != between.rend(); ++commit) {
    if (known.contains(commit->id)) known.insert(commit->parents.begin(), commit->parents.end());
  }
  std::vector<GitCommit> lacking;
  absl::c_copy_if(between, std::back_inserter(lacking),
                  [&](const GitCommit& commit) { return !known.contains(commit.id); });
  for (const GitCommit& commit : lacking) material_.lacking.push_back(commit.id);
  return NeedFiles(lacking, "");
}

absl::Status MaterialReader::ReadTemplate() {
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> tree, repository().TreeOf(material_.handle->base()));
  ASSIGN_OR_RETURN(const GitTreeEntry entry, FindTemplate(*tree, request_.templates));
  if (entry.mode == 0) return absl::OkStatus();
  RETURN_IF_ERROR(material_.handle->NeedBlobs({entry.object}));
  ASSIGN_OR_RETURN(material_.description_template, tree->Read(entry, kMaxTemplateBytes));
  return absl::OkStatus();
}

absl::Status MaterialReader::ReadSquash() { return FetchPull(BranchOf(request_.pull.base_ref)); }

absl::Status MaterialReader::ReadRebase() {
  RETURN_IF_ERROR(FetchPull(BranchOf(request_.pull.base_ref)));
  if (material_.refusal.has_value()) return absl::OkStatus();
  material_.onto = material_.handle->base();
  RETURN_IF_ERROR(NeedFiles(material_.commits, material_.onto));
  return NoteLacking(request_.pull.head_repository, material_.handle->merge_base(), material_.onto);
}

absl::Status MaterialReader::ReadUpdate() {
  RETURN_IF_ERROR(FetchPull(BranchOf(request_.pull.base_ref)));
  return material_.refusal.has_value() ? absl::OkStatus() : NeedFiles(material_.commits, "");
}

absl::Status MaterialReader::ReadBackport() {
  // Of one that is merged the base is where it was when that happened: the branch has its commits by now.
  const bool known = !request_.pull.base_sha.empty();
  RETURN_IF_ERROR(FetchPull(known ? GitPoint{request_.pull.base_sha, ""} : BranchOf(request_.pull.base_ref)));
  if (material_.refusal.has_value()) return absl::OkStatus();
  // The other branch, with all that lies between it and the commits.
  const absl::Status fetched = Fetch(BranchOf(request_.operation.branch()), HeadOf(request_.pull));
  if (absl::IsNotFound(fetched)) {
    Refuse("no-such-branch", request_.operation.branch());
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(fetched);
  if (material_.refusal.has_value()) return absl::OkStatus();
  material_.onto = material_.handle->base();
  RETURN_IF_ERROR(NeedFiles(material_.commits, material_.onto));
  RETURN_IF_ERROR(ReadTemplate());
  return NotePlace(request_.repository,
                   "refs/heads/" + BackportBranch(request_.pull.number, request_.operation.branch()));
}

absl::Status MaterialReader::ReadSync() {
  const std::string& branch = request_.operation.branch();
  RETURN_IF_ERROR(NotePlace(request_.pull.head_repository, "refs/heads/" + branch));
  if (material_.place.empty()) {
    Refuse("no-such-branch", absl::StrCat(branch, " of ", request_.pull.head_repository));
    return absl::OkStatus();
  }
  const absl::Status fetched = Fetch({material_.place, ""}, BranchOf(branch));
  if (absl::IsNotFound(fetched)) {
    // The fork's commit is none of the repository's.
    Refuse("diverged", branch);
    return absl::OkStatus();
  }
  RETURN_IF_ERROR(fetched);
  if (material_.refusal.has_value()) return absl::OkStatus();
  if (material_.handle->merge_base() != material_.place) {
    Refuse("diverged", branch);
    return absl::OkStatus();
  }
  return NoteLacking(request_.pull.head_repository, material_.place, material_.handle->head());
}

absl::Status MaterialReader::ReadAppend() {
  const ForgePull& target = request_.target;
  RETURN_IF_ERROR(Fetch(BranchOf(target.base_ref), HeadOf(target)));
  RETURN_IF_ERROR(ListCommits());
  if (material_.refusal.has_value()) return absl::OkStatus();
  const GitCacheHandle before = *std::exchange(material_.handle, std::nullopt);
  std::vector<GitCommit> theirs = std::exchange(material_.commits, {});
  RETURN_IF_ERROR(Fetch({before.base(), ""}, HeadOf(request_.pull)));
  RETURN_IF_ERROR(ListCommits());
  if (material_.refusal.has_value()) return absl::OkStatus();
  if (material_.handle->path() != before.path()) {
    return errors::GitServerUnusable(request_.repository, "its cache was made anew meanwhile");
  }
  // Those that the other pull request stands on are there already.
  std::erase_if(material_.commits, [&theirs](const GitCommit& commit) {
    return absl::c_any_of(theirs, [&commit](const GitCommit& one) { return one.id == commit.id; });
  });
  material_.target_commits = std::move(theirs);
  material_.onto = request_.operation.keep_base() ? target.head_sha : before.base();
  RETURN_IF_ERROR(NeedFiles(material_.target_commits, material_.onto));
  RETURN_IF_ERROR(NeedFiles(material_.commits, material_.onto));
  if (request_.operation.keep_base()) return absl::OkStatus();
  return NoteLacking(target.head_repository, before.merge_base(), material_.onto);
}

absl::Status MaterialReader::ReadUndo() {
  RETURN_IF_ERROR(NotePlace(request_.undo_repository, request_.undo.ref));
  if (material_.place != request_.undo.new_id) {
    Refuse("moved", request_.undo.ref);
    return absl::OkStatus();
  }
  if (request_.undo.old_id.empty()) return absl::OkStatus();
  // The server may have forgotten the old commits. Where they can't be had any more, it must have them.
  absl::Status fetched = Fetch(BranchOf(request_.pull.base_ref), {request_.undo.old_id, ""});
  if (fetched.ok()) fetched = ListCommits();
  const bool listed = fetched.ok() && !std::exchange(material_.refusal, std::nullopt).has_value();
  if (!listed || !NeedFiles(material_.commits, "").ok()) {
    material_.commits.clear();
    material_.handle.reset();
  }
  return absl::OkStatus();
}

absl::StatusOr<PullMaterial> MaterialReader::Read() {
  switch (request_.operation.kind()) {
    case Kind::KIND_SQUASH:
      RETURN_IF_ERROR(ReadSquash());
      break;
    case Kind::KIND_REBASE:
      RETURN_IF_ERROR(ReadRebase());
      break;
    case Kind::KIND_UPDATE:
      RETURN_IF_ERROR(ReadUpdate());
      break;
    case Kind::KIND_BACKPORT:
      RETURN_IF_ERROR(ReadBackport());
      break;
    case Kind::KIND_SYNC:
      RETURN_IF_ERROR(ReadSync());
      break;
    case Kind::KIND_APPEND:
      RETURN_IF_ERROR(ReadAppend());
      break;
    case Kind::KIND_UNDO:
      RETURN_IF_ERROR(ReadUndo());
      break;
    default:
      return errors::Internal("an operation without a name");
  }
  return std::move(material_);
}

}  // namespace

std::string BackportBranch(int64_t number, const std::string& branch) {
  return absl::StrCat("backport-", number, "-to-", branch);
}

absl::StatusOr<PullMaterial> ReadPullMaterial(const PullGit& git, const PullWorkRequest& request) {
  return MaterialReader(git, request).Read();
}

}  // namespace yardmaster::workflow
