#include "clients/git/git_clone.h"

#include <git2/sys/repository.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "clients/git/commit_tree.h"
#include "clients/git/commit_writer.h"
#include "clients/git/git_snapshot.h"
#include "clients/git/index_lock.h"
#include "clients/git/libgit2.h"
#include "services/core/errors.h"
#include "services/core/files.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

using Blob = git2::Owned<git_blob, git_blob_free>;
using Config = git2::Owned<git_config, git_config_free>;
using Reference = git2::Owned<git_reference, git_reference_free>;
using StatusList = git2::Owned<git_status_list, git_status_list_free>;

// Larger files are not looked at.
constexpr size_t kMaxTornBytes = 256ULL * 1024 * 1024;
constexpr std::string_view kHeadsPrefix = "refs/heads/";

absl::Status Broken() {
  std::string said = git2::LastError();
  // An extension of the index that libgit2 does not know.
  if (said.find("sdir") != std::string::npos) {
    return errors::GitRepositoryUnusable(
        ".", "it has a sparse index; turn it off: git sparse-checkout reapply --no-sparse-index");
  }
  // "object not found - no match for id (ID)": a partial clone lacks files that nobody has needed yet.
  static constexpr std::string_view kNoMatch = "no match for id (";
  if (const size_t at = said.find(kNoMatch); at != std::string::npos) {
    return errors::GitObjectMissing(said.substr(at + kNoMatch.size(), GIT_OID_HEXSZ));
  }
  return errors::GitRepositoryDamaged(said);
}

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

bool IsLeftOut(const git_index_entry& entry) { return (entry.flags_extended & GIT_INDEX_ENTRY_SKIP_WORKTREE) != 0; }

bool SameEntry(const git_index_entry& a, const git_index_entry& b) {
  constexpr uint16_t kKept = GIT_INDEX_ENTRY_INTENT_TO_ADD | GIT_INDEX_ENTRY_SKIP_WORKTREE;
  return std::string_view(a.path) == b.path && git_oid_equal(&a.id, &b.id) != 0 && a.mode == b.mode &&
         git_index_entry_stage(&a) == git_index_entry_stage(&b) &&
         (a.flags_extended & kKept) == (b.flags_extended & kKept);
}

// "1769860800 +0100"
std::string RawDate(const git_time& when) {
  const int minutes = std::abs(when.offset);
  return absl::StrCat(when.time, when.offset < 0 || when.sign == '-' ? " -" : " +",
                      absl::Dec(minutes / 60, absl::kZeroPad2), absl::Dec(minutes % 60, absl::kZeroPad2));
}

class Libgit2Clone final : public GitClone {
 public:
  explicit Libgit2Clone(git2::Repository repository) : repository_(std::move(repository)) {}

  std::filesystem::path common_dir() const override { return git_repository_commondir(repository_.get()); }
  std::filesystem::path index_file() const override { return std::filesystem::path(Folder()) / "index"; }
  std::string work_tree() const override;
  std::filesystem::path WorkTreePath(const std::string& work_tree) const override;
  absl::Status ReadAlso(const std::filesystem::path& objects) override {
    return git2::AddObjectFolder(*repository_, objects);
  }
  absl::StatusOr<bool> SameIndex(const std::filesystem::path& a, const std::filesystem::path& b) const override;
  absl::Status ReplaceIndex(const std::filesystem::path& expected, const std::filesystem::path& index,
                            const std::filesystem::path& own) override;
  absl::StatusOr<GitCloneState> State() override;
  absl::StatusOr<std::string> HeadRef() override;
  absl::StatusOr<std::string> Ref(const std::string& ref) override;
  absl::StatusOr<bool> CheckedOutElsewhere(const std::string& ref) override;
  absl::StatusOr<bool> SameFiles(const std::string& a, const std::string& b) override;
  void SignWith(GitProgram& git) override { signer_ = &git; }
  absl::StatusOr<std::string> MakeCommit(const GitNewCommit& commit) override;
  absl::StatusOr<GitReplay> Replay(const std::vector<std::string>& commits, const std::string& onto,
                                   const std::string& trailer) override;
  absl::StatusOr<std::vector<std::string>> InTheWay(const std::string& from, const std::string& to) override;
  absl::Status Checkout(const std::string& from, const std::string& to, const std::filesystem::path& own) override;
  absl::Status RemoveTornFiles(const std::string& from, const std::string& to) override;
  absl::Status ReplaceFile(const std::string& path, const std::string& old_blob, const std::string& new_blob) override;
  absl::Status MoveRef(const GitRefChange& change, const std::string& why) override;

 private:
  // Null: commits are not signed.
  git2::CommitMaker Signer() const;
  absl::StatusOr<std::string> BlobOf(const std::string& id) const;
  absl::StatusOr<bool> IsSet(const char* key) const;
  const char* Folder() const { return git_repository_path(repository_.get()); }
  absl::StatusOr<git2::Tree> TreeOf(const std::string& commit) const;
  absl::StatusOr<git2::Diff> DiffOf(const std::string& from, const std::string& to) const;
  using Paths = std::set<std::string, std::less<>>;
  absl::StatusOr<Paths> PathsBetween(const std::string& from, const std::string& to) const;
  // That each of them is a file as git keeps it: FAILED_PRECONDITION if the index says not to look at one.
  absl::Status AllAreLookedAt(const Paths& paths) const;
  // That the files that differ have their content here: FAILED_PRECONDITION if one has not, as in a partial clone.
  absl::Status AllAreHere(const std::string& from, const std::string& to) const;
  // The name of the filter program that a file goes through, as the work tree, the index and, if it is there, the
  // commit have .gitattributes; empty: none is set up for it.
  absl::StatusOr<std::string> FilterOf(const std::string& path, const git_oid* commit) const;
  // That none of them has a filter program: FAILED_PRECONDITION if one has.
  absl::Status NoneIsFiltered(const Paths& paths, const std::string& from, const std::string& to) const;
  // Fills `dirty`, `filtered` and `untracked`.
  absl::Status AddFiles(GitCloneState& state) const;
  absl::Status RemoveRef(const GitRefChange& change) const;

  const git2::Repository repository_;
  GitProgram* signer_ = nullptr;
};

absl::StatusOr<git2::Tree> Libgit2Clone::TreeOf(const std::string& commit) const {
  ASSIGN_OR_RETURN(const git2::Commit found, git2::LookUpCommit(*repository_, commit));
  int code = 0;
  auto tree = git2::Get<git2::Tree>(code, git_commit_tree, found.get());
  if (code != 0) return Broken();
  return tree;
}

absl::Status Libgit2Clone::AddFiles(GitCloneState& state) const {
  git_status_options options;
  git_status_options_init(&options, GIT_STATUS_OPTIONS_VERSION);
  options.flags = GIT_STATUS_OPT_INCLUDE_UNTRACKED;
  int code = 0;
  const auto list = git2::Get<StatusList>(code, git_status_list_new, repository_.get(), &options);
  if (code != 0) return Broken();
  const auto index = git2::Get<git2::Index>(code, git_repository_index, repository_.get());
  if (code != 0) return Broken();
  for (size_t i = 0; i < git_status_list_entrycount(list.get()); ++i) {
    const git_status_entry* const entry = git_status_byindex(list.get(), i);
    const git_diff_delta* const delta =
        entry->head_to_index != nullptr ? entry->head_to_index : entry->index_to_workdir;
    if (delta == nullptr || entry->status == GIT_STATUS_CURRENT) continue;
    const char* const path = delta->new_file.path != nullptr ? delta->new_file.path : delta->old_file.path;
    // A sparse checkout leaves files out; they are not gone.
    const git_index_entry* const staged = git_index_get_bypath(index.get(), path, 0);
    if (entry->status == GIT_STATUS_WT_DELETED && staged != nullptr && IsLeftOut(*staged)) continue;
    (entry->status == GIT_STATUS_WT_NEW ? state.untracked : state.dirty).emplace_back(path);
    if (entry->status != GIT_STATUS_WT_MODIFIED) continue;
    ASSIGN_OR_RETURN(const std::string filter, FilterOf(path, nullptr));
    if (!filter.empty()) state.filtered.emplace_back(path);
  }
  return absl::OkStatus();
}

std::string Libgit2Clone::work_tree() const {
  if (git_repository_is_worktree(repository_.get()) == 0) return "";
  return std::filesystem::path(Folder()).parent_path().filename().string();
}

std::filesystem::path Libgit2Clone::WorkTreePath(const std::string& work_tree) const {
  constexpr size_t kMaxPathBytes = 64 * 1024;
  std::error_code error;
  std::filesystem::path path;
  if (work_tree.empty()) {
    int code = 0;
    const auto first =
        git2::Get<git2::Repository>(code, git_repository_open, git_repository_commondir(repository_.get()));
    const char* const folder = code == 0 ? git_repository_workdir(first.get()) : nullptr;
    if (folder != nullptr) path = folder;
  } else {
    const absl::StatusOr<std::string> link =
        ReadSmallFile(common_dir() / "worktrees" / work_tree / "gitdir", kMaxPathBytes);
    if (link.ok()) path = std::filesystem::path(link->substr(0, link->find('\n'))).parent_path();
  }
  return std::filesystem::exists(path / ".git", error) ? path : std::filesystem::path();
}

absl::StatusOr<std::string> Libgit2Clone::HeadRef() {
  int code = 0;
  const auto head = git2::Get<Reference>(code, git_reference_lookup, repository_.get(), "HEAD");
  if (code != 0) return Broken();
  if (git_reference_type(head.get()) != GIT_REFERENCE_SYMBOLIC) return std::string();
  const std::string_view target = git_reference_symbolic_target(head.get());
  // A HEAD that names something else is no branch on which one could work.
  return target.starts_with(kHeadsPrefix) ? std::string(target) : std::string();
}

absl::StatusOr<bool> Libgit2Clone::IsSet(const char* key) const {
  int code = 0;
  const auto config = git2::Get<Config>(code, git_repository_config_snapshot, repository_.get());
  if (code != 0) return Broken();
  int is_set = 0;
  return git_config_get_bool(&is_set, config.get(), key) == 0 && is_set != 0;
}

absl::StatusOr<GitCloneState> Libgit2Clone::State() {
  GitCloneState state;
  ASSIGN_OR_RETURN(state.head_ref, HeadRef());
  ASSIGN_OR_RETURN(state.head, Ref("HEAD"));
  state.in_progress = OperationOf(git_repository_state(repository_.get()));
  ASSIGN_OR_RETURN(state.signs_commits, IsSet("commit.gpgsign"));
  RETURN_IF_ERROR(AddFiles(state));
  return state;
}

absl::StatusOr<bool> Libgit2Clone::SameIndex(const std::filesystem::path& a, const std::filesystem::path& b) const {
  int code = 0;
  const auto first = git2::Get<git2::Index>(code, git_index_open, a.c_str());
  if (code != 0) return errors::GitRepositoryUnusable(a.string(), git2::LastError());
  const auto second = git2::Get<git2::Index>(code, git_index_open, b.c_str());
  if (code != 0) return errors::GitRepositoryUnusable(b.string(), git2::LastError());
  const size_t count = git_index_entrycount(first.get());
  if (git_index_entrycount(second.get()) != count) return false;
  for (size_t i = 0; i < count; ++i) {
    if (!SameEntry(*git_index_get_byindex(first.get(), i), *git_index_get_byindex(second.get(), i))) return false;
  }
  return true;
}

absl::Status Libgit2Clone::ReplaceIndex(const std::filesystem::path& expected, const std::filesystem::path& index,
                                        const std::filesystem::path& own) {
  ASSIGN_OR_RETURN(const std::unique_ptr<IndexLock> lock, IndexLock::Take(index_file(), own));
  ASSIGN_OR_RETURN(const bool same, SameIndex(index_file(), expected));
  if (!same) return errors::GitIndexChanged();
  RETURN_IF_ERROR(CopyIndex(index, lock->room()));
  return lock->Replace();
}

absl::StatusOr<std::string> Libgit2Clone::Ref(const std::string& ref) {
  git_oid id;
  const int code = git_reference_name_to_id(&id, repository_.get(), ref.c_str());
  if (code == GIT_ENOTFOUND) return std::string();
  if (code != 0) return Broken();
  return git2::Hex(id);
}

absl::StatusOr<bool> Libgit2Clone::CheckedOutElsewhere(const std::string& ref) {
  int code = 0;
  const auto found = git2::Get<Reference>(code, git_reference_lookup, repository_.get(), ref.c_str());
  if (code == GIT_ENOTFOUND) return false;
  if (code != 0) return Broken();
  const int elsewhere = git_branch_is_checked_out(found.get());
  if (elsewhere < 0) return Broken();
  return elsewhere == 1 && git_branch_is_head(found.get()) != 1;
}

absl::StatusOr<bool> Libgit2Clone::SameFiles(const std::string& a, const std::string& b) {
  ASSIGN_OR_RETURN(const git2::Tree first, TreeOf(a));
  ASSIGN_OR_RETURN(const git2::Tree second, TreeOf(b));
  return git_oid_equal(git_tree_id(first.get()), git_tree_id(second.get())) != 0;
}

git2::CommitMaker Libgit2Clone::Signer() const {
  if (signer_ == nullptr) return nullptr;
  return [git = signer_](const git2::CommitParts& parts) {
    GitTreeCommit commit;
    commit.tree = git2::Hex(*git_tree_id(parts.tree));
    commit.parents = {git2::Hex(*git_commit_id(parts.parent))};
    commit.message = parts.message;
    commit.author = GitAuthor{parts.author->name, parts.author->email, RawDate(parts.author->when)};
    if (parts.encoding != nullptr) commit.encoding = parts.encoding;
    commit.sign = true;
    return CommitTree(*git, commit);
  };
}

absl::StatusOr<std::string> Libgit2Clone::MakeCommit(const GitNewCommit& commit) {
  int code = 0;
  const auto committer = git2::Get<git2::Signature>(code, git_signature_default, repository_.get());
  if (code != 0) return errors::GitIdentityMissing();
  return git2::WriteCommit(*repository_, *committer, commit, Signer());
}

absl::StatusOr<GitReplay> Libgit2Clone::Replay(const std::vector<std::string>& commits, const std::string& onto,
                                               const std::string& trailer) {
  int code = 0;
  const auto committer = git2::Get<git2::Signature>(code, git_signature_default, repository_.get());
  if (code != 0) return errors::GitIdentityMissing();
  absl::StatusOr<GitReplay> replay = git2::ReplayCommits(*repository_, *committer, commits, onto, trailer, Signer());
  return absl::IsInternal(replay.status()) ? Broken() : std::move(replay);
}

absl::StatusOr<git2::Diff> Libgit2Clone::DiffOf(const std::string& from, const std::string& to) const {
  ASSIGN_OR_RETURN(const git2::Tree old_tree, TreeOf(from));
  ASSIGN_OR_RETURN(const git2::Tree new_tree, TreeOf(to));
  git_diff_options options;
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.flags = GIT_DIFF_SKIP_BINARY_CHECK;
  int code = 0;
  auto diff =
      git2::Get<git2::Diff>(code, git_diff_tree_to_tree, repository_.get(), old_tree.get(), new_tree.get(), &options);
  if (code != 0) return Broken();
  return diff;
}

absl::Status Libgit2Clone::RemoveTornFiles(const std::string& from, const std::string& to) {
  ASSIGN_OR_RETURN(const git2::Diff diff, DiffOf(from, to));
  const std::filesystem::path root = git_repository_workdir(repository_.get());
  for (size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
    const git_diff_delta& delta = *git_diff_get_delta(diff.get(), i);
    const std::filesystem::path file = root / delta.new_file.path;
    std::error_code error;
    if (!std::filesystem::is_regular_file(std::filesystem::symlink_status(file, error))) continue;
    const absl::StatusOr<std::string> held = ReadSmallFile(file, kMaxTornBytes);
    if (!held.ok()) continue;
    bool torn = false;
    bool whole = false;
    for (const git_oid* id : {&delta.old_file.id, &delta.new_file.id}) {
      int code = 0;
      const auto blob = git2::Get<Blob>(code, git_blob_lookup, repository_.get(), id);
      if (code != 0) continue;
      const std::string_view content(static_cast<const char*>(git_blob_rawcontent(blob.get())),
                                     static_cast<size_t>(git_blob_rawsize(blob.get())));
      whole = whole || content == *held;
      torn = torn || content.starts_with(*held);
    }
    if (torn && !whole) std::filesystem::remove(file, error);
  }
  return absl::OkStatus();
}

absl::StatusOr<Libgit2Clone::Paths> Libgit2Clone::PathsBetween(const std::string& from, const std::string& to) const {
  ASSIGN_OR_RETURN(const git2::Diff diff, DiffOf(from, to));
  Paths paths;
  for (size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
    const git_diff_delta& delta = *git_diff_get_delta(diff.get(), i);
    paths.insert(delta.old_file.path);
    paths.insert(delta.new_file.path);
  }
  return paths;
}

absl::StatusOr<std::vector<std::string>> Libgit2Clone::InTheWay(const std::string& from, const std::string& to) {
  ASSIGN_OR_RETURN(const Paths changed, PathsBetween(from, to));
  GitCloneState state;
  RETURN_IF_ERROR(AddFiles(state));
  std::vector<std::string> paths;
  // Of those that go through a filter program it is not known, and Checkout refuses them.
  absl::c_copy_if(state.dirty, std::back_inserter(paths), [&](const std::string& path) {
    return changed.contains(path) && !absl::c_linear_search(state.filtered, path);
  });
  return paths;
}

absl::Status Libgit2Clone::AllAreHere(const std::string& from, const std::string& to) const {
  ASSIGN_OR_RETURN(const git2::Diff diff, DiffOf(from, to));
  int code = 0;
  const auto objects = git2::Get<git2::Odb>(code, git_repository_odb, repository_.get());
  if (code != 0) return Broken();
  for (size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
    const git_diff_delta& delta = *git_diff_get_delta(diff.get(), i);
    for (const git_diff_file* file : {&delta.old_file, &delta.new_file}) {
      const bool has_content = file->mode != 0 && file->mode != GIT_FILEMODE_COMMIT;
      if (has_content && git_odb_exists(objects.get(), &file->id) == 0) {
        return errors::GitObjectMissing(git2::Hex(file->id));
      }
    }
  }
  return absl::OkStatus();
}

absl::Status Libgit2Clone::AllAreLookedAt(const Paths& paths) const {
  int code = 0;
  const auto index = git2::Get<git2::Index>(code, git_repository_index, repository_.get());
  if (code != 0) return Broken();
  bool sparse = false;
  for (size_t i = 0; i < git_index_entrycount(index.get()); ++i) {
    const git_index_entry& entry = *git_index_get_byindex(index.get(), i);
    const bool left_out = IsLeftOut(entry);
    const bool is_kept = left_out || (entry.flags & GIT_INDEX_ENTRY_VALID) != 0;
    if (is_kept && paths.contains(std::string_view(entry.path))) return errors::GitSparseCheckout();
    sparse = sparse || left_out;
  }
  // Whether a new file would be left out, only git knows.
  const bool has_new = absl::c_any_of(paths, [&index](const std::string& path) {
    return git_index_get_bypath(index.get(), path.c_str(), 0) == nullptr;
  });
  return sparse && has_new ? errors::GitSparseCheckout() : absl::OkStatus();
}

absl::StatusOr<std::string> Libgit2Clone::FilterOf(const std::string& path, const git_oid* commit) const {
  git_attr_options options = {};
  options.version = GIT_ATTR_OPTIONS_VERSION;
  options.flags = GIT_ATTR_CHECK_FILE_THEN_INDEX;
  if (commit != nullptr) {
    options.flags |= GIT_ATTR_CHECK_INCLUDE_COMMIT;
    options.attr_commit_id = *commit;
  }
  const char* value = nullptr;
  if (git_attr_get_ext(&value, repository_.get(), &options, path.c_str(), "filter") != 0) return Broken();
  if (git_attr_value(value) != GIT_ATTR_VALUE_STRING) return std::string();
  std::string name = value;
  int code = 0;
  const auto config = git2::Get<Config>(code, git_repository_config_snapshot, repository_.get());
  if (code != 0) return Broken();
  // Without a program git, too, takes the file as it is.
  const bool is_set_up = absl::c_any_of(std::array{"clean", "smudge", "process"}, [&](const char* program) {
    const char* command = nullptr;
    return git_config_get_string(&command, config.get(), absl::StrCat("filter.", name, ".", program).c_str()) == 0;
  });
  return is_set_up ? name : std::string();
}

absl::Status Libgit2Clone::NoneIsFiltered(const Paths& paths, const std::string& from, const std::string& to) const {
  for (const std::string& commit : {from, to}) {
    ASSIGN_OR_RETURN(const git2::Commit found, git2::LookUpCommit(*repository_, commit));
    for (const std::string& path : paths) {
      ASSIGN_OR_RETURN(const std::string filter, FilterOf(path, git_commit_id(found.get())));
      if (!filter.empty()) return errors::GitFilterDriver(path, filter);
    }
  }
  return absl::OkStatus();
}

absl::Status Libgit2Clone::Checkout(const std::string& from, const std::string& to, const std::filesystem::path& own) {
  ASSIGN_OR_RETURN(const git2::Tree old_tree, TreeOf(from));
  ASSIGN_OR_RETURN(const git2::Tree new_tree, TreeOf(to));
  ASSIGN_OR_RETURN(const Paths changed, PathsBetween(from, to));
  if (changed.empty()) return absl::OkStatus();
  RETURN_IF_ERROR(AllAreLookedAt(changed));
  RETURN_IF_ERROR(NoneIsFiltered(changed, from, to));
  RETURN_IF_ERROR(AllAreHere(from, to));
  // libgit2 takes the lock of the index when the files are written, and a kill would leave one that is nobody's. So it
  // works with a copy, which is then put in place under a lock of ours.
  ASSIGN_OR_RETURN(const std::unique_ptr<IndexLock> lock, IndexLock::Take(index_file(), own));
  RETURN_IF_ERROR(CopyIndex(index_file(), lock->room()));
  int code = 0;
  const auto index = git2::Get<git2::Index>(code, git_index_open, lock->room().c_str());
  if (code == 0) code = git_repository_set_index(repository_.get(), index.get());
  if (code != 0) return Broken();
  const absl::Cleanup own_index = [this] { git_repository_set_index(repository_.get(), nullptr); };
  git_checkout_options options;
  git_checkout_options_init(&options, GIT_CHECKOUT_OPTIONS_VERSION);
  // Missing may be a file that somebody killed had removed to write it anew. Other files that are missing were removed
  // by their owner: only the paths that differ are looked at.
  options.checkout_strategy = GIT_CHECKOUT_SAFE | GIT_CHECKOUT_RECREATE_MISSING | GIT_CHECKOUT_DISABLE_PATHSPEC_MATCH;
  options.baseline = old_tree.get();
  std::vector<char*> paths;
  paths.reserve(changed.size());
  for (const std::string& path : changed) paths.push_back(const_cast<char*>(path.c_str()));
  options.paths = {paths.data(), paths.size()};
  code = git_checkout_tree(repository_.get(), reinterpret_cast<const git_object*>(new_tree.get()), &options);
  if (code == GIT_ECONFLICT) return errors::GitFilesInTheWay(git2::LastError());
  return code == 0 ? lock->Replace() : Broken();
}

absl::StatusOr<std::string> Libgit2Clone::BlobOf(const std::string& id) const {
  git_oid oid;
  if (git_oid_fromstr(&oid, id.c_str()) != 0) return errors::GitRevisionUnknown(id);
  int code = 0;
  const auto blob = git2::Get<Blob>(code, git_blob_lookup, repository_.get(), &oid);
  if (code != 0) return Broken();
  return std::string(static_cast<const char*>(git_blob_rawcontent(blob.get())),
                     static_cast<size_t>(git_blob_rawsize(blob.get())));
}

absl::Status Libgit2Clone::ReplaceFile(const std::string& path, const std::string& old_blob,
                                       const std::string& new_blob) {
  const std::filesystem::path file = git_repository_workdir(repository_.get()) / std::filesystem::path(path);
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::symlink_status(file, error);
  if (!std::filesystem::is_regular_file(status)) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string wanted, BlobOf(old_blob));
  const absl::StatusOr<std::string> held = ReadSmallFile(file, wanted.size());
  if (!held.ok() || *held != wanted) return absl::OkStatus();
  ASSIGN_OR_RETURN(const std::string content, BlobOf(new_blob));
  // Written in git's own folder, so that a killed command leaves nothing beside the file.
  const std::filesystem::path written = std::filesystem::path(Folder()) / "yardmaster.new";
  RETURN_IF_ERROR(WriteFileAtomically(written, content));
  std::filesystem::permissions(written, status.permissions(), error);
  if (!error) std::filesystem::rename(written, file, error);
  return error ? errors::FileNotWritten(file.string(), error.message()) : absl::OkStatus();
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

absl::Status CopyIndex(const std::filesystem::path& from, const std::filesystem::path& to) {
  std::error_code error;
  std::filesystem::copy_file(from, to, std::filesystem::copy_options::overwrite_existing, error);
  if (!error) std::filesystem::last_write_time(to, std::filesystem::last_write_time(from, error), error);
  return error ? errors::GitRepositoryUnusable(from.string(), error.message()) : absl::OkStatus();
}

absl::StatusOr<std::unique_ptr<GitClone>> GitClone::Open(const std::filesystem::path& path, NewObjects new_objects) {
  ASSIGN_OR_RETURN(git2::Repository repository, git2::OpenRepository(path));
  if (git_repository_is_bare(repository.get()) == 1) {
    return errors::GitRepositoryUnusable(path.string(), "it is bare: there is no index and no work tree");
  }
  if (new_objects == NewObjects::kForgotten) RETURN_IF_ERROR(KeepWritesInMemory(*repository));
  return std::make_unique<Libgit2Clone>(std::move(repository));
}

}  // namespace yardmaster
