// Pull requests as somebody writes them: opened, found by their branch, described anew. Beside Forge, since only the
// workflow needs it.
#ifndef YARDMASTER_CLIENTS_FORGE_FORGE_PULLS_H_
#define YARDMASTER_CLIENTS_FORGE_FORGE_PULLS_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "clients/forge/forge.h"

namespace yardmaster {

// Where the commits of a pull request come from.
struct ForgePullHead {
  std::string repository;  // "owner/name" of the fork, or the base repository itself
  std::string branch;
};

struct ForgeNewPull {
  std::string title;
  std::string body;
  ForgePullHead head;
  std::string base;  // the branch that it is to be merged into
  bool draft = false;
};

// Thread-safe. Calls block and fail as those of Forge do.
class ForgePulls {
 public:
  virtual ~ForgePulls() = default;
  // Opens a pull request in `repository` and returns it as read afterwards. Ways to name the head of a fork differ by
  // the age of the forge; they are tried in turn while it refuses them. Not idempotent: FindPulls first, and again
  // after an error of unknown outcome.
  virtual absl::StatusOr<ForgePull> CreatePull(const ForgeCall& call, std::string_view repository,
                                               const ForgeNewPull& pull) = 0;
  // Those that are open and come from there, oldest first. Pages as many as there are.
  virtual absl::StatusOr<std::vector<ForgePull>> FindPulls(const ForgeCall& call, std::string_view repository,
                                                           const ForgePullHead& head) = 0;
  // All that are open, oldest first. Pages as many as there are.
  virtual absl::StatusOr<std::vector<ForgePull>> ListOpenPulls(const ForgeCall& call, std::string_view repository) = 0;
  // Replaces title and body; as read afterwards.
  virtual absl::StatusOr<ForgePull> EditPull(const ForgeCall& call, const ForgeSubject& subject, std::string_view title,
                                             std::string_view body) = 0;
  // Asks people for a review; those that are asked already stay.
  virtual absl::Status AskForReview(const ForgeCall& call, const ForgeSubject& subject,
                                    const std::vector<std::string>& logins) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_FORGE_PULLS_H_
