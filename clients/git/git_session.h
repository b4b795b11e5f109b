// One conversation with a git server by HTTP about one repository: what the server can, where refs point to, packs.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_SESSION_H_
#define YARDMASTER_CLIENTS_GIT_GIT_SESSION_H_

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/forge/http.h"
#include "clients/git/git_server.h"
#include "clients/git/pack_scan.h"
#include "clients/git/upload_pack.h"
#include "services/core/limits.h"
#include "services/core/secret.h"

namespace yardmaster {

// What reading from a git server stands on. References outlive it.
struct GitEnvironment {
  HttpClient& http;  // contacts configured hosts only
  GitServer server;
  // The token to send, as a password in the header `Authorization`; empty: none.
  std::function<absl::StatusOr<Secret>(std::chrono::steady_clock::time_point deadline)> token;
  std::filesystem::path scratch;                    // HttpGitRemote only
  std::chrono::milliseconds timeout = kGitTimeout;  // for all requests of one call
  size_t max_answer_bytes = kMaxGitAnswerBytes;     // HttpGitRemote only
};

class GitSession {
 public:
  struct Limits {
    size_t answer_bytes;
    PackLimits pack;
    absl::Status too_large;  // what is returned beyond one of them
  };

  // Asks the server what it can. `environment` outlives the session. `alive`: asked some times a second; anything but
  // OK ends the work with that status; may be null. Errors are those of GitRemote.
  static absl::StatusOr<GitSession> Begin(const GitEnvironment& environment, std::string repository,
                                          std::function<absl::Status()> alive);

  const UploadPackAbilities& abilities() const { return abilities_; }

  // What a ref ("refs/pull/7/head") points to; nullopt: there is none of that name.
  absl::StatusOr<std::optional<std::string>> RefTarget(const std::string& ref) const;
  // An answer with a pack that ScanPack found good. NOT_FOUND: the server has not what is asked for.
  absl::StatusOr<FetchAnswer> Fetch(const FetchAsk& ask, const Limits& limits) const;

 private:
  GitSession(const GitEnvironment& environment, std::string repository, std::function<absl::Status()> alive);
  absl::Status Alive() const { return alive_ ? alive_() : absl::OkStatus(); }
  absl::StatusOr<std::string> Send(std::string_view method, std::string_view path, std::string_view type,
                                   std::string body, size_t max_bytes) const;

  const GitEnvironment* env_;
  std::string repository_;
  std::function<absl::Status()> alive_;
  std::string url_;
  std::string authorization_;  // value of the header; empty: none
  std::chrono::steady_clock::time_point deadline_;
  UploadPackAbilities abilities_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_SESSION_H_
