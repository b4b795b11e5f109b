// `gen-commit-msg`: a message made of what is about to be committed. Writes nothing.
#ifndef YARDMASTER_SERVICES_WORKFLOW_DESCRIBE_H_
#define YARDMASTER_SERVICES_WORKFLOW_DESCRIBE_H_

#include <filesystem>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/git/git_repository.h"
#include "services/workflow/commit_message.h"
#include "services/workflow/result.h"

namespace yardmaster::workflow {

struct DescribeRequest {
  std::filesystem::path repo;
  std::string scope;  // empty: the folder that all files have in common
  Language language = Language::kEnglish;
};
// Of what is staged; where nothing is, of the last commit.
absl::StatusOr<Result> GenerateMessage(const DescribeRequest& request);

// What lies between two trees, file by file.
absl::StatusOr<std::vector<FileFacts>> FactsBetween(GitRepository& repository, GitTree& base, GitTree& head);

}  // namespace yardmaster::workflow

#endif  // YARDMASTER_SERVICES_WORKFLOW_DESCRIBE_H_
