// GitRemote by HTTP. Reads one commit without its history and, where the server can leave them out, without the files
// of other folders; then the folder's files. Everything lies in memory and in a folder of `scratch` that is removed
// with the call.
#ifndef YARDMASTER_CLIENTS_GIT_HTTP_GIT_REMOTE_H_
#define YARDMASTER_CLIENTS_GIT_HTTP_GIT_REMOTE_H_

#include <atomic>
#include <utility>

#include "clients/git/git_remote.h"
#include "clients/git/git_session.h"

namespace yardmaster {

class HttpGitRemote final : public GitRemote {
 public:
  explicit HttpGitRemote(GitEnvironment environment) : env_(std::move(environment)) {}

  absl::StatusOr<GitFolder> ReadFolder(const GitFolderRequest& request) override;

 private:
  absl::StatusOr<GitFolder> Read(const GitFolderRequest& request);

  const GitEnvironment env_;
  std::atomic<int> reads_{0};
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_HTTP_GIT_REMOTE_H_
