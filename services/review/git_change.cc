#include "services/review/git_change.h"

#include <utility>

#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

// Renames are looked for among so many files; of more, they are removals and additions.
constexpr size_t kMaxRenameFiles = 3000;

bool IsRegular(uint32_t mode) { return mode == kGitFileMode || mode == kGitExecutableMode; }

}  // namespace

absl::StatusOr<std::unique_ptr<GitChange>> GitChange::Between(GitRepository& repository, std::unique_ptr<GitTree> base,
                                                              std::unique_ptr<GitTree> head, Fetch fetch) {
  // NOLINTNEXTLINE(cppcoreguidelines-owning-memory): the constructor is private
  std::unique_ptr<GitChange> change(new GitChange(std::move(base), std::move(head), std::move(fetch)));
  ASSIGN_OR_RETURN(const std::vector<GitChangedFile> files,
                   repository.Diff(*change->trees_[0], *change->trees_[1], kMaxRenameFiles));
  for (const GitChangedFile& file : files) {
    ChangedFile& one = change->files_.emplace_back();
    switch (file.change) {
      case GitChangedFile::Change::kAdded:
        one.kind = ChangedFile::Kind::kAdded;
        break;
      case GitChangedFile::Change::kRemoved:
        one.kind = ChangedFile::Kind::kRemoved;
        break;
      case GitChangedFile::Change::kModified:
        one.kind = ChangedFile::Kind::kModified;
        break;
      case GitChangedFile::Change::kRenamed:
        one.kind = ChangedFile::Kind::kRenamed;
        break;
      case GitChangedFile::Change::kCopied:
        one.kind = ChangedFile::Kind::kCopied;
        break;
    }
    one.path = file.head.mode != 0 ? file.head.path : file.base.path;
    if (file.base.mode != 0 && file.base.path != one.path) one.former_path = file.base.path;
    one.mode = file.head.mode;
    one.former_mode = file.base.mode;
    one.binary = file.binary;
  }
  return change;
}

absl::Status GitChange::Prefetch(ChangeSide side, const std::vector<std::string>& paths) {
  if (!fetch_) return absl::OkStatus();
  std::vector<std::string> objects;
  for (const std::string& path : paths) {
    ASSIGN_OR_RETURN(const GitTreeEntry entry, trees_[static_cast<size_t>(side)]->Find(path));
    if (IsRegular(entry.mode)) objects.push_back(entry.object);
  }
  return fetch_(objects);
}

absl::StatusOr<std::optional<std::string>> GitChange::Read(ChangeSide side, const std::string& path, size_t max_bytes) {
  GitTree& tree = *trees_[static_cast<size_t>(side)];
  ASSIGN_OR_RETURN(const GitTreeEntry entry, tree.Find(path));
  if (!IsRegular(entry.mode)) return std::nullopt;
  if (fetch_) RETURN_IF_ERROR(fetch_({entry.object}));
  ASSIGN_OR_RETURN(std::string text, tree.Read(entry, max_bytes + 1));
  return text;
}

absl::StatusOr<const std::vector<std::string>*> GitChange::Paths(ChangeSide side) {
  auto& paths = paths_[static_cast<size_t>(side)];
  if (!paths.has_value()) {
    ASSIGN_OR_RETURN(const std::vector<GitTreeEntry>* entries, trees_[static_cast<size_t>(side)]->Entries());
    paths.emplace();
    for (const GitTreeEntry& entry : *entries) {
      if (IsRegular(entry.mode)) paths->push_back(entry.path);
    }
  }
  return &*paths;
}

}  // namespace yardmaster
