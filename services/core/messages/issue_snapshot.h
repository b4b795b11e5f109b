// What every service that decides issues does with a snapshot first: its sizes are checked before any work is done on
// it, by the server for requests and by the command line for files, so that both refuse the same texts; and it is
// handed to the rules engine.
#ifndef YARDMASTER_SERVICES_CORE_MESSAGES_ISSUE_SNAPSHOT_H_
#define YARDMASTER_SERVICES_CORE_MESSAGES_ISSUE_SNAPSHOT_H_

#include "absl/status/status.h"
#include "rules/engine/decision.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// INVALID_ARGUMENT that names the field, its size and the limit (services/core/limits.h).
absl::Status CheckIssueSize(const v1::IssueSnapshot& issue);

// The same for the parts of a subject that come from outside.
absl::Status CheckSubject(const v1::Subject& subject);

// Views into `issue`, which must outlive them.
rules::IssueText TextOf(const v1::IssueSnapshot& issue);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_MESSAGES_ISSUE_SNAPSHOT_H_
