// Changes out of the bare caches of the configured forges' repositories.
#ifndef YARDMASTER_SERVICES_REVIEW_GIT_CHANGE_SOURCE_H_
#define YARDMASTER_SERVICES_REVIEW_GIT_CHANGE_SOURCE_H_

#include <map>
#include <string>
#include <utility>

#include "clients/git/git_cache.h"
#include "services/core/config/config.h"
#include "services/review/change_source.h"

namespace yardmaster {

class GitChangeSource final : public ChangeSource {
 public:
  // `caches` has an entry for each forge of the config; nullptr where its git server is not reached by HTTP. What it is
  // given outlives it.
  GitChangeSource(const Config& config, std::map<std::string, GitCache*, std::less<>> caches)
      : config_(config), caches_(std::move(caches)) {}

  absl::StatusOr<SourcedChange> Read(const ChangeAddress& address) override;

 private:
  const Config& config_;
  const std::map<std::string, GitCache*, std::less<>> caches_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_GIT_CHANGE_SOURCE_H_
