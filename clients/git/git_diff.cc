#include "clients/git/git_diff.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

// As git: a NUL among the first bytes, or a size that it does not look into. Attributes don't count: a bare repository
// has none, and a change must not be able to hide its own files.
constexpr size_t kBinaryLook = 8'000;

bool IsFolder(const git_tree_entry* entry) {
  return entry != nullptr && git_tree_entry_filemode(entry) == GIT_FILEMODE_TREE;
}

// Walks the folders that differ as libgit2's comparison will, which has no limit of its own. `base` or `head` may be
// nullptr.
class DiffBudget {
 public:
  explicit DiffBudget(git_repository& repository) : repository_(repository) {}

  absl::Status Spend(const git_tree* base, const git_tree* head, int depth) {
    if (depth == 0) return errors::GitTreeTooLarge(kMaxGitTreeEntries);
    RETURN_IF_ERROR(SpendSide(head, base, false, depth));
    return SpendSide(base, head, true, depth);
  }

 private:
  // The folders of `here`, each together with the one of the same name in `there`; `alone`: only those without one.
  absl::Status SpendSide(const git_tree* here, const git_tree* there, bool alone, int depth) {
    const size_t count = here == nullptr ? 0 : git_tree_entrycount(here);
    if (count > left_) return errors::GitTreeTooLarge(kMaxGitTreeEntries);
    left_ -= count;
    for (size_t i = 0; i < count; ++i) {
      const git_tree_entry* entry = git_tree_entry_byindex(here, i);
      if (!IsFolder(entry)) continue;
      const git_tree_entry* other =
          there == nullptr ? nullptr : git_tree_entry_byname(there, git_tree_entry_name(entry));
      if (!IsFolder(other)) other = nullptr;
      if (other != nullptr && (alone || git_oid_equal(git_tree_entry_id(entry), git_tree_entry_id(other)) != 0)) {
        continue;
      }
      ASSIGN_OR_RETURN(const git2::Tree below, Below(entry));
      ASSIGN_OR_RETURN(const git2::Tree other_below, Below(other));
      RETURN_IF_ERROR(Spend(below.get(), other_below.get(), depth - 1));
    }
    return absl::OkStatus();
  }

  absl::StatusOr<git2::Tree> Below(const git_tree_entry* entry) const {
    if (entry == nullptr) return git2::Tree();
    int code = 0;
    auto tree = git2::Get<git2::Tree>(code, git_tree_lookup, &repository_, git_tree_entry_id(entry));
    if (code != 0) return GitReadError(code, git2::Hex(*git_tree_entry_id(entry)));
    return tree;
  }

  git_repository& repository_;
  size_t left_ = kMaxGitTreeEntries;
};

absl::StatusOr<git2::Diff> TreeDiff(git_repository& repository, const StoredGitTree& base, const StoredGitTree& head) {
  RETURN_IF_ERROR(DiffBudget(repository).Spend(base.get(), head.get(), kMaxGitTreeDepth));
  git_diff_options options;
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  options.flags = GIT_DIFF_INCLUDE_TYPECHANGE | GIT_DIFF_SKIP_BINARY_CHECK;
  int code = 0;
  auto diff = git2::Get<git2::Diff>(code, git_diff_tree_to_tree, &repository, base.get(), head.get(), &options);
  if (code != 0) return errors::GitRepositoryDamaged(git2::LastError());
  return diff;
}

absl::Status FindRenames(git_diff& diff, size_t max_files) {
  git_diff_find_options options;
  git_diff_find_options_init(&options, GIT_DIFF_FIND_OPTIONS_VERSION);
  options.flags = GIT_DIFF_FIND_RENAMES | GIT_DIFF_FIND_COPIES;
  options.rename_limit = max_files;
  return git_diff_find_similar(&diff, &options) == 0 ? absl::OkStatus()
                                                     : errors::GitRepositoryDamaged(git2::LastError());
}

GitChangedFile::Change ChangeOf(git_delta_t status) {
  using Change = GitChangedFile::Change;
  switch (status) {
    case GIT_DELTA_ADDED:
      return Change::kAdded;
    case GIT_DELTA_DELETED:
      return Change::kRemoved;
    case GIT_DELTA_RENAMED:
      return Change::kRenamed;
    case GIT_DELTA_COPIED:
      return Change::kCopied;
    default:
      return Change::kModified;
  }
}

GitTreeEntry EntryOf(const git_diff_file& file) { return {file.path, file.mode, git2::Hex(file.id)}; }

// Sorted by the path at head, of removed files by that at base.
std::vector<GitChangedFile> FilesOf(const git_diff& diff) {
  std::vector<GitChangedFile> files(git_diff_num_deltas(&diff));
  for (size_t i = 0; i < files.size(); ++i) {
    const git_diff_delta& delta = *git_diff_get_delta(&diff, i);
    files[i].change = ChangeOf(delta.status);
    if (delta.status != GIT_DELTA_ADDED) files[i].base = EntryOf(delta.old_file);
    if (delta.status != GIT_DELTA_DELETED) files[i].head = EntryOf(delta.new_file);
  }
  const auto key = [](const GitChangedFile& file) -> const std::string& {
    return file.head.mode != 0 ? file.head.path : file.base.path;
  };
  absl::c_stable_sort(files, [key](const auto& a, const auto& b) { return key(a) < key(b); });
  return files;
}

absl::StatusOr<bool> IsBinary(StoredGitTree& tree, const GitTreeEntry& entry) {
  if (entry.mode != kGitFileMode && entry.mode != kGitExecutableMode) return false;
  ASSIGN_OR_RETURN(const std::string beginning, tree.Read(entry, kBinaryLook));
  return beginning.find('\0') != std::string::npos;
}

}  // namespace

absl::StatusOr<std::vector<GitChangedFile>> ChangesBetweenTrees(git_repository& repository, const StoredGitTree& base,
                                                                const StoredGitTree& head) {
  ASSIGN_OR_RETURN(const git2::Diff diff, TreeDiff(repository, base, head));
  return FilesOf(*diff);
}

absl::StatusOr<std::vector<GitChangedFile>> DiffOfTrees(git_repository& repository, StoredGitTree& base,
                                                        StoredGitTree& head, size_t max_files) {
  ASSIGN_OR_RETURN(const git2::Diff diff, TreeDiff(repository, base, head));
  if (git_diff_num_deltas(diff.get()) <= max_files) RETURN_IF_ERROR(FindRenames(*diff, max_files));
  std::vector<GitChangedFile> files = FilesOf(*diff);
  for (GitChangedFile& file : files) {
    ASSIGN_OR_RETURN(const bool base_binary, IsBinary(base, file.base));
    ASSIGN_OR_RETURN(const bool head_binary, IsBinary(head, file.head));
    file.binary = base_binary || head_binary;
  }
  return files;
}

}  // namespace yardmaster
