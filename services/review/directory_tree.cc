#include "services/review/directory_tree.h"

#include <utility>

#include "rules/engine/code/source_file.h"
#include "services/review/operator_files.h"

namespace yardmaster {

DirectoryTree::DirectoryTree(std::filesystem::path folder) : folder_(std::move(folder)) {
  TreeListing listing = ListTree(folder_, kMaxTreeEntries, kMaxTreeDepth, HiddenFolders::kListed);
  paths_ = std::move(listing.paths);
  complete_ = listing.complete;
}

const std::vector<std::string>& DirectoryTree::Paths(rules::TreeSide side) {
  static const std::vector<std::string> kNothing;
  return side == rules::TreeSide::kHead ? paths_ : kNothing;
}

std::optional<std::string> DirectoryTree::Read(rules::TreeSide side, const std::string& path) {
  std::string ignored;
  return side == rules::TreeSide::kHead ? ReadText(folder_ / path, rules::kMaxSourceBytes, ignored) : std::nullopt;
}

}  // namespace yardmaster
