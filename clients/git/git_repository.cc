#include "clients/git/git_repository.h"

#include <iterator>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "clients/git/git_diff.h"
#include "clients/git/git_snapshot.h"
#include "clients/git/git_tree.h"
#include "clients/git/libgit2.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

std::string TextOf(const char* text) { return text == nullptr ? std::string() : std::string(text); }

class Libgit2Repository final : public GitRepository {
 public:
  explicit Libgit2Repository(git2::Repository repository) : repository_(std::move(repository)) {}

  std::string work_tree() const override { return TextOf(git_repository_workdir(repository_.get())); }
  absl::Status ReadAlso(const std::filesystem::path& objects) override {
    return git2::AddObjectFolder(*repository_, objects);
  }
  absl::StatusOr<std::string> Resolve(std::string_view revision) override;
  absl::StatusOr<std::string> MergeBase(const std::string& a, const std::string& b) override;
  absl::StatusOr<std::vector<GitCommit>> Commits(const std::string& base, const std::string& head, size_t max) override;
  absl::StatusOr<std::vector<GitCommit>> Merged(const std::string& base, const std::string& head, size_t max) override;
  absl::StatusOr<std::unique_ptr<GitTree>> TreeOf(const std::string& commit) override;
  absl::StatusOr<std::unique_ptr<GitTree>> IndexTree() override;
  absl::StatusOr<std::unique_ptr<GitTree>> WorkTree() override;
  std::unique_ptr<GitTree> EmptyTree() override { return std::make_unique<StoredGitTree>(*repository_, git2::Tree()); }
  absl::StatusOr<std::vector<GitChangedFile>> Diff(GitTree& base, GitTree& head, size_t max_files) override {
    // All trees of this repository are of this class.
    return DiffOfTrees(*repository_, static_cast<StoredGitTree&>(base), static_cast<StoredGitTree&>(head), max_files);
  }
  std::vector<std::string> Missing(const std::vector<std::string>& objects) override;
  absl::StatusOr<std::vector<std::string>> MissingForDiff(GitTree& base, GitTree& head) override;

 private:
  enum class Parents : uint8_t { kAll, kFirst };

  absl::StatusOr<git2::Commit> CommitOf(const std::string& id) const;
  // Commits that `head` has and `base` (empty: none) has not, newest first.
  absl::StatusOr<std::vector<GitCommit>> Walk(const std::string& base, const std::string& head, Parents parents,
                                              size_t max) const;
  // A walk over history met an object that is not there.
  absl::Status WalkError() const;
  // That objects may be made of what lies there.
  absl::Status NeedWorkTree();

  const git2::Repository repository_;
  bool writes_in_memory_ = false;
};

absl::Status Libgit2Repository::WalkError() const {
  // The walks of libgit2 don't all pass on the code of what they met.
  if (git_error_last()->klass == GIT_ERROR_ODB && git_repository_is_shallow(repository_.get()) == 1) {
    return errors::GitHistoryCut();
  }
  return errors::GitRepositoryDamaged(git2::LastError());
}

absl::StatusOr<git2::Commit> Libgit2Repository::CommitOf(const std::string& id) const {
  git_oid oid;
  if (git_oid_fromstr(&oid, id.c_str()) != 0) return errors::GitRevisionUnknown(id);
  int code = 0;
  auto commit = git2::Get<git2::Commit>(code, git_commit_lookup, repository_.get(), &oid);
  if (code == GIT_ENOTFOUND) return errors::GitRevisionUnknown(id);
  if (code != 0) return errors::GitRepositoryDamaged(git2::LastError());
  return commit;
}

absl::StatusOr<std::string> Libgit2Repository::Resolve(std::string_view revision) {
  const std::string text(revision);
  int code = 0;
  const auto object = git2::Get<git2::Object>(code, git_revparse_single, repository_.get(), text.c_str());
  // A parent that is named but was not fetched is an absent object, not an absent name.
  if (code == GIT_ENOTFOUND && git_error_last()->klass == GIT_ERROR_ODB &&
      revision.find_first_of("~^") != revision.npos && git_repository_is_shallow(repository_.get()) == 1) {
    return errors::GitHistoryCut();
  }
  if (code == GIT_ENOTFOUND) return errors::GitRevisionUnknown(revision);
  if (code != 0) return errors::GitRevisionInvalid(revision, git2::LastError());
  const auto commit = git2::Get<git2::Object>(code, git_object_peel, object.get(), GIT_OBJECT_COMMIT);
  if (code != 0) return errors::GitRevisionInvalid(revision, git2::LastError());
  return git2::Hex(*git_object_id(commit.get()));
}

absl::StatusOr<std::string> Libgit2Repository::MergeBase(const std::string& a, const std::string& b) {
  ASSIGN_OR_RETURN(const git2::Commit first, CommitOf(a));
  ASSIGN_OR_RETURN(const git2::Commit second, CommitOf(b));
  git_oid base;
  const int code = git_merge_base(&base, repository_.get(), git_commit_id(first.get()), git_commit_id(second.get()));
  if (code == 0) return git2::Hex(base);
  if (code == GIT_ENOTFOUND && git_error_last()->klass == GIT_ERROR_MERGE) return errors::NoMergeBase(a, b);
  return WalkError();
}

absl::StatusOr<std::vector<GitCommit>> Libgit2Repository::Walk(const std::string& base, const std::string& head,
                                                               Parents parents, size_t max) const {
  ASSIGN_OR_RETURN(const git2::Commit new_commit, CommitOf(head));
  int code = 0;
  const auto walk = git2::Get<git2::RevWalk>(code, git_revwalk_new, repository_.get());
  if (code == 0) code = git_revwalk_sorting(walk.get(), GIT_SORT_TOPOLOGICAL | GIT_SORT_TIME);
  if (code == 0 && parents == Parents::kFirst) code = git_revwalk_simplify_first_parent(walk.get());
  if (code == 0) code = git_revwalk_push(walk.get(), git_commit_id(new_commit.get()));
  if (code == 0 && !base.empty()) {
    ASSIGN_OR_RETURN(const git2::Commit old_commit, CommitOf(base));
    code = git_revwalk_hide(walk.get(), git_commit_id(old_commit.get()));
  }
  std::vector<GitCommit> commits;
  git_oid id;
  while (code == 0 && commits.size() < max && (code = git_revwalk_next(&id, walk.get())) == 0) {
    ASSIGN_OR_RETURN(const git2::Commit commit, CommitOf(git2::Hex(id)));
    const git_signature* const author = git_commit_author(commit.get());
    GitCommit& one = commits.emplace_back();
    one.id = git2::Hex(id);
    one.message = TextOf(git_commit_message(commit.get()));
    one.author_name = TextOf(author->name);
    one.author_email = TextOf(author->email);
    for (unsigned i = 0; i < git_commit_parentcount(commit.get()); ++i) {
      one.parents.push_back(git2::Hex(*git_commit_parent_id(commit.get(), i)));
    }
  }
  if (code != 0 && code != GIT_ITEROVER) return WalkError();
  return commits;
}

absl::StatusOr<std::vector<GitCommit>> Libgit2Repository::Commits(const std::string& base, const std::string& head,
                                                                  size_t max) {
  ASSIGN_OR_RETURN(std::vector<GitCommit> commits, Walk(base, head, Parents::kAll, max));
  absl::c_reverse(commits);
  return commits;
}

absl::StatusOr<std::vector<GitCommit>> Libgit2Repository::Merged(const std::string& base, const std::string& head,
                                                                 size_t max) {
  return Walk(base, head, Parents::kFirst, max);
}

absl::StatusOr<std::unique_ptr<GitTree>> Libgit2Repository::TreeOf(const std::string& commit) {
  ASSIGN_OR_RETURN(const git2::Commit owner, CommitOf(commit));
  int code = 0;
  auto tree = git2::Get<git2::Tree>(code, git_commit_tree, owner.get());
  if (code != 0) return GitReadError(code, git2::Hex(*git_commit_tree_id(owner.get())));
  return std::make_unique<StoredGitTree>(*repository_, std::move(tree));
}

absl::Status Libgit2Repository::NeedWorkTree() {
  if (git_repository_is_bare(repository_.get()) == 1) {
    return errors::GitRepositoryUnusable(TextOf(git_repository_path(repository_.get())),
                                         "it is bare: there is no index and no work tree");
  }
  if (!writes_in_memory_) RETURN_IF_ERROR(KeepWritesInMemory(*repository_));
  writes_in_memory_ = true;
  return absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<GitTree>> Libgit2Repository::IndexTree() {
  RETURN_IF_ERROR(NeedWorkTree());
  ASSIGN_OR_RETURN(git2::Tree tree, SnapshotIndex(*repository_));
  return std::make_unique<StoredGitTree>(*repository_, std::move(tree));
}

absl::StatusOr<std::unique_ptr<GitTree>> Libgit2Repository::WorkTree() {
  RETURN_IF_ERROR(NeedWorkTree());
  ASSIGN_OR_RETURN(git2::Tree tree, SnapshotWorkTree(*repository_));
  return std::make_unique<StoredGitTree>(*repository_, std::move(tree), work_tree());
}

std::vector<std::string> Libgit2Repository::Missing(const std::vector<std::string>& objects) {
  int code = 0;
  const auto odb = git2::Get<git2::Odb>(code, git_repository_odb, repository_.get());
  std::vector<std::string> missing;
  absl::c_copy_if(objects, std::back_inserter(missing), [&odb](const std::string& object) {
    git_oid id;
    return odb == nullptr || git_oid_fromstr(&id, object.c_str()) != 0 || git_odb_exists(odb.get(), &id) == 0;
  });
  return missing;
}

absl::StatusOr<std::vector<std::string>> Libgit2Repository::MissingForDiff(GitTree& base, GitTree& head) {
  ASSIGN_OR_RETURN(
      const std::vector<GitChangedFile> files,
      ChangesBetweenTrees(*repository_, static_cast<StoredGitTree&>(base), static_cast<StoredGitTree&>(head)));
  std::set<std::string> objects;
  for (const GitChangedFile& file : files) {
    for (const GitTreeEntry& entry : {file.base, file.head}) {
      if (entry.mode != 0 && entry.mode != kGitSubmoduleMode) objects.insert(entry.object);
    }
  }
  return Missing({objects.begin(), objects.end()});
}

}  // namespace

absl::StatusOr<std::unique_ptr<GitRepository>> GitRepository::Open(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(git2::Repository repository, git2::OpenRepository(path));
  return std::make_unique<Libgit2Repository>(std::move(repository));
}

}  // namespace yardmaster
