// What an error of a git server means to the pipe.
#ifndef YARDMASTER_SERVICES_INTAKE_GIT_FAILURE_H_
#define YARDMASTER_SERVICES_INTAKE_GIT_FAILURE_H_

#include <optional>

#include "absl/status/status.h"

namespace yardmaster {

// What a planner returns so that the work is tried again, or goes on; nullopt: the error stays what it is.
std::optional<absl::Status> RetriedGitFailure(const absl::Status& status);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_GIT_FAILURE_H_
