// The requests of one conversation with a git server by HTTP: who we are, how long it may take, and what an answer that
// is none means.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_HTTP_H_
#define YARDMASTER_CLIENTS_GIT_GIT_HTTP_H_

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/forge/http.h"
#include "clients/git/git_server.h"
#include "services/core/limits.h"
#include "services/core/secret.h"

namespace yardmaster {

// What talking to a git server stands on. References outlive it.
struct GitEnvironment {
  HttpClient& http;  // contacts configured hosts only
  GitServer server;
  // The token to send, as a password in the header `Authorization`; empty: none.
  std::function<absl::StatusOr<Secret>(std::chrono::steady_clock::time_point deadline)> token;
  std::filesystem::path scratch;                    // HttpGitRemote only
  std::chrono::milliseconds timeout = kGitTimeout;  // for all requests of one call
  size_t max_answer_bytes = kMaxGitAnswerBytes;     // HttpGitRemote only
};

struct GitHttpRequest {
  std::string_view method;
  std::string_view path;          // behind the repository's address: "/git-upload-pack"
  std::string_view content_type;  // of the body; empty: there is none
  std::string_view accept;        // what the answer has to be
  std::string_view protocol;      // of Git-Protocol; empty: the oldest one
  size_t max_bytes = 0;           // of the answer
};

class GitHttp {
 public:
  // Gets the token; nothing is sent. `environment` outlives it. `alive`: asked some times a second; anything but OK
  // ends the work with that status; may be null.
  static absl::StatusOr<GitHttp> Begin(const GitEnvironment& environment, std::string repository,
                                       std::function<absl::Status()> alive);

  const std::string& repository() const { return repository_; }
  // The body of the answer. Errors are those of GitRemote, and RESOURCE_EXHAUSTED for an answer that is too long.
  // `sent`: set once the server may have got the request; may be null.
  absl::StatusOr<std::string> Send(const GitHttpRequest& request, std::string body, bool* sent = nullptr) const;

  // How we call ourselves.
  static std::string Agent();

 private:
  GitHttp(const GitEnvironment& environment, std::string repository, std::function<absl::Status()> alive);
  absl::Status Alive() const { return alive_ ? alive_() : absl::OkStatus(); }

  const GitEnvironment* env_;
  std::string repository_;
  std::function<absl::Status()> alive_;
  std::string url_;
  std::string authorization_;  // value of the header; empty: none
  std::chrono::steady_clock::time_point deadline_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_HTTP_H_
