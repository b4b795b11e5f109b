// The template of a pull request's text, as a repository keeps it.
#ifndef YARDMASTER_SERVICES_WORKFLOW_PULL_TEMPLATE_H_
#define YARDMASTER_SERVICES_WORKFLOW_PULL_TEMPLATE_H_

#include <cstddef>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/git/git_repository.h"

namespace yardmaster::workflow {

// What is longer is cut.
inline constexpr size_t kMaxTemplateBytes = 64 * 1024;

// The first of `paths`, those of the forge's profile, that is a file; mode 0: none is.
absl::StatusOr<GitTreeEntry> FindTemplate(GitTree& tree, const std::vector<std::string_view>& paths);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_PULL_TEMPLATE_H_
