#include "services/pipeline/test_reach.h"

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "clients/git/git_repository.h"
#include "rules/engine/code/source_file.h"
#include "rules/engine/pipeline/reach.h"
#include "services/core/status_macros.h"

namespace yardmaster {
namespace {

// So many tests are followed; where more fail, it is hardly about one of them.
constexpr size_t kMaxTests = 20;

// The files of one commit in the cache. Both sides are that commit.
class HeadTree final : public rules::ReviewTree {
 public:
  static absl::StatusOr<std::unique_ptr<HeadTree>> Open(GitCacheHandle handle) {
    std::unique_ptr<HeadTree> tree(new HeadTree(std::move(handle)));
    ASSIGN_OR_RETURN(tree->tree_, tree->handle_.repository().TreeOf(tree->handle_.head()));
    ASSIGN_OR_RETURN(const std::vector<GitTreeEntry>* const entries, tree->tree_->Entries());
    for (const GitTreeEntry& entry : *entries) {
      if (entry.mode == kGitFileMode || entry.mode == kGitExecutableMode) tree->paths_.push_back(entry.path);
    }
    absl::c_sort(tree->paths_);
    return tree;
  }

  const std::vector<std::string>& Paths(rules::TreeSide) override { return paths_; }
  void Prefetch(rules::TreeSide, const std::vector<std::string>& paths) override {
    std::vector<std::string> objects;
    for (const std::string& path : paths) {
      const absl::StatusOr<GitTreeEntry> entry = tree_->Find(path);
      if (entry.ok() && !entry->object.empty()) objects.push_back(entry->object);
    }
    fetched_.Update(handle_.NeedBlobs(objects));
  }
  std::optional<std::string> Read(rules::TreeSide, const std::string& path) override {
    const absl::StatusOr<GitTreeEntry> entry = tree_->Find(path);
    if (!entry.ok() || entry->object.empty()) return std::nullopt;
    absl::StatusOr<std::string> text = tree_->Read(*entry, rules::kMaxSourceBytes + 1);
    return text.ok() ? std::optional(*std::move(text)) : std::nullopt;
  }
  // The first error of the git server.
  const absl::Status& fetched() const { return fetched_; }

 private:
  explicit HeadTree(GitCacheHandle handle) : handle_(std::move(handle)) {}

  GitCacheHandle handle_;
  std::unique_ptr<GitTree> tree_;
  std::vector<std::string> paths_;
  absl::Status fetched_;
};

}  // namespace

absl::StatusOr<TestReach> ReadTestReach(GitCache& cache, const std::string& repository, const GitPoint& head,
                                        const std::set<std::string>& tests) {
  TestReach reach;
  if (tests.size() > kMaxTests) {
    reach.unknown.push_back(
        {"more tests failed than are followed to what they import", "失败的测试太多，没有追查它们导入了什么"});
    return reach;
  }
  GitCacheRequest request;
  request.repository = repository;
  request.base = head;
  request.head = head;
  ASSIGN_OR_RETURN(GitCacheHandle handle, cache.Fetch(request));
  ASSIGN_OR_RETURN(const std::unique_ptr<HeadTree> tree, HeadTree::Open(std::move(handle)));
  for (const std::string& test : tests) {
    std::string why;
    std::optional<std::vector<std::string>> files = rules::ReachOf(*tree, test, why);
    RETURN_IF_ERROR(tree->fetched());
    if (files.has_value()) {
      reach.files[test] = *std::move(files);
    } else {
      reach.unknown.push_back({absl::StrCat("what ", test, " reaches is not known: ", why),
                               absl::StrCat("不清楚 ", test, " 会用到什么：", why)});
    }
  }
  return reach;
}

}  // namespace yardmaster
