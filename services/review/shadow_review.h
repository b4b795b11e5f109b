// What a revision of a pack in the shadow would have found in a change: compared with the review that acts, and kept.
#ifndef YARDMASTER_SERVICES_REVIEW_SHADOW_REVIEW_H_
#define YARDMASTER_SERVICES_REVIEW_SHADOW_REVIEW_H_

#include <chrono>
#include <string>
#include <string_view>

#include "services/core/store/shadows.h"
#include "services/review/change.h"
#include "services/review/change_reviewer.h"
#include "services/review/kept_review.h"
#include "yardmaster/v1/review.pb.h"
#include "yardmaster/v1/shadow.pb.h"

namespace yardmaster {

// The same scope as that of the review that acts, with the other revision of one pack.
struct ShadowScope {
  ReviewScope scope;
  std::string pack;
  std::string base_revision;
  std::string shadow_revision;
  std::chrono::system_clock::time_point now;
};

// Adds the rules of both, and the findings that only one of two reviews of the same change has, to `run`. Pure.
// Findings that are fixed are no findings. The same finding at another severity is two. What a rule finds where one of
// both did not finish it is not compared: the rule is unfinished instead.
void CompareReviews(const v1::Review& base, const v1::Review& shadow, v1::ShadowRun& run);

// Reviews the change again, under the shadow. A shadow that fails is kept as such. Errors are the store's.
absl::Status ReviewInShadow(Change& change, const ShadowScope& shadow, const ReviewedChange& about,
                            const v1::Review& made, const RepositoryFileRules& file, store::Shadows& shadows);

// Keeps that a review was made without the shadow, and why. Errors are the store's.
absl::Status KeepFailedShadow(const ShadowScope& shadow, const ReviewedChange& about, const v1::Review& made,
                              std::string_view why, store::Shadows& shadows);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_SHADOW_REVIEW_H_
