// A change between two trees in memory, for tests of reviews.
#ifndef YARDMASTER_TESTS_SUPPORT_MEMORY_CHANGE_H_
#define YARDMASTER_TESTS_SUPPORT_MEMORY_CHANGE_H_

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "services/review/change.h"

namespace yardmaster::testing {

using MemoryTree = std::map<std::string, std::string>;  // path → text

class MemoryChange final : public Change {
 public:
  // `renames`: path at base → path at head.
  MemoryChange(MemoryTree base, MemoryTree head, const std::map<std::string, std::string>& renames = {})
      : trees_{std::move(base), std::move(head)} {
    std::map<std::string, ChangedFile> files;
    std::set<std::string> gone;
    for (const auto& [from, to] : renames) {
      files[to] = {ChangedFile::Kind::kRenamed, to, from, 0100644, 0100644, false};
      gone.insert(from);
    }
    for (const auto& [path, text] : trees_[1]) {
      const auto before = trees_[0].find(path);
      if (files.contains(path)) continue;
      if (before == trees_[0].end()) {
        files[path] = {ChangedFile::Kind::kAdded, path, "", 0100644, 0, false};
      } else if (before->second != text) {
        files[path] = {ChangedFile::Kind::kModified, path, "", 0100644, 0100644, false};
      }
    }
    for (const auto& [path, text] : trees_[0]) {
      if (!trees_[1].contains(path) && !gone.contains(path)) {
        files[path] = {ChangedFile::Kind::kRemoved, path, "", 0, 0100644, false};
      }
    }
    for (const auto& [path, file] : files) files_.push_back(file);
    for (size_t side = 0; side < 2; ++side) {
      for (const auto& [path, text] : trees_[side]) paths_[side].push_back(path);
    }
  }

  const std::vector<ChangedFile>& files() const override { return files_; }
  absl::StatusOr<std::optional<std::string>> Read(ChangeSide side, const std::string& path, size_t) override {
    const MemoryTree& tree = trees_[static_cast<size_t>(side)];
    const auto found = tree.find(path);
    return found == tree.end() ? std::nullopt : std::optional(found->second);
  }
  absl::StatusOr<const std::vector<std::string>*> Paths(ChangeSide side) override {
    return listed ? &paths_[static_cast<size_t>(side)] : nullptr;
  }

  bool listed = true;

 private:
  MemoryTree trees_[2];
  std::vector<std::string> paths_[2];
  std::vector<ChangedFile> files_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_MEMORY_CHANGE_H_
