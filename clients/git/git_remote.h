// Repositories on a git server, as an interface: what is read of them comes as files in memory. Production is
// http_git_remote.h.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_REMOTE_H_
#define YARDMASTER_CLIENTS_GIT_GIT_REMOTE_H_

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace yardmaster {

struct GitFile {
  std::string path;  // relative to the folder that was asked for
  std::string content;
};

// An entry that is no file with content, and why it is not among the files.
struct GitLeftOut {
  std::string path;
  std::string reason;
};

struct GitFolder {
  std::vector<GitFile> files;  // by path
  std::vector<GitLeftOut> left_out;
};

struct GitFolderRequest {
  std::string repository;  // "owner/name"
  std::string commit;      // 40 hex digits
  std::string folder;      // relative path; empty: all of the repository
  size_t max_files = 1000;
  size_t max_bytes = 8 * 1024 * 1024;  // of all files together
  // Asked some times a second; anything but OK ends the work with that status. May be null.
  std::function<absl::Status()> alive;
};

// Thread-safe.
class GitRemote {
 public:
  virtual ~GitRemote() = default;

  // The files below a folder at a commit. Symbolic links and submodules are left out. Errors: NOT_FOUND (no such
  // repository, commit or folder), INVALID_ARGUMENT (more files or bytes than allowed), FAILED_PRECONDITION (the server
  // refuses our credentials), UNAVAILABLE (not reachable, too slow, no git server, too many at once), and what `alive`
  // says.
  virtual absl::StatusOr<GitFolder> ReadFolder(const GitFolderRequest& request) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_REMOTE_H_
