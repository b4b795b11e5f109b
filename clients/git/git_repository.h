// A repository on this machine, read without its hooks, filters, aliases and submodules: trees, what lies between two
// of them, and commits.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_REPOSITORY_H_
#define YARDMASTER_CLIENTS_GIT_GIT_REPOSITORY_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace yardmaster {

// As git writes modes.
inline constexpr uint32_t kGitFileMode = 0100644;
inline constexpr uint32_t kGitExecutableMode = 0100755;
inline constexpr uint32_t kGitLinkMode = 0120000;       // a symbolic link: its content is the target
inline constexpr uint32_t kGitSubmoduleMode = 0160000;  // a commit of another repository: there is no content

struct GitTreeEntry {
  std::string path;    // from the root, "/" between folders
  uint32_t mode = 0;   // one of the above; 0: there is nothing
  std::string object;  // 40 hex digits: of a file of the work tree those that it would have when committed
};

// All files at one point: of a commit, of the index, or as they lie in the work tree. Not thread-safe. Lives no longer
// than its repository.
class GitTree {
 public:
  virtual ~GitTree() = default;

  // Everything but folders, sorted by path. Read when first asked for.
  virtual absl::StatusOr<const std::vector<GitTreeEntry>*> Entries() = 0;
  // The entry of a path; mode 0 if there is none.
  virtual absl::StatusOr<GitTreeEntry> Find(const std::string& path) = 0;
  // The bytes of a file or a link as they are committed, or would be: no program that the repository names as a filter
  // runs. At most `max_bytes`, what is longer is cut. Nothing of a submodule.
  virtual absl::StatusOr<std::string> Read(const GitTreeEntry& entry, size_t max_bytes) = 0;
};

// One path between two trees.
struct GitChangedFile {
  enum class Change : uint8_t { kAdded, kRemoved, kModified, kRenamed, kCopied };
  Change change = Change::kModified;  // kModified includes a change of the mode alone, or from file to link
  GitTreeEntry base;                  // mode 0: it was not there; of a copy: what it was copied from
  GitTreeEntry head;                  // mode 0: it is gone
  bool binary = false;
};

struct GitCommit {
  std::string id;
  std::string message;
  std::string author_name;
  std::string author_email;
  std::vector<std::string> parents;
};

// Not thread-safe. Errors: NOT_FOUND for what is not there, FAILED_PRECONDITION for a repository that can't be read as
// it is (says why), INVALID_ARGUMENT for more than a limit allows, INTERNAL for a broken one.
class GitRepository {
 public:
  // `path`: a bare repository, a clone, a linked work tree, or a folder within one.
  static absl::StatusOr<std::unique_ptr<GitRepository>> Open(const std::filesystem::path& path);
  virtual ~GitRepository() = default;

  // From here on objects of that folder, which is like ".git/objects", are found, too.
  virtual absl::Status ReadAlso(const std::filesystem::path& objects) = 0;

  // The folder of the work tree; empty: the repository is bare.
  virtual std::string work_tree() const = 0;
  // The commit that a revision names ("main", "HEAD~2", "v1.0", a full or short id): 40 hex digits.
  virtual absl::StatusOr<std::string> Resolve(std::string_view revision) = 0;
  // The best common ancestor. NOT_FOUND: there is none.
  virtual absl::StatusOr<std::string> MergeBase(const std::string& a, const std::string& b) = 0;
  // Commits that `head` has and `base` has not, oldest first; at most `max`, the newest ones.
  virtual absl::StatusOr<std::vector<GitCommit>> Commits(const std::string& base, const std::string& head,
                                                         size_t max) = 0;
  // What was merged into the branch of `head`: it and its first parents, newest first, at most `max`. `base`: only what
  // that has not; empty: all.
  virtual absl::StatusOr<std::vector<GitCommit>> Merged(const std::string& base, const std::string& head,
                                                        size_t max) = 0;

  virtual absl::StatusOr<std::unique_ptr<GitTree>> TreeOf(const std::string& commit) = 0;
  // What would be committed now.
  virtual absl::StatusOr<std::unique_ptr<GitTree>> IndexTree() = 0;
  // The files as they lie there: those of the index that are not deleted, and untracked ones that are not ignored.
  virtual absl::StatusOr<std::unique_ptr<GitTree>> WorkTree() = 0;
  // A tree without anything: the base of a first commit.
  virtual std::unique_ptr<GitTree> EmptyTree() = 0;

  // What lies between two trees of this repository, sorted by the path at head (of removed files: at base). Renames and
  // copies are found by likeness, up to `max_files` changed files; beyond that renames are removals and additions.
  virtual absl::StatusOr<std::vector<GitChangedFile>> Diff(GitTree& base, GitTree& head, size_t max_files) = 0;

  // Those of `objects` that are not here: a partial clone lacks some.
  virtual std::vector<std::string> Missing(const std::vector<std::string>& objects) = 0;
  // Files that Diff would have to read and that are not here.
  virtual absl::StatusOr<std::vector<std::string>> MissingForDiff(GitTree& base, GitTree& head) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_REPOSITORY_H_
