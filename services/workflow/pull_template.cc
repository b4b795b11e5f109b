#include "services/workflow/pull_template.h"

#include <string>

#include "services/core/status_macros.h"

namespace yardmaster::workflow {

absl::StatusOr<GitTreeEntry> FindTemplate(GitTree& tree, const std::vector<std::string_view>& paths) {
  for (const std::string_view path : paths) {
    ASSIGN_OR_RETURN(GitTreeEntry entry, tree.Find(std::string(path)));
    if (entry.mode == kGitFileMode || entry.mode == kGitExecutableMode) return entry;
  }
  return GitTreeEntry();
}

}  // namespace yardmaster::workflow
