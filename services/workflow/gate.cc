#include "services/workflow/gate.h"

#include <memory>
#include <set>

#include "services/core/status_macros.h"
#include "services/workflow/default_base.h"

namespace yardmaster::workflow {
namespace {

constexpr size_t kMaxGateRenames = 1'000;

}  // namespace

absl::StatusOr<std::vector<std::string>> PathsChanged(GitRepository& repository, const std::string& base,
                                                      const std::string& head) {
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> before, repository.TreeOf(base));
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> after, repository.TreeOf(head));
  ASSIGN_OR_RETURN(const std::vector<GitChangedFile> files, repository.Diff(*before, *after, kMaxGateRenames));
  std::set<std::string> paths;
  for (const GitChangedFile& file : files) {
    if (file.head.mode != 0) paths.insert(file.head.path);
  }
  return std::vector<std::string>(paths.begin(), paths.end());
}

absl::StatusOr<std::vector<std::string>> PathsChangedHere(const Workspace& work) {
  std::set<std::string> paths(work.state.dirty.begin(), work.state.dirty.end());
  paths.insert(work.state.untracked.begin(), work.state.untracked.end());
  ASSIGN_OR_RETURN(const std::string base, DefaultBase(*work.clone));
  if (!base.empty() && !work.state.head.empty()) {
    ASSIGN_OR_RETURN(const std::string left, work.repository->MergeBase(base, work.state.head));
    ASSIGN_OR_RETURN(const std::vector<std::string> since, PathsChanged(*work.repository, left, work.state.head));
    paths.insert(since.begin(), since.end());
  }
  return std::vector<std::string>(paths.begin(), paths.end());
}

}  // namespace yardmaster::workflow
