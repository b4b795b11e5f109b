#include "clients/git/commit_tree.h"

#include "absl/strings/strip.h"
#include "services/core/errors.h"
#include "services/core/status_macros.h"

namespace yardmaster {

absl::StatusOr<std::string> CommitTree(GitProgram& git, const GitTreeCommit& commit,
                                       const std::vector<std::string>& variables) {
  std::vector<std::string> all = variables;
  if (commit.author) {
    all.insert(all.end(), {"GIT_AUTHOR_NAME=" + commit.author->name, "GIT_AUTHOR_EMAIL=" + commit.author->email,
                           "GIT_AUTHOR_DATE=@" + commit.author->date});
  }
  std::vector<std::string> arguments;
  if (!commit.encoding.empty()) arguments = {"-c", "i18n.commitEncoding=" + commit.encoding};
  arguments.emplace_back("commit-tree");
  for (const std::string& parent : commit.parents) arguments.insert(arguments.end(), {"-p", parent});
  if (commit.sign) arguments.emplace_back("-S");
  arguments.push_back(commit.tree);
  ASSIGN_OR_RETURN(const GitOutput output, git.Run(arguments, all, commit.message));
  if (output.code != 0) {
    const std::string said = GitComplaint(output.err);
    return commit.sign ? errors::GitNotSigned(said) : errors::GitProgramFailed("commit-tree", said);
  }
  return std::string(absl::StripSuffix(output.out, "\n"));
}

}  // namespace yardmaster
