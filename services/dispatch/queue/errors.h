// The errors of dispatch, named by situation: their texts are made here and nowhere else.
#ifndef YARDMASTER_SERVICES_DISPATCH_QUEUE_ERRORS_H_
#define YARDMASTER_SERVICES_DISPATCH_QUEUE_ERRORS_H_

#include <cstdint>
#include <string_view>

#include "absl/status/status.h"
#include "services/dispatch/queue/model.h"

namespace yardmaster::dispatch {

absl::Status JobUnknown(std::string_view job);                                       // NOT_FOUND
absl::Status JobExists(std::string_view job);                                        // ALREADY_EXISTS
absl::Status JobEnded(std::string_view job, Verdict verdict);                        // FAILED_PRECONDITION
absl::Status JobDoesNotWait(std::string_view job, JobState state);                   // FAILED_PRECONDITION
absl::Status StateUnreachable(JobState from, JobState to);                           // FAILED_PRECONDITION
absl::Status LeaseNotLive(const Job& job, uint64_t fence);                           // FAILED_PRECONDITION
absl::Status RunHasBegun(std::string_view job);                                      // FAILED_PRECONDITION
absl::Status VerdictMissing();                                                       // INVALID_ARGUMENT
absl::Status RunnerUnknown(std::string_view runner);                                 // NOT_FOUND
absl::Status DeviceUnknown(std::string_view runner, std::string_view device);        // NOT_FOUND
absl::Status RunnerReplaced(std::string_view runner);                                // ABORTED
absl::Status RunnerOfAnotherToken(std::string_view runner, std::string_view token);  // PERMISSION_DENIED
absl::Status RunnerInService(std::string_view runner);                               // FAILED_PRECONDITION

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_QUEUE_ERRORS_H_
