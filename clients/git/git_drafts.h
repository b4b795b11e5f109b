// Commits that are made in a bare repository which others only read: they stay in memory until they are packed for a
// push, and go with this object. No hook, filter, alias or submodule of the repository runs.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_DRAFTS_H_
#define YARDMASTER_CLIENTS_GIT_GIT_DRAFTS_H_

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "clients/git/git_commits.h"

namespace yardmaster {

// Who new commits are by: the author of a commit that is there, at a time. The same input makes the same commits.
struct GitCommitter {
  std::string author_of;
  int64_t seconds = 0;  // since 1970, UTC
};

// Not thread-safe. Errors are those of GitClone.
class GitDrafts {
 public:
  static absl::StatusOr<std::unique_ptr<GitDrafts>> Open(const std::filesystem::path& repository);
  virtual ~GitDrafts() = default;

  // The id of a new commit.
  virtual absl::StatusOr<std::string> MakeCommit(const GitNewCommit& commit, const GitCommitter& committer) = 0;
  // As GitClone::Replay.
  virtual absl::StatusOr<GitReplay> Replay(const std::vector<std::string>& commits, const std::string& onto,
                                           const std::string& trailer, const GitCommitter& committer) = 0;
  // Files that Replay reads, and that Pack needs of these commits: a partial clone may lack some.
  virtual absl::StatusOr<std::vector<std::string>> Files(const std::vector<std::string>& commits,
                                                         const std::string& onto) = 0;
  // A pack with these commits, and with what each has that its first parent has not; nothing of a tree that one of
  // `known` has, too. INVALID_ARGUMENT: it would have more than `max_bytes`.
  virtual absl::StatusOr<std::string> Pack(const std::vector<std::string>& commits,
                                           const std::vector<std::string>& known, size_t max_bytes) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_DRAFTS_H_
