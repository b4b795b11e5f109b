// Operators that lie in repositories of the configured forges.
#ifndef YARDMASTER_SERVICES_REVIEW_OPERATOR_SOURCE_H_
#define YARDMASTER_SERVICES_REVIEW_OPERATOR_SOURCE_H_

#include <functional>
#include <map>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/git/git_remote.h"
#include "services/core/config/config.h"

namespace yardmaster {

// Where an operator's directory is.
struct OperatorPlace {
  std::string repository;  // "github:owner/name"
  std::string commit;      // 40 hex digits
  std::string directory;   // relative path; empty: the whole repository
};

// Thread-safe.
class OperatorSource {
 public:
  // `remotes` has an entry for each forge of the config; nullptr where its git server is not reached by HTTP. What it
  // is given outlives it.
  OperatorSource(const Config& config, std::map<std::string, GitRemote*, std::less<>> remotes)
      : config_(config), remotes_(std::move(remotes)) {}

  // The files of the directory. Only repositories of the configuration, for packs that it gives them, are ever asked
  // for. Errors: INVALID_ARGUMENT for what is no place, FAILED_PRECONDITION for what is not configured, and those of
  // GitRemote.
  absl::StatusOr<GitFolder> Read(const OperatorPlace& place, const std::string& pack,
                                 const std::function<absl::Status()>& alive) const;

 private:
  const Config& config_;
  const std::map<std::string, GitRemote*, std::less<>> remotes_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_OPERATOR_SOURCE_H_
