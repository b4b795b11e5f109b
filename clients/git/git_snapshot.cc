#include "clients/git/git_snapshot.h"

#include <git2/sys/mempack.h>
#include <git2/sys/odb_backend.h>

#include <filesystem>
#include <string>
#include <vector>

#include "clients/git/git_tree.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

// Above the backends that libgit2 adds by itself.
constexpr int kMemoryPriority = 999;

bool Has(const git_index_entry& entry, unsigned flag) { return (entry.flags_extended & flag) != 0; }

absl::Status SnapshotError() { return errors::GitRepositoryDamaged(git2::LastError()); }

// A copy of the index that may be changed: it is never written back.
absl::StatusOr<git2::Index> CopyOfIndex(git_repository& repository) {
  int code = 0;
  auto index = git2::Get<git2::Index>(code, git_repository_index, &repository);
  const char* const path = git_repository_path(&repository);
  if (code == 0) code = git_index_read(index.get(), 1);
  if (code != 0) {
    const std::string said = git2::LastError();
    const bool sparse = said.find("sdir") != std::string::npos;
    return errors::GitRepositoryUnusable(
        path, sparse ? "it has a sparse index; turn it off: git sparse-checkout reapply --no-sparse-index" : said);
  }
  for (size_t i = 0; i < git_index_entrycount(index.get()); ++i) {
    const git_index_entry* entry = git_index_get_byindex(index.get(), i);
    if (git_index_entry_stage(entry) != 0) return errors::GitConflictsOpen(entry->path);
  }
  return index;
}

absl::StatusOr<git2::Tree> Written(git_repository& repository, git_index& index) {
  git_oid id;
  if (git_index_write_tree_to(&id, &index, &repository) != 0) return SnapshotError();
  int code = 0;
  auto tree = git2::Get<git2::Tree>(code, git_tree_lookup, &repository, &id);
  if (code != 0) return SnapshotError();
  return tree;
}

// What is in the index only by intent, see `git add --intent-to-add`.
void RemoveIntended(git_index& index) {
  for (size_t i = git_index_entrycount(&index); i-- > 0;) {
    const git_index_entry* entry = git_index_get_byindex(&index, i);
    if (Has(*entry, GIT_INDEX_ENTRY_INTENT_TO_ADD)) {
      git_index_remove(&index, std::string(entry->path).c_str(), 0);
    }
  }
}

class WorkTreeReader {
 public:
  explicit WorkTreeReader(git_repository& repository)
      : repository_(repository), folder_(git_repository_workdir(&repository)) {}

  // Brings one path of the index to what lies there.
  absl::Status Apply(git_index& index, const git_diff_delta& delta) {
    const std::string path = delta.new_file.path;
    if (delta.status == GIT_DELTA_DELETED) {
      // A sparse checkout leaves files out, and a submodule need not be there at all; they are not gone.
      if (delta.old_file.mode == GIT_FILEMODE_COMMIT) return absl::OkStatus();
      const git_index_entry* entry = git_index_get_bypath(&index, path.c_str(), 0);
      if (entry != nullptr && Has(*entry, GIT_INDEX_ENTRY_SKIP_WORKTREE)) return absl::OkStatus();
      git_index_remove(&index, path.c_str(), 0);
      return absl::OkStatus();
    }
    // A folder is a repository within this one, and what can't be opened is left out as git does.
    if (path.ends_with('/') || delta.status == GIT_DELTA_UNREADABLE) return absl::OkStatus();
    git_index_entry entry{};
    entry.path = path.c_str();
    entry.mode = delta.new_file.mode;
    const absl::Status stored = Store(delta.new_file, entry.id);
    if (absl::IsNotFound(stored)) return absl::OkStatus();
    RETURN_IF_ERROR(stored);
    return git_index_add(&index, &entry) == 0 ? absl::OkStatus() : SnapshotError();
  }

 private:
  // NOT_FOUND: the file went in the meantime.
  absl::Status Store(const git_diff_file& file, git_oid& id) {
    const bool large = file.size > kMaxGitWorkFileBytes || file.size > kMaxGitWorkBytes - stored_;
    int code = 0;
    if (large && file.mode != GIT_FILEMODE_LINK) {
      code = git_odb_hashfile(&id, (folder_ / file.path).c_str(), GIT_OBJECT_BLOB);
    } else {
      // As it would be committed: line ends are made uniform where the repository asks for it. Programs that it names
      // as filters don't run; libgit2 knows none.
      code = git_blob_create_from_workdir(&id, &repository_, file.path);
      stored_ += file.size;
    }
    if (code == GIT_ENOTFOUND) return absl::NotFoundError("");
    return code == 0 ? absl::OkStatus() : SnapshotError();
  }

  git_repository& repository_;
  const std::filesystem::path folder_;
  uint64_t stored_ = 0;
};

}  // namespace

absl::Status KeepWritesInMemory(git_repository& repository) {
  int code = 0;
  const auto odb = git2::Get<git2::Odb>(code, git_repository_odb, &repository);
  git_odb_backend* memory = nullptr;
  if (code != 0 || git_mempack_new(&memory) != 0) return SnapshotError();
  // The database owns it from here on.
  if (git_odb_add_backend(odb.get(), memory, kMemoryPriority) != 0) {
    memory->free(memory);
    return SnapshotError();
  }
  return absl::OkStatus();
}

absl::StatusOr<git2::Tree> SnapshotIndex(git_repository& repository) {
  ASSIGN_OR_RETURN(const git2::Index index, CopyOfIndex(repository));
  RemoveIntended(*index);
  return Written(repository, *index);
}

absl::StatusOr<git2::Tree> SnapshotWorkTree(git_repository& repository) {
  ASSIGN_OR_RETURN(const git2::Index index, CopyOfIndex(repository));
  git_diff_options options;
  git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
  // Submodules stay what the index says: nothing of them is read.
  options.flags = GIT_DIFF_INCLUDE_UNTRACKED | GIT_DIFF_RECURSE_UNTRACKED_DIRS | GIT_DIFF_INCLUDE_TYPECHANGE |
                  GIT_DIFF_IGNORE_SUBMODULES | GIT_DIFF_SKIP_BINARY_CHECK;
  int code = 0;
  const auto diff = git2::Get<git2::Diff>(code, git_diff_index_to_workdir, &repository, index.get(), &options);
  if (code != 0) return SnapshotError();
  WorkTreeReader reader(repository);
  for (size_t i = 0; i < git_diff_num_deltas(diff.get()); ++i) {
    RETURN_IF_ERROR(reader.Apply(*index, *git_diff_get_delta(diff.get(), i)));
  }
  return Written(repository, *index);
}

}  // namespace yardmaster
