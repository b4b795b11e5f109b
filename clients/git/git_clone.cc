#include "clients/git/git_clone.h"

#include <string_view>
#include <utility>

#include "clients/git/libgit2.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

using Buffer = git2::Owned<git_buf, git_buf_dispose>;
using Config = git2::Owned<git_config, git_config_free>;
using Reference = git2::Owned<git_reference, git_reference_free>;
using Signature = git2::Owned<git_signature, git_signature_free>;
using StatusList = git2::Owned<git_status_list, git_status_list_free>;

constexpr std::string_view kHeadsPrefix = "refs/heads/";

absl::Status Broken() { return errors::GitRepositoryDamaged(git2::LastError()); }

std::string OperationOf(int state) {
  switch (state) {
    case GIT_REPOSITORY_STATE_NONE:
      return "";
    case GIT_REPOSITORY_STATE_MERGE:
      return "a merge";
    case GIT_REPOSITORY_STATE_REVERT:
    case GIT_REPOSITORY_STATE_REVERT_SEQUENCE:
      return "a revert";
    case GIT_REPOSITORY_STATE_CHERRYPICK:
    case GIT_REPOSITORY_STATE_CHERRYPICK_SEQUENCE:
      return "a cherry-pick";
    case GIT_REPOSITORY_STATE_BISECT:
      return "a bisection";
    case GIT_REPOSITORY_STATE_APPLY_MAILBOX:
      return "git am";
    default:
      return "a rebase";
  }
}

class Libgit2Clone final : public GitClone {
 public:
  explicit Libgit2Clone(git2::Repository repository) : repository_(std::move(repository)) {}

  std::filesystem::path common_dir() const override { return git_repository_commondir(repository_.get()); }
  absl::StatusOr<GitCloneState> State() override;
  absl::StatusOr<std::string> Ref(const std::string& ref) override;
  absl::StatusOr<std::string> MakeCommit(const GitNewCommit& commit, bool write) override;
  absl::Status MoveRef(const GitRefChange& change, const std::string& why) override;

 private:
  absl::StatusOr<git2::Commit> CommitOf(const std::string& id) const;
  // Fills `dirty` and `untracked`.
  absl::Status AddFiles(GitCloneState& state) const;
  absl::Status RemoveRef(const GitRefChange& change) const;

  const git2::Repository repository_;
};

absl::StatusOr<git2::Commit> Libgit2Clone::CommitOf(const std::string& id) const {
  git_oid oid;
  if (git_oid_fromstr(&oid, id.c_str()) != 0) return errors::GitRevisionUnknown(id);
  int code = 0;
  auto commit = git2::Get<git2::Commit>(code, git_commit_lookup, repository_.get(), &oid);
  if (code != 0) return code == GIT_ENOTFOUND ? errors::GitRevisionUnknown(id) : Broken();
  return commit;
}

absl::Status Libgit2Clone::AddFiles(GitCloneState& state) const {
  git_status_options options;
  git_status_options_init(&options, GIT_STATUS_OPTIONS_VERSION);
  options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED;
  int code = 0;
  const auto list = git2::Get<StatusList>(code, git_status_list_new, repository_.get(), &options);
  if (code != 0) return Broken();
  for (size_t i = 0; i < git_status_list_entrycount(list.get()); ++i) {
    const git_status_entry* const entry = git_status_byindex(list.get(), i);
    const git_diff_delta* const delta =
        entry->head_to_index != nullptr ? entry->head_to_index : entry->index_to_workdir;
    if (delta == nullptr || entry->status == GIT_STATUS_CURRENT) continue;
    const char* const path = delta->new_file.path != nullptr ? delta->new_file.path : delta->old_file.path;
    (entry->status == GIT_STATUS_WT_NEW ? state.untracked : state.dirty).emplace_back(path);
  }
  return absl::OkStatus();
}

absl::StatusOr<GitCloneState> Libgit2Clone::State() {
  GitCloneState state;
  int code = 0;
  const auto head = git2::Get<Reference>(code, git_reference_lookup, repository_.get(), "HEAD");
  if (code != 0) return Broken();
  if (git_reference_type(head.get()) == GIT_REFERENCE_SYMBOLIC) {
    const std::string_view target = git_reference_symbolic_target(head.get());
    // A HEAD that names something else is no branch on which one could work.
    if (target.starts_with(kHeadsPrefix)) state.head_ref = target;
    ASSIGN_OR_RETURN(state.head, Ref("HEAD"));
  } else {
    state.head = git2::Hex(*git_reference_target(head.get()));
  }
  state.in_progress = OperationOf(git_repository_state(repository_.get()));
  const auto config = git2::Get<Config>(code, git_repository_config_snapshot, repository_.get());
  if (code != 0) return Broken();
  int signs = 0;
  state.signs_commits = git_config_get_bool(&signs, config.get(), "commit.gpgsign") == 0 && signs != 0;
  RETURN_IF_ERROR(AddFiles(state));
  return state;
}

absl::StatusOr<std::string> Libgit2Clone::Ref(const std::string& ref) {
  git_oid id;
  const int code = git_reference_name_to_id(&id, repository_.get(), ref.c_str());
  if (code == GIT_ENOTFOUND) return std::string();
  if (code != 0) return Broken();
  return git2::Hex(id);
}

absl::StatusOr<std::string> Libgit2Clone::MakeCommit(const GitNewCommit& commit, bool write) {
  ASSIGN_OR_RETURN(const git2::Commit content, CommitOf(commit.tree_of));
  ASSIGN_OR_RETURN(const git2::Commit parent, CommitOf(commit.parent));
  ASSIGN_OR_RETURN(const git2::Commit authored, CommitOf(commit.author_of));
  int code = 0;
  const auto tree = git2::Get<git2::Tree>(code, git_commit_tree, content.get());
  if (code != 0) return Broken();
  const auto committer = git2::Get<Signature>(code, git_signature_default, repository_.get());
  if (code != 0) return errors::GitIdentityMissing();

  git_buf text = GIT_BUF_INIT;
  const Buffer freed(&text);
  const git_commit* parents[] = {parent.get()};
  code = git_commit_create_buffer(&text, repository_.get(), git_commit_author(authored.get()), committer.get(), nullptr,
                                  commit.message.c_str(), tree.get(), 1, parents);
  if (code != 0) return Broken();
  git_oid id;
  if (write) {
    const auto odb = git2::Get<git2::Odb>(code, git_repository_odb, repository_.get());
    if (code == 0) code = git_odb_write(&id, odb.get(), text.ptr, text.size, GIT_OBJECT_COMMIT);
  } else {
    code = git_odb_hash(&id, text.ptr, text.size, GIT_OBJECT_COMMIT);
  }
  if (code != 0) return Broken();
  return git2::Hex(id);
}

absl::Status Libgit2Clone::RemoveRef(const GitRefChange& change) const {
  int code = 0;
  const auto found = git2::Get<Reference>(code, git_reference_lookup, repository_.get(), change.ref.c_str());
  if (code == GIT_ENOTFOUND) return errors::GitRefMoved(change.ref);
  if (code != 0) return Broken();
  const git_oid* const id = git_reference_target(found.get());
  if (id == nullptr || git2::Hex(*id) != change.old_id) return errors::GitRefMoved(change.ref);
  // It compares once more, under the ref's lock.
  code = git_reference_delete(found.get());
  if (code == GIT_EMODIFIED) return errors::GitRefMoved(change.ref);
  return code == 0 ? absl::OkStatus() : Broken();
}

absl::Status Libgit2Clone::MoveRef(const GitRefChange& change, const std::string& why) {
  if (change.new_id.empty()) return RemoveRef(change);
  git_oid new_id;
  git_oid old_id;
  if (git_oid_fromstr(&new_id, change.new_id.c_str()) != 0) return errors::GitRevisionUnknown(change.new_id);
  const bool is_new = change.old_id.empty();
  if (!is_new && git_oid_fromstr(&old_id, change.old_id.c_str()) != 0) return errors::GitRevisionUnknown(change.old_id);
  int code = 0;
  const auto made = git2::Get<Reference>(code, git_reference_create_matching, repository_.get(), change.ref.c_str(),
                                         &new_id, is_new ? 0 : 1, is_new ? nullptr : &old_id, why.c_str());
  if (code == GIT_EEXISTS || code == GIT_EMODIFIED || code == GIT_ENOTFOUND) return errors::GitRefMoved(change.ref);
  if (code == GIT_ELOCKED) return errors::GitRefLocked(change.ref);
  return code == 0 ? absl::OkStatus() : Broken();
}

}  // namespace

absl::StatusOr<std::unique_ptr<GitClone>> GitClone::Open(const std::filesystem::path& path) {
  ASSIGN_OR_RETURN(git2::Repository repository, git2::OpenRepository(path));
  if (git_repository_is_bare(repository.get()) == 1) {
    return errors::GitRepositoryUnusable(path.string(), "it is bare: there is no index and no work tree");
  }
  return std::make_unique<Libgit2Clone>(std::move(repository));
}

}  // namespace yardmaster
