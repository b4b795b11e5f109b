// Where the changes of repositories are read from, with their trees.
#ifndef YARDMASTER_SERVICES_REVIEW_CHANGE_SOURCE_H_
#define YARDMASTER_SERVICES_REVIEW_CHANGE_SOURCE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/review/change.h"
#include "services/review/diff_review.h"

namespace yardmaster {

struct ChangeAddress {
  std::string forge;
  std::string repository;  // "owner/name"
  std::string base;        // commits in full
  std::string head;
  int64_t pull = 0;  // by whose ref the head is found, a fork's, too; 0: both are of the repository
};

struct SourcedChange {
  std::unique_ptr<Change> change;  // between the merge base and the head; holds what it reads from
  std::string merge_base;
  // That the head has and the base has not, oldest first; nullopt: not known.
  std::optional<std::vector<PullMeta::Commit>> commits;
};

// Thread-safe. Calls wait for the network. Errors: NOT_FOUND for what is not there, UNAVAILABLE for a server that is
// not reached in time, FAILED_PRECONDITION where none is configured or it refuses our token, INVALID_ARGUMENT for more
// than a limit allows.
class ChangeSource {
 public:
  virtual ~ChangeSource() = default;
  virtual absl::StatusOr<SourcedChange> Read(const ChangeAddress& address) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_CHANGE_SOURCE_H_
