// "stale-reviews": open pull requests whose last review is of another head than theirs, or that have none, are
// reviewed: what a webhook that never arrived would have asked for. One that failed is asked for again by a later run,
// ten times at most. And the news of reviews.
#ifndef YARDMASTER_SERVICES_REVIEW_STALE_JOB_H_
#define YARDMASTER_SERVICES_REVIEW_STALE_JOB_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "services/intake/sweeps/scheduled.h"

namespace yardmaster {

// The job.
absl::StatusOr<std::string> RenewReviews(const JobEnvironment& env, const JobTurn& turn);

// New blocking findings.
std::vector<NewsSource> ReviewNews();

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_STALE_JOB_H_
