// Jobs, leases and runners as the store keeps them: JSON, so that a field that an older version did not write reads as
// its default.
#ifndef YARDMASTER_SERVICES_DISPATCH_RECORDS_H_
#define YARDMASTER_SERVICES_DISPATCH_RECORDS_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/core/store/jobs.h"
#include "services/dispatch/queue/model.h"

namespace yardmaster::dispatch {

// What a decision changes, as rows behind those of the decisions before it.
void AppendRows(const Changes& changes, store::JobRows& rows);
// The way back, of rows that are live. DATA_LOSS if a record can't be read.
absl::StatusOr<Changes> ChangesOf(const store::JobRows& rows);
absl::StatusOr<Job> JobOfRecord(std::string_view record);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_RECORDS_H_
