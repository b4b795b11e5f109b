// A folder on the disk as the tree around a review.
#ifndef YARDMASTER_SERVICES_REVIEW_DIRECTORY_TREE_H_
#define YARDMASTER_SERVICES_REVIEW_DIRECTORY_TREE_H_

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "rules/engine/checks/review_tree.h"

namespace yardmaster {

// There is nothing at base. Folders whose names begin with a dot belong to it, but for that of the version control.
class DirectoryTree final : public rules::ReviewTree {
 public:
  explicit DirectoryTree(std::filesystem::path folder);

  // False: the folder has more entries than are looked at.
  bool complete() const { return complete_; }

  const std::vector<std::string>& Paths(rules::TreeSide side) override;
  std::optional<std::string> Read(rules::TreeSide side, const std::string& path) override;

 private:
  const std::filesystem::path folder_;
  std::vector<std::string> paths_;
  bool complete_ = true;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_DIRECTORY_TREE_H_
