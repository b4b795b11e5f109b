// Whether the configured repositories are there under their names, and may be read.
#ifndef YARDMASTER_SERVICES_INTAKE_SWEEPS_REPOSITORY_CHECK_H_
#define YARDMASTER_SERVICES_INTAKE_SWEEPS_REPOSITORY_CHECK_H_

#include <functional>
#include <string>

#include "absl/status/statusor.h"
#include "services/intake/plans/subject_run.h"

namespace yardmaster {

// Asks each forge what it calls the repositories that the configuration names, and returns a summary. One that was
// renamed or transferred is known by both names from then on (Config::aliases), an operator is told the line to change,
// and its deliveries that were ignored under the new name are worked on. Missing access is an operator's notice, too.
absl::StatusOr<std::string> CheckRepositories(const IntakeEnvironment& env, const std::function<bool()>& stopping);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_SWEEPS_REPOSITORY_CHECK_H_
