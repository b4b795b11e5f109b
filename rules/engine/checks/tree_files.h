// Files of the tree around a review, as the queries of checks name them: found by globs, read and parsed once.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_TREE_FILES_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_TREE_FILES_H_

#include <chrono>
#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/review_tree.h"
#include "rules/engine/checks/unit.h"
#include "rules/engine/code/source_cache.h"

namespace yardmaster::rules {

// Texts that the queries of one review may read, and files.
inline constexpr size_t kMaxTreeBytes = 64 * 1024 * 1024;
inline constexpr size_t kMaxTreeFiles = 4000;

// Belongs to one run. Without a tree the files of the review are the tree.
class TreeFiles {
 public:
  TreeFiles(const CheckSet::Impl& checks, const std::vector<std::unique_ptr<Unit>>& units)
      : checks_(checks), units_(units) {}

  // `tree` and `sources` may be null and outlive this. The files of the review lie in the tree's folder `folder`.
  void SetTree(ReviewTree* tree, const std::string& folder, SourceCache* sources,
               std::chrono::milliseconds parse_limit) {
    tree_ = tree;
    sources_ = sources;
    folder_ = tree == nullptr || folder.empty() ? "" : folder + "/";
    parse_limit_ = parse_limit;
  }

  // The files of a version whose path matches the glob, by path. Not `parsed`: of files that are not under review there
  // are texts and lines only.
  const std::vector<const Unit*>& Find(const std::string& glob, TreeSide side, bool parsed);

  // All paths of a version, sorted.
  const std::vector<std::string>& Paths(TreeSide side);
  bool Has(const std::string& path, TreeSide side);
  // nullptr: there is no such file, or no more are read.
  const Unit* Parsed(const std::string& path, TreeSide side) { return FileAt(path, side, true); }
  // From the root of the tree.
  std::string PathOf(const Unit& unit) const;

  // What was passed, for a finding of the limit; empty: nothing.
  const std::string& limit() const { return limit_; }

 private:
  std::vector<std::string> PathsOf(const std::string& glob, TreeSide side) const;
  const Unit* FileAt(const std::string& path, TreeSide side, bool parsed);

  const CheckSet::Impl& checks_;
  const std::vector<std::unique_ptr<Unit>>& units_;
  ReviewTree* tree_ = nullptr;
  SourceCache* sources_ = nullptr;
  std::string folder_;  // "" or with a "/" at the end
  std::chrono::milliseconds parse_limit_{0};
  std::map<std::tuple<std::string, TreeSide, bool>, std::vector<const Unit*>> found_;
  std::map<std::tuple<std::string, TreeSide, bool>, std::unique_ptr<Unit>> read_;
  std::map<TreeSide, std::vector<std::string>> paths_;  // without a tree
  size_t bytes_ = 0;
  std::string limit_;
};

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_TREE_FILES_H_
