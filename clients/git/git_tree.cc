#include "clients/git/git_tree.h"

#include <algorithm>
#include <fstream>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/errors.h"
#include "services/core/limits.h"
#include "services/core/status_macros.h"

namespace yardmaster {

absl::Status GitReadError(int code, const std::string& object) {
  return code == GIT_ENOTFOUND ? errors::GitObjectMissing(object) : errors::GitRepositoryDamaged(git2::LastError());
}

absl::Status StoredGitTree::List(const git_tree& tree, const std::string& prefix, int depth,
                                 std::vector<GitTreeEntry>& entries, size_t& left) const {
  if (depth == 0) return errors::GitTreeTooLarge(kMaxGitTreeEntries);
  const size_t count = git_tree_entrycount(&tree);
  for (size_t i = 0; i < count; ++i) {
    if (left-- == 0) return errors::GitTreeTooLarge(kMaxGitTreeEntries);
    const git_tree_entry* entry = git_tree_entry_byindex(&tree, i);
    const git_oid* id = git_tree_entry_id(entry);
    std::string path = prefix + git_tree_entry_name(entry);
    if (git_tree_entry_filemode(entry) != GIT_FILEMODE_TREE) {
      entries.push_back({std::move(path), static_cast<uint32_t>(git_tree_entry_filemode(entry)), git2::Hex(*id)});
      continue;
    }
    int code = 0;
    const auto below = git2::Get<git2::Tree>(code, git_tree_lookup, &repository_, id);
    if (code != 0) return GitReadError(code, git2::Hex(*id));
    RETURN_IF_ERROR(List(*below, path + "/", depth - 1, entries, left));
  }
  return absl::OkStatus();
}

absl::StatusOr<const std::vector<GitTreeEntry>*> StoredGitTree::Entries() {
  if (!entries_.has_value()) {
    std::vector<GitTreeEntry> entries;
    size_t left = kMaxGitTreeEntries;
    if (tree_ != nullptr) RETURN_IF_ERROR(List(*tree_, "", kMaxGitTreeDepth, entries, left));
    absl::c_sort(entries, [](const GitTreeEntry& a, const GitTreeEntry& b) { return a.path < b.path; });
    entries_ = std::move(entries);
  }
  return &*entries_;
}

absl::StatusOr<GitTreeEntry> StoredGitTree::Find(const std::string& path) {
  GitTreeEntry found{path, 0, ""};
  if (tree_ == nullptr || path.empty()) return found;
  int code = 0;
  const auto entry = git2::Get<git2::TreeEntry>(code, git_tree_entry_bypath, tree_.get(), path.c_str());
  // A folder on the way that is not there reads as a path that is not there; only the object's absence tells them
  // apart.
  if (code == GIT_ENOTFOUND && git_error_last()->klass != GIT_ERROR_ODB) return found;
  if (code != 0) return GitReadError(code, path);
  if (git_tree_entry_filemode(entry.get()) == GIT_FILEMODE_TREE) return found;
  found.mode = static_cast<uint32_t>(git_tree_entry_filemode(entry.get()));
  found.object = git2::Hex(*git_tree_entry_id(entry.get()));
  return found;
}

absl::StatusOr<std::string> StoredGitTree::Read(const GitTreeEntry& entry, size_t max_bytes) {
  if (entry.mode == kGitSubmoduleMode) return std::string();
  git_oid id;
  if (git_oid_fromstr(&id, entry.object.c_str()) != 0) return errors::GitObjectMissing(entry.object);
  int code = 0;
  const auto odb = git2::Get<git2::Odb>(code, git_repository_odb, &repository_);
  if (code != 0) return errors::GitRepositoryDamaged(git2::LastError());
  const auto object = git2::Get<git2::OdbObject>(code, git_odb_read, odb.get(), &id);
  if (code == 0) {
    return std::string(static_cast<const char*>(git_odb_object_data(object.get())),
                       std::min(git_odb_object_size(object.get()), max_bytes));
  }
  if (code != GIT_ENOTFOUND || work_tree_.empty()) return GitReadError(code, entry.object);
  std::ifstream file(work_tree_ / entry.path, std::ios::binary);
  std::string bytes(max_bytes, '\0');
  file.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (file.bad() || !file.is_open()) return GitReadError(code, entry.object);
  bytes.resize(static_cast<size_t>(file.gcount()));
  return bytes;
}

}  // namespace yardmaster
