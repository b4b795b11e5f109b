// The index and the work tree as tree objects, which are written to memory only.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_SNAPSHOT_H_
#define YARDMASTER_CLIENTS_GIT_GIT_SNAPSHOT_H_

#include "absl/status/statusor.h"
#include "clients/git/libgit2.h"

namespace yardmaster {

// From here on objects that are written to `repository` stay in memory and go with it.
absl::Status KeepWritesInMemory(git_repository& repository);

// What would be committed now.
absl::StatusOr<git2::Tree> SnapshotIndex(git_repository& repository);

// The files of the index and untracked ones as they lie there. Files beyond a limit of size have a name, but their
// content is not among the objects.
absl::StatusOr<git2::Tree> SnapshotWorkTree(git_repository& repository);

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_SNAPSHOT_H_
