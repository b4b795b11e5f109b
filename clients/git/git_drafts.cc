#include "clients/git/git_drafts.h"

#include <string_view>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "clients/git/commit_writer.h"
#include "clients/git/git_snapshot.h"
#include "clients/git/libgit2.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

using PackBuilder = git2::Owned<git_packbuilder, git_packbuilder_free>;

absl::Status DraftsBroken() { return errors::GitRepositoryDamaged(git2::LastError()); }

class Libgit2Drafts final : public GitDrafts {
 public:
  explicit Libgit2Drafts(git2::Repository repository) : repository_(std::move(repository)) {}

  absl::StatusOr<std::string> MakeCommit(const GitNewCommit& commit, const GitCommitter& committer) override {
    ASSIGN_OR_RETURN(const git2::Signature signature, SignatureOf(committer));
    return git2::WriteCommit(*repository_, *signature, commit);
  }
  absl::StatusOr<GitReplay> Replay(const std::vector<std::string>& commits, const std::string& onto,
                                   const std::string& trailer, const GitCommitter& committer) override {
    ASSIGN_OR_RETURN(const git2::Signature signature, SignatureOf(committer));
    return git2::ReplayCommits(*repository_, *signature, commits, onto, trailer);
  }
  absl::StatusOr<std::vector<std::string>> Files(const std::vector<std::string>& commits,
                                                 const std::string& onto) override;
  absl::StatusOr<std::string> Pack(const std::vector<std::string>& commits, const std::vector<std::string>& known,
                                   size_t max_bytes) override;

 private:
  absl::StatusOr<git2::Signature> SignatureOf(const GitCommitter& committer) const;
  absl::StatusOr<git2::Tree> TreeOf(const git_commit& commit) const;
  // What lies between a commit and its first parent, or nothing.
  absl::StatusOr<git2::Diff> ChangeOf(const git_commit& commit) const;
  // Adds what `tree` has and `known`, which may be null, has not.
  absl::Status Insert(const git_tree& tree, const git_tree* known, git_packbuilder& pack) const;

  const git2::Repository repository_;
};

absl::StatusOr<git2::Signature> Libgit2Drafts::SignatureOf(const GitCommitter& committer) const {
  ASSIGN_OR_RETURN(const git2::Commit commit, git2::LookUpCommit(*repository_, committer.author_of));
  const git_signature* const author = git_commit_author(commit.get());
  int code = 0;
  auto signature =
      git2::Get<git2::Signature>(code, git_signature_new, author->name, author->email, committer.seconds, 0);
  if (code != 0) return DraftsBroken();
  return signature;
}

absl::StatusOr<git2::Tree> Libgit2Drafts::TreeOf(const git_commit& commit) const {
  int code = 0;
  auto tree = git2::Get<git2::Tree>(code, git_commit_tree, &commit);
  if (code != 0) return DraftsBroken();
  return tree;
}

absl::StatusOr<git2::Diff> Libgit2Drafts::ChangeOf(const git_commit& commit) const {
  ASSIGN_OR_RETURN(const git2::Tree tree, TreeOf(commit));
  git2::Tree before;
  int code = 0;
  if (git_commit_parentcount(&commit) > 0) {
    const auto parent = git2::Get<git2::Commit>(code, git_commit_parent, &commit, 0U);
    if (code != 0) return DraftsBroken();
    ASSIGN_OR_RETURN(before, TreeOf(*parent));
  }
  git_diff_options options;
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.flags = GIT_DIFF_SKIP_BINARY_CHECK;
  auto diff = git2::Get<git2::Diff>(code, git_diff_tree_to_tree, repository_.get(), before.get(), tree.get(), &options);
  if (code != 0) return DraftsBroken();
  return diff;
}

absl::StatusOr<std::vector<std::string>> Libgit2Drafts::Files(const std::vector<std::string>& commits,
                                                              const std::string& onto) {
  absl::flat_hash_set<std::string> objects;
  git2::Tree target;
  if (!onto.empty()) {
    ASSIGN_OR_RETURN(const git2::Commit commit, git2::LookUpCommit(*repository_, onto));
    ASSIGN_OR_RETURN(target, TreeOf(*commit));
  }
  const auto add = [&](const git_oid& id, uint32_t mode) {
    if (mode == GIT_FILEMODE_BLOB || mode == GIT_FILEMODE_BLOB_EXECUTABLE || mode == GIT_FILEMODE_LINK) {
      objects.insert(git2::Hex(id));
    }
  };
  for (const std::string& id : commits) {
    ASSIGN_OR_RETURN(const git2::Commit commit, git2::LookUpCommit(*repository_, id));
    ASSIGN_OR_RETURN(const git2::Diff diff, ChangeOf(*commit));
    for (size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
      const git_diff_delta& delta = *git_diff_get_delta(diff.get(), i);
      add(delta.old_file.id, delta.old_file.mode);
      add(delta.new_file.id, delta.new_file.mode);
      git_tree_entry* raw = nullptr;
      if (target != nullptr && git_tree_entry_bypath(&raw, target.get(), delta.new_file.path) == 0) {
        const git2::TreeEntry entry(raw);
        add(*git_tree_entry_id(entry.get()), git_tree_entry_filemode(entry.get()));
      }
    }
  }
  return std::vector<std::string>(objects.begin(), objects.end());
}

absl::Status Libgit2Drafts::Insert(const git_tree& tree, const git_tree* known, git_packbuilder& pack) const {
  if (git_packbuilder_insert(&pack, git_tree_id(&tree), nullptr) != 0) return DraftsBroken();
  int code = 0;
  for (size_t i = 0; i < git_tree_entrycount(&tree); ++i) {
    const git_tree_entry* const entry = git_tree_entry_byindex(&tree, i);
    const git_oid* const id = git_tree_entry_id(entry);
    const git_tree_entry* const before =
        known == nullptr ? nullptr : git_tree_entry_byname(known, git_tree_entry_name(entry));
    if (before != nullptr && git_oid_equal(git_tree_entry_id(before), id) != 0) continue;
    if (git_tree_entry_type(entry) == GIT_OBJECT_BLOB) {
      if (git_packbuilder_insert(&pack, id, git_tree_entry_name(entry)) != 0) return DraftsBroken();
    } else if (git_tree_entry_type(entry) == GIT_OBJECT_TREE) {
      const auto below = git2::Get<git2::Tree>(code, git_tree_lookup, repository_.get(), id);
      if (code != 0) return DraftsBroken();
      git2::Tree below_before;
      if (before != nullptr && git_tree_entry_type(before) == GIT_OBJECT_TREE) {
        below_before = git2::Get<git2::Tree>(code, git_tree_lookup, repository_.get(), git_tree_entry_id(before));
        if (code != 0) return DraftsBroken();
      }
      RETURN_IF_ERROR(Insert(*below, below_before.get(), pack));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::string> Libgit2Drafts::Pack(const std::vector<std::string>& commits,
                                                const std::vector<std::string>& known, size_t max_bytes) {
  absl::flat_hash_set<std::string> trees;
  for (const std::string& id : known) {
    ASSIGN_OR_RETURN(const git2::Commit commit, git2::LookUpCommit(*repository_, id));
    trees.insert(git2::Hex(*git_commit_tree_id(commit.get())));
  }
  int code = 0;
  const auto pack = git2::Get<PackBuilder>(code, git_packbuilder_new, repository_.get());
  if (code != 0) return DraftsBroken();
  for (const std::string& id : commits) {
    ASSIGN_OR_RETURN(const git2::Commit commit, git2::LookUpCommit(*repository_, id));
    if (git_packbuilder_insert(pack.get(), git_commit_id(commit.get()), nullptr) != 0) return DraftsBroken();
    if (trees.contains(git2::Hex(*git_commit_tree_id(commit.get())))) continue;
    ASSIGN_OR_RETURN(const git2::Tree tree, TreeOf(*commit));
    git2::Tree before;
    if (git_commit_parentcount(commit.get()) > 0) {
      const auto parent = git2::Get<git2::Commit>(code, git_commit_parent, commit.get(), 0U);
      if (code != 0) return DraftsBroken();
      ASSIGN_OR_RETURN(before, TreeOf(*parent));
      if (git_oid_equal(git_tree_id(before.get()), git_tree_id(tree.get())) != 0) continue;
    }
    RETURN_IF_ERROR(Insert(*tree, before.get(), *pack));
  }
  git_buf bytes = GIT_BUF_INIT;
  code = git_packbuilder_write_buf(&bytes, pack.get());
  std::string out(bytes.ptr, bytes.size);
  git_buf_dispose(&bytes);
  if (code != 0) return DraftsBroken();
  if (out.size() > max_bytes) {
    return absl::InvalidArgumentError(
        absl::StrCat("the new commits have ", out.size(), " bytes, and at most ", max_bytes, " are pushed"));
  }
  return out;
}

}  // namespace

absl::StatusOr<std::unique_ptr<GitDrafts>> GitDrafts::Open(const std::filesystem::path& repository) {
  ASSIGN_OR_RETURN(git2::Repository opened, git2::OpenRepository(repository));
  RETURN_IF_ERROR(KeepWritesInMemory(*opened));
  return std::make_unique<Libgit2Drafts>(std::move(opened));
}

}  // namespace yardmaster
