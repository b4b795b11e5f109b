// One conversation with a git server about one repository that is read: what the server can, where refs point to,
// packs.
#ifndef YARDMASTER_CLIENTS_GIT_GIT_SESSION_H_
#define YARDMASTER_CLIENTS_GIT_GIT_SESSION_H_

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/git_http.h"
#include "clients/git/pack_scan.h"
#include "clients/git/upload_pack.h"

namespace yardmaster {

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

  // Refs that begin with `prefix`.
  absl::StatusOr<std::vector<GitRef>> Refs(const std::string& prefix) const;
  // What a ref ("refs/pull/7/head") points to; nullopt: there is none of that name.
  absl::StatusOr<std::optional<std::string>> RefTarget(const std::string& ref) const;
  // An answer with a pack that ScanPack found good. NOT_FOUND: the server has not what is asked for.
  absl::StatusOr<FetchAnswer> Fetch(const FetchAsk& ask, const Limits& limits) const;

 private:
  explicit GitSession(GitHttp http) : http_(std::move(http)) {}
  absl::StatusOr<std::string> Ask(std::string body, size_t max_bytes) const;

  GitHttp http_;
  UploadPackAbilities abilities_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_GIT_GIT_SESSION_H_
