// Reviews of changes, as reviewers made them, and what other tools found at the same commits.
#ifndef YARDMASTER_SERVICES_CORE_STORE_REVIEWS_H_
#define YARDMASTER_SERVICES_CORE_STORE_REVIEWS_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/core/store/page.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster::store {

using TimePoint = std::chrono::system_clock::time_point;

struct NewReview {
  // Not empty. A review of the same id is replaced: the caller makes it from what the review is known by.
  std::string id;
  // The pull request; without a number: a range of commits of the repository.
  v1::Subject subject;
  std::string head;      // the commit that was reviewed
  std::string revision;  // digest of the rules and settings
  std::string outline;   // what lists show: any bytes, kept as they are
  std::string review;    // all of it: any bytes, kept as they are
};

struct Review {
  int64_t row = 0;  // for PageRequest::before
  std::string id;
  v1::Subject subject;
  std::string head;
  std::string revision;
  TimePoint created_at{};
  std::string outline;
  std::string review;  // empty in lists
};

// Fields that are set must all hold.
struct ReviewFilter {
  std::string repository = {};  // "github:owner/name"; case is ignored
  int64_t number = 0;           // of the pull request
  std::string head = {};        // the commit, in full
};

// What a tool found at a commit.
struct ImportedFindings {
  std::string tool;
  std::string findings;  // any bytes, kept as they are
};

// Thread-safe. Functions that write return after the commit and wait for it; they must not be called from a callback of
// the store, and are RESOURCE_EXHAUSTED while the disk is low.
class Reviews {
 public:
  virtual ~Reviews() = default;

  // Keeps a review as the newest of its subject. INVALID_ARGUMENT for a review over kMaxStoredReviewBytes.
  virtual absl::Status Put(const NewReview& review) = 0;
  // NOT_FOUND (errors::ReviewUnknown) if there is none, or it is no longer kept.
  virtual absl::StatusOr<Review> Get(std::string_view id) = 0;
  // The newest of a pull request, of a head unless that is empty; nullopt if there is none.
  virtual absl::StatusOr<std::optional<Review>> Latest(const v1::Subject& subject, std::string_view head) = 0;
  virtual absl::StatusOr<Page<Review>> List(const ReviewFilter& filter, const PageRequest& page) = 0;

  // Keeps what a tool found at a head of a pull request, in the place of what it found there before. INVALID_ARGUMENT
  // for findings over kMaxStoredReviewBytes, and for one tool more than kMaxImportTools.
  virtual absl::Status PutImport(const v1::Subject& subject, std::string_view head, const ImportedFindings& found) = 0;
  // By tool.
  virtual absl::StatusOr<std::vector<ImportedFindings>> Imports(const v1::Subject& subject, std::string_view head) = 0;
};

}  // namespace yardmaster::store

#endif  // YARDMASTER_SERVICES_CORE_STORE_REVIEWS_H_
