// A tree in which checks also find what only a forge knows of a pull request, at the paths of pull_meta.h.
#ifndef YARDMASTER_SERVICES_REVIEW_PULL_TREE_H_
#define YARDMASTER_SERVICES_REVIEW_PULL_TREE_H_

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "rules/engine/checks/review_tree.h"
#include "services/review/pull_meta.h"

namespace yardmaster {

// `tree` must outlive it. The files are at head.
class PullTree final : public rules::ReviewTree {
 public:
  PullTree(rules::ReviewTree& tree, const PullMeta& meta);

  const std::vector<std::string>& Paths(rules::TreeSide side) override;
  void Prefetch(rules::TreeSide side, const std::vector<std::string>& paths) override;
  std::optional<std::string> Read(rules::TreeSide side, const std::string& path) override;

 private:
  rules::ReviewTree& tree_;
  std::map<std::string, std::string> files_;
  std::vector<std::string> head_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_PULL_TREE_H_
