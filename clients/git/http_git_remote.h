// GitRemote by HTTP. Reads one commit without its history and, where the server can leave them out, without the files
// of other folders; then the folder's files. Everything lies in memory and in a folder of `scratch` that is removed
// with the call.
#ifndef YARDMASTER_CLIENTS_GIT_HTTP_GIT_REMOTE_H_
#define YARDMASTER_CLIENTS_GIT_HTTP_GIT_REMOTE_H_

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "clients/forge/http.h"
#include "clients/git/git_remote.h"
#include "clients/git/git_server.h"
#include "services/core/limits.h"
#include "services/core/secret.h"

namespace yardmaster {

// What the remote stands on. References outlive it.
struct GitEnvironment {
  HttpClient& http;  // contacts configured hosts only
  GitServer server;
  // The token to send, as a password in the header `Authorization`; empty: none.
  std::function<absl::StatusOr<Secret>(std::chrono::steady_clock::time_point deadline)> token;
  std::filesystem::path scratch;
  std::chrono::milliseconds timeout = kGitTimeout;  // for all requests of one call
  size_t max_answer_bytes = kMaxGitAnswerBytes;
};

class HttpGitRemote final : public GitRemote {
 public:
  explicit HttpGitRemote(GitEnvironment environment) : env_(std::move(environment)) {}

  absl::StatusOr<GitFolder> ReadFolder(const GitFolderRequest& request) override;

 private:
  struct Call;
  absl::StatusOr<GitFolder> Read(const GitFolderRequest& request);
  absl::StatusOr<std::string> Send(const Call& call, std::string_view method, std::string_view path,
                                   std::string_view type, std::string body, size_t max_bytes) const;
  absl::StatusOr<std::string> FetchPack(const Call& call, const std::string& ask, size_t max_bytes,
                                        const absl::Status& too_large) const;

  const GitEnvironment env_;
  std::atomic<int> reads_{0};
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_HTTP_GIT_REMOTE_H_
