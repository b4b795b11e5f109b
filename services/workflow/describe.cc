#include "services/workflow/describe.h"

#include <memory>
#include <utility>

#include "clients/git/git_clone.h"
#include "services/core/status_macros.h"
#include "services/workflow/workspace.h"

namespace yardmaster::workflow {
namespace {

constexpr size_t kMaxRenames = 1'000;
constexpr size_t kMaxReadBytes = 2 * 1024 * 1024;

absl::StatusOr<std::string> TextOf(GitTree& tree, const GitTreeEntry& entry) {
  if (entry.mode != kGitFileMode && entry.mode != kGitExecutableMode) return std::string();
  return tree.Read(entry, kMaxReadBytes);
}

}  // namespace

absl::StatusOr<std::vector<FileFacts>> FactsBetween(GitRepository& repository, GitTree& base, GitTree& head) {
  ASSIGN_OR_RETURN(const std::vector<GitChangedFile> files, repository.Diff(base, head, kMaxRenames));
  std::vector<FileFacts> facts;
  for (const GitChangedFile& file : files) {
    ASSIGN_OR_RETURN(const std::string before, TextOf(base, file.base));
    ASSIGN_OR_RETURN(const std::string after, TextOf(head, file.head));
    facts.push_back(FactsOfFile(file, before, after));
  }
  return facts;
}

absl::StatusOr<Result> GenerateMessage(const DescribeRequest& request) {
  Result result;
  result.command = "gen-commit-msg";
  ASSIGN_OR_RETURN(const Workspace work, OpenWorkspace(request.repo, /*dry_run=*/true));
  result.branch = work.branch();
  if (work.state.head.empty()) return Refuse(std::move(result), "the branch has no commit yet", "commit first");
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> head, work.repository->TreeOf(work.state.head));
  ASSIGN_OR_RETURN(const std::unique_ptr<GitTree> index, work.repository->IndexTree());
  ASSIGN_OR_RETURN(std::vector<FileFacts> facts, FactsBetween(*work.repository, *head, *index));
  std::string of = "what is staged";
  if (facts.empty()) {
    of = "the last commit";
    ASSIGN_OR_RETURN(const std::vector<GitCommit> last, work.repository->Merged("", work.state.head, 1));
    std::unique_ptr<GitTree> parent = work.repository->EmptyTree();
    if (!last.empty() && !last.front().parents.empty()) {
      ASSIGN_OR_RETURN(parent, work.repository->TreeOf(last.front().parents.front()));
    }
    ASSIGN_OR_RETURN(facts, FactsBetween(*work.repository, *parent, *head));
  }
  if (facts.empty()) {
    result.outcome = Result::Outcome::kNothing;
    result.reason = "nothing is staged, and the last commit changes nothing";
    return result;
  }
  result.message = MessageOf(facts, result.branch, request.scope, request.language);
  result.steps.push_back({"describe", "done", "of " + of});
  return result;
}

}  // namespace yardmaster::workflow
