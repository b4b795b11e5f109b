// "follow-gates": tells in chat how the gates go on that were started from there, in the message that said so.
#ifndef YARDMASTER_SERVICES_PIPELINE_FOLLOW_GATES_H_
#define YARDMASTER_SERVICES_PIPELINE_FOLLOW_GATES_H_

#include <string>

#include "absl/status/statusor.h"
#include "services/intake/sweeps/scheduled.h"

namespace yardmaster {

// The name of the job, and when it runs: gates take half an hour and more.
inline constexpr const char* kFollowGates = "follow-gates";
inline constexpr const char* kFollowGatesCron = "*/3 * * * *";

// The job. A gate is followed until nothing is to be waited for, for half a day at most.
absl::StatusOr<std::string> FollowGates(const JobEnvironment& env, const JobTurn& turn);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_PIPELINE_FOLLOW_GATES_H_
