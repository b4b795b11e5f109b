// Reviews as the messages of review.proto.
#ifndef YARDMASTER_SERVICES_REVIEW_REVIEW_MESSAGES_H_
#define YARDMASTER_SERVICES_REVIEW_REVIEW_MESSAGES_H_

#include "rules/engine/checks/check_set.h"
#include "services/review/operator_state.h"
#include "services/review/report.h"
#include "yardmaster/v1/review.pb.h"

namespace yardmaster {

// Texts that are no UTF-8 are made readable: protobuf refuses anything else.
void WriteReview(const ReviewReport& report, v1::ReviewResult& out);
// What the report of a change found and skipped, new findings first; the rest of `out` is the caller's.
void WriteChangeReview(const ReviewReport& report, v1::Review& out);
void WriteChecks(const rules::CheckSet& checks, v1::ListChecksResponse& out);
void WriteBreaker(const OperatorState& state, v1::ReviewBreaker& out);
void WriteGateStatus(const OperatorState& state, v1::GetGateStatusResponse& out);

// The report that a message was written from; for callers that print it as they print their own.
ReviewReport ReadReview(const v1::ReviewResult& review);
ReviewReport ReadChangeReview(const v1::Review& review);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_REVIEW_MESSAGES_H_
