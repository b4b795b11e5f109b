// The sizes of what may be decided, checked before any work is done on it: by the server for requests and by the
// command line for files, so that both refuse the same texts.
#ifndef YARDMASTER_SERVICES_TRIAGE_ISSUE_SIZE_H_
#define YARDMASTER_SERVICES_TRIAGE_ISSUE_SIZE_H_

#include "absl/status/status.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// INVALID_ARGUMENT that names the field, its size and the limit (services/core/limits.h).
absl::Status CheckIssueSize(const v1::IssueSnapshot& issue);

// The same for the parts of a subject that come from outside.
absl::Status CheckSubject(const v1::Subject& subject);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_TRIAGE_ISSUE_SIZE_H_
