// A tree object as GitTree. Trees of the index and of the work tree are written to memory first and are then as any
// other.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_TREE_H_
#define YARDMASTER_CLIENTS_GIT_GIT_TREE_H_

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "clients/git/git_repository.h"
#include "clients/git/libgit2.h"

namespace yardmaster {

// What the last failed call of libgit2 on this thread means when an object was read by its name.
absl::Status GitReadError(int code, const std::string& object);

class StoredGitTree final : public GitTree {
 public:
  // `tree` may be empty: nothing is there. `work_tree`: where files lie whose content is not among the objects; empty:
  // there are none.
  StoredGitTree(git_repository& repository, git2::Tree tree, std::filesystem::path work_tree = {})
      : repository_(repository), tree_(std::move(tree)), work_tree_(std::move(work_tree)) {}

  absl::StatusOr<const std::vector<GitTreeEntry>*> Entries() override;
  absl::StatusOr<GitTreeEntry> Find(const std::string& path) override;
  absl::StatusOr<std::string> Read(const GitTreeEntry& entry, size_t max_bytes) override;

  git_tree* get() const { return tree_.get(); }

 private:
  absl::Status List(const git_tree& tree, const std::string& prefix, int depth, std::vector<GitTreeEntry>& entries,
                    size_t& left) const;

  git_repository& repository_;
  const git2::Tree tree_;
  const std::filesystem::path work_tree_;
  std::optional<std::vector<GitTreeEntry>> entries_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_TREE_H_
