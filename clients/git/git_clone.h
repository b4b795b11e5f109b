// A developer's clone that is written: what state it is in, commits made of trees that are there, and refs that move
// only from the value that they are expected to have.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_CLONE_H_
#define YARDMASTER_CLIENTS_GIT_GIT_CLONE_H_

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/git_commits.h"
#include "clients/git/git_program.h"

namespace yardmaster {

struct GitRefChange {
  std::string ref;     // the full name: "refs/heads/main"
  std::string old_id;  // 40 hex digits; empty: it is not there
  std::string new_id;  // empty: it is removed
};

struct GitCloneState {
  std::string head_ref;            // "refs/heads/topic"; empty: HEAD is detached
  std::string head;                // the commit; empty: there is none yet
  std::string in_progress;         // "a rebase", "a merge", …; empty: nothing
  bool signs_commits = false;      // commit.gpgSign
  std::vector<std::string> dirty;  // tracked paths that differ from HEAD in index or work tree; submodules, too
  std::vector<std::string>
      filtered;  // those of `dirty` that go through a filter program: they may be the same after it
  std::vector<std::string> untracked;  // neither tracked nor ignored; a folder ends in "/"
};

// Not thread-safe. Errors: FAILED_PRECONDITION for what the user can change, ABORTED for a ref that is not where it was
// expected, INTERNAL for a broken repository.
class GitClone {
 public:
  // Where new objects go: to the others, or with kForgotten to memory until the clone is closed.
  enum class NewObjects : uint8_t { kStored, kForgotten };
  // `path`: a clone, a linked work tree, or a folder within one. A bare repository is FAILED_PRECONDITION.
  static absl::StatusOr<std::unique_ptr<GitClone>> Open(const std::filesystem::path& path,
                                                        NewObjects new_objects = NewObjects::kStored);
  virtual ~GitClone() = default;

  // Where what all work trees share lies: ".git".
  virtual std::filesystem::path common_dir() const = 0;
  // The index of this work tree.
  virtual std::filesystem::path index_file() const = 0;
  // The name under which the clone knows this work tree; empty: it is the first one, the others are linked to it.
  virtual std::string work_tree() const = 0;
  // Where the work tree of such a name lies; empty: there is none any more.
  virtual std::filesystem::path WorkTreePath(const std::string& work_tree) const = 0;
  // From here on objects of that folder, which is like ".git/objects", are found, too.
  virtual absl::Status ReadAlso(const std::filesystem::path& objects) = 0;
  // Whether two files that are indexes have the same entries. What git notes of times and sizes does not count.
  virtual absl::StatusOr<bool> SameIndex(const std::filesystem::path& a, const std::filesystem::path& b) const = 0;
  // Puts a copy of the file `index` in the place of the index, under git's own lock, if its entries are still those of
  // `expected`. ABORTED if they are not, or if another git holds the lock. `own`: see IndexLock.
  virtual absl::Status ReplaceIndex(const std::filesystem::path& expected, const std::filesystem::path& index,
                                    const std::filesystem::path& own) = 0;
  // Writes nothing, not even the index's notes of times.
  virtual absl::StatusOr<GitCloneState> State() = 0;
  // What HEAD of this work tree names: "refs/heads/topic", whether that is there or not; empty: it is detached.
  virtual absl::StatusOr<std::string> HeadRef() = 0;
  // The commit or tag object that a ref names, through symbolic refs; empty: it is not there.
  virtual absl::StatusOr<std::string> Ref(const std::string& ref) = 0;
  // Whether a branch is checked out in another work tree of this clone.
  virtual absl::StatusOr<bool> CheckedOutElsewhere(const std::string& ref) = 0;
  // Whether two commits have the same files.
  virtual absl::StatusOr<bool> SameFiles(const std::string& a, const std::string& b) = 0;
  // From here on new commits are signed, by this git and as the user has set it up; where the signer fails, that is
  // FAILED_PRECONDITION with what it said. `git` outlives the clone. Not with kForgotten, which git can't read.
  virtual void SignWith(GitProgram& git) = 0;
  // The id of a new commit. The committer is the user of git's configuration, now.
  virtual absl::StatusOr<std::string> MakeCommit(const GitNewCommit& commit) = 0;
  // Makes `commits`, oldest first, once more on `onto`, by three-way merges in memory. Authors and messages stay;
  // behind a message comes `trailer`, in which "{}" is the old commit's id. The work tree is not touched. A merge among
  // them is FAILED_PRECONDITION.
  virtual absl::StatusOr<GitReplay> Replay(const std::vector<std::string>& commits, const std::string& onto,
                                           const std::string& trailer) = 0;
  // Tracked paths that differ between the trees of two commits and that have uncommitted changes here, sorted; but for
  // files that go through a filter program, which Checkout refuses.
  virtual absl::StatusOr<std::vector<std::string>> InTheWay(const std::string& from, const std::string& to) = 0;
  // Takes index and work tree from the tree of one commit to that of another. Files that neither has, and changes of
  // files in which both are the same, stay. FAILED_PRECONDITION, and nothing has changed, where that would overwrite
  // something, but for what InTheWay says, which is to be asked first. Where a part has been done before, the rest is
  // done. FAILED_PRECONDITION are, too, files that the index says not to look at (a sparse checkout), and files that
  // go through a filter program (Git LFS), which does not run here. Git's own lock of the index is held meanwhile;
  // ABORTED, and nothing has changed, if another git holds it. `own`: see IndexLock.
  virtual absl::Status Checkout(const std::string& from, const std::string& to, const std::filesystem::path& own) = 0;
  // Removes files that differ between the two trees and that hold a beginning of what one of them has: somebody was
  // killed while they were written.
  virtual absl::Status RemoveTornFiles(const std::string& from, const std::string& to) = 0;
  // Puts the content of one blob in the place of another's in a file of the work tree, which keeps its mode. A file
  // with any other content, and what is no file, stays as it is. Killed meanwhile, it has the one or the other.
  virtual absl::Status ReplaceFile(const std::string& path, const std::string& old_blob,
                                   const std::string& new_blob) = 0;
  // `why` is what the reflog says.
  virtual absl::Status MoveRef(const GitRefChange& change, const std::string& why) = 0;
};

// Copies a file that is an index, with the time of its last change: by that git knows which entries it has to look at
// although times and sizes of the files are the same.
absl::Status CopyIndex(const std::filesystem::path& from, const std::filesystem::path& to);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_CLONE_H_
