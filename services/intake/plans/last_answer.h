// What a comment of ours that is updated in place says now.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_LAST_ANSWER_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_LAST_ANSWER_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"
#include "services/intake/plans/subject_run.h"

namespace yardmaster {

// The newest text of the comment of that name on the run's subject that was written or is about to be, without its
// marker; empty if there is none. Errors are the store's.
absl::StatusOr<std::string> LastAnswer(const SubjectRun& run, std::string_view name);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_LAST_ANSWER_H_
