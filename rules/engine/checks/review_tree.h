// The tree around the files of a review, for checks that ask whether something is elsewhere: read as far as they ask.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_REVIEW_TREE_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_REVIEW_TREE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace yardmaster::rules {

enum class TreeSide : uint8_t { kBase, kHead };

// Thread-safe. Paths are from the root.
class ReviewTree {
 public:
  virtual ~ReviewTree() = default;
  // All paths of a version, sorted.
  virtual const std::vector<std::string>& Paths(TreeSide side) = 0;
  // Files that Read will be asked for soon.
  virtual void Prefetch(TreeSide /*side*/, const std::vector<std::string>& /*paths*/) {}
  // nullopt: it can't be read. Texts over the limit of a file may be cut behind it.
  virtual std::optional<std::string> Read(TreeSide side, const std::string& path) = 0;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_REVIEW_TREE_H_
