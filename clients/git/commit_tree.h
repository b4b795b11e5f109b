// A commit by the installed git, which signs as the developer has set it up: `git commit-tree`.
#ifndef YARDMASTER_CLIENTS_GIT_COMMIT_TREE_H_
#define YARDMASTER_CLIENTS_GIT_COMMIT_TREE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/git/git_program.h"

namespace yardmaster {

struct GitAuthor {
  std::string name;
  std::string email;
  std::string date;  // as git's raw dates: "1769860800 +0100"
};

struct GitTreeCommit {
  std::string tree;
  std::vector<std::string> parents;
  std::string message;
  std::optional<GitAuthor> author;  // nullopt: git's identity, now
  std::string encoding;             // of the message; empty: as git is configured
  bool sign = false;                // by gpg, gpgsm or ssh, as gpg.format says
};

// The id of the new commit, whose committer is git's identity, now. FAILED_PRECONDITION, with what git and the signer
// said, where it is not made. `variables`: as of GitProgram::Run.
absl::StatusOr<std::string> CommitTree(GitProgram& git, const GitTreeCommit& commit,
                                       const std::vector<std::string>& variables = {});

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_COMMIT_TREE_H_
