// Reading a subject from its forge, in the form that planners look at.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_SNAPSHOT_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_SNAPSHOT_H_

#include <chrono>
#include <string_view>

#include "absl/status/statusor.h"
#include "clients/forge/forge.h"
#include "services/intake/configured_forge.h"
#include "services/intake/event.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

struct SubjectReading {
  std::chrono::system_clock::time_point read_at;
  v1::IssueSnapshot snapshot;
  bool open = true;
  // What the same subject is compared by later.
  SubjectFacts facts;
};

// Issue and comments, read now. Notes that the forge wrote itself are left out; comments of our own account count as a
// bot's. What passes the limits of services/core/limits.h is cut: texts at a character, comments the newest first.
// Errors are the forge client's; FAILED_PRECONDITION without a ForgeError if the forge says that the subject is of
// another kind.
absl::StatusOr<SubjectReading> ReadSubject(ConfiguredForge& account, const ForgeCall& call, const v1::Subject& subject);

// True if title, body, state or labels (in any order) are not what they were.
bool Differs(const SubjectReading& before, const ForgeIssue& now);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_SNAPSHOT_H_
