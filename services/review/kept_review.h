// Reviews of changes as they are kept and served: the report of a change with what it is about, as a v1.Review.
#ifndef YARDMASTER_SERVICES_REVIEW_KEPT_REVIEW_H_
#define YARDMASTER_SERVICES_REVIEW_KEPT_REVIEW_H_

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/core/store/reviews.h"
#include "services/review/imported_findings.h"
#include "services/review/report.h"
#include "yardmaster/v1/review.pb.h"

namespace yardmaster {

// What was reviewed.
struct ReviewedChange {
  v1::Subject subject;  // without a number: a range of commits of the repository
  std::string base;
  std::string head;
  std::string merge_base;  // empty if unknown
  std::string revision;    // digest of the packs' revisions, profiles and the repository's settings
  std::string source;      // "git" or "forge"
};

// The review that is made of a report: findings in the order new, still, fixed; the id is made from what it is known
// by, so that the same review made again has the same one.
v1::Review MakeReview(const ReviewReport& report, const ReviewedChange& change);

store::NewReview ToStored(const v1::Review& review);
// DATA_LOSS if it can't be read.
absl::StatusOr<v1::Review> FromStored(const store::Review& stored);
// The same of a review in a list: without findings, skipped checks and checklist.
absl::StatusOr<v1::Review> OutlineFromStored(const store::Review& stored);

// Number of the pull request whose reviewed head this commit was last; 0 if there is none.
absl::StatusOr<int64_t> PullOfHead(store::Reviews& reviews, const v1::Subject& repository, std::string_view head);

// What a tool found, as it is kept: the request that brought it.
store::ImportedFindings ToStored(const v1::ImportFindingsRequest& request);
// DATA_LOSS if one can't be read.
absl::StatusOr<std::vector<ImportedText>> ReadImports(const std::vector<store::ImportedFindings>& stored);
// INVALID_ARGUMENT for an unknown format.
absl::StatusOr<ImportedText> ImportedTextOf(const v1::ImportFindingsRequest& request);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_KEPT_REVIEW_H_
