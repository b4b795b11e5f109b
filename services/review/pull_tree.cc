#include "services/review/pull_tree.h"

#include <iterator>
#include <utility>

#include "absl/algorithm/container.h"

namespace yardmaster {

PullTree::PullTree(rules::ReviewTree& tree, const PullMeta& meta) : tree_(tree) {
  for (PullFile& file : PullFilesOf(meta)) files_[std::move(file.path)] = std::move(file.text);
  head_ = tree_.Paths(rules::TreeSide::kHead);
  for (const auto& [path, text] : files_) head_.push_back(path);
  absl::c_sort(head_);
}

const std::vector<std::string>& PullTree::Paths(rules::TreeSide side) {
  return side == rules::TreeSide::kHead ? head_ : tree_.Paths(side);
}

void PullTree::Prefetch(rules::TreeSide side, const std::vector<std::string>& paths) {
  std::vector<std::string> others;
  absl::c_copy_if(paths, std::back_inserter(others), [&](const std::string& path) { return !files_.contains(path); });
  tree_.Prefetch(side, others);
}

std::optional<std::string> PullTree::Read(rules::TreeSide side, const std::string& path) {
  const auto found = side == rules::TreeSide::kHead ? files_.find(path) : files_.end();
  return found == files_.end() ? tree_.Read(side, path) : found->second;
}

}  // namespace yardmaster
