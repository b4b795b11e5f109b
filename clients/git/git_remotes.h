// The remotes of a clone, through the installed git: which repositories they are, where their refs are, fetching, and
// pushing only over the value that is expected.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_REMOTES_H_
#define YARDMASTER_CLIENTS_GIT_GIT_REMOTES_H_

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/git_program.h"

namespace yardmaster {

struct GitPush {
  std::string remote;  // "origin"
  std::string ref;     // there: "refs/heads/topic"
  std::string old_id;  // where it must be, else nothing is pushed; empty: it must not be there
  std::string new_id;  // empty: it is removed
};

// Errors: UNAVAILABLE for a remote that can't be reached or refuses us, ABORTED for a push that it rejected,
// FAILED_PRECONDITION for a git that can't be run. Addresses are read once: each command has remotes of its own. Not
// thread-safe.
class GitRemotes {
 public:
  // `git` outlives it. `variables` go to every git that talks to a remote, such as a header with a token.
  GitRemotes(GitProgram& git, std::vector<std::string> variables) : git_(git), variables_(std::move(variables)) {}

  // From here on these variables take the place of those that it has.
  void Use(std::vector<std::string> variables) { variables_ = std::move(variables); }

  // The address that `git fetch` would use, after url.insteadOf; empty: there is no such remote.
  absl::StatusOr<std::string> Url(const std::string& remote) const;
  // FAILED_PRECONDITION: there is no such remote, or `git push` would not go to the repository that is fetched, by a
  // pushurl or url.pushInsteadOf, or to several.
  absl::Status PushesWhereItFetches(const std::string& remote) const;
  // The branch that HEAD of the remote names, whatever slashes that has, else the first of main, master and develop
  // that is there; empty: it is not known.
  absl::StatusOr<std::string> DefaultBranch(const std::string& remote) const;
  // The commit of a ref there, by its full name; empty: it is not there.
  absl::StatusOr<std::string> Ref(const std::string& remote, const std::string& ref) const;
  // Brings the branches to refs/remotes/REMOTE/, however they moved and whatever refspecs are configured. A clone whose
  // history is cut gets all of it: what lies between branches is not known otherwise.
  absl::Status FetchBranches(const std::string& remote, const std::vector<std::string>& branches) const;
  // Brings a ref's commits here without a name for them.
  absl::Status FetchRef(const std::string& remote, const std::string& ref) const;
  // With the expected value always; hooks of the clone run.
  absl::Status Push(const GitPush& push) const;

 private:
  // After url.insteadOf and url.pushInsteadOf.
  struct Addresses {
    std::string fetch;
    std::vector<std::string> push;
  };

  // Those of a remote; nullptr: there is no such remote.
  absl::StatusOr<const Addresses*> AddressesOf(const std::string& remote) const;
  // Fetches what lies before the commits at which the history of a shallow clone is cut.
  absl::Status CompleteHistory(const std::string& remote) const;

  GitProgram& git_;
  std::vector<std::string> variables_;
  mutable std::optional<std::map<std::string, Addresses>> addresses_;  // by remote
  mutable bool has_whole_history_ = false;                             // as far as is known
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_REMOTES_H_
