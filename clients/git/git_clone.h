// A developer's clone that is written: what state it is in, commits made of trees that are there, and refs that move
// only from the value that they are expected to have.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_CLONE_H_
#define YARDMASTER_CLIENTS_GIT_GIT_CLONE_H_

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace yardmaster {

struct GitRefChange {
  std::string ref;     // the full name: "refs/heads/main"
  std::string old_id;  // 40 hex digits; empty: it is not there
  std::string new_id;  // empty: it is removed
};

struct GitCloneState {
  std::string head_ref;                // "refs/heads/topic"; empty: HEAD is detached
  std::string head;                    // the commit; empty: there is none yet
  std::string in_progress;             // "a rebase", "a merge", …; empty: nothing
  bool signs_commits = false;          // commit.gpgSign
  std::vector<std::string> dirty;      // tracked paths that differ from HEAD in index or work tree; submodules, too
  std::vector<std::string> untracked;  // neither tracked nor ignored; a folder ends in "/"
};

// The author is that of another commit; the committer is the user of git's configuration, now.
struct GitNewCommit {
  std::string tree_of;  // the commit whose tree it has
  std::string parent;
  std::string author_of;
  std::string message;  // UTF-8
};

// Not thread-safe. Errors: FAILED_PRECONDITION for what the user can change, ABORTED for a ref that is not where it was
// expected, INTERNAL for a broken repository.
class GitClone {
 public:
  // `path`: a clone, a linked work tree, or a folder within one. A bare repository is FAILED_PRECONDITION.
  static absl::StatusOr<std::unique_ptr<GitClone>> Open(const std::filesystem::path& path);
  virtual ~GitClone() = default;

  // Where what all work trees share lies: ".git".
  virtual std::filesystem::path common_dir() const = 0;
  // Writes nothing, not even the index's notes of times.
  virtual absl::StatusOr<GitCloneState> State() = 0;
  // The commit or tag object that a ref names, through symbolic refs; empty: it is not there.
  virtual absl::StatusOr<std::string> Ref(const std::string& ref) = 0;
  // The id of a commit; it is stored if `write`.
  virtual absl::StatusOr<std::string> MakeCommit(const GitNewCommit& commit, bool write) = 0;
  // `why` is what the reflog says.
  virtual absl::Status MoveRef(const GitRefChange& change, const std::string& why) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_CLONE_H_
