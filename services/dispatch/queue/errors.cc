#include "services/dispatch/queue/errors.h"

#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/dispatch/queue/states.h"

namespace yardmaster::dispatch {

absl::Status JobUnknown(std::string_view job) {
  return absl::NotFoundError(absl::StrCat("there is no job \"", Abs(job), "\""));
}
absl::Status JobExists(std::string_view job) {
  return absl::AlreadyExistsError(absl::StrCat("there is a job \"", Abs(job), "\" already"));
}
absl::Status JobEnded(std::string_view job, Verdict verdict) {
  return absl::FailedPreconditionError(
      absl::StrCat("the job \"", Abs(job), "\" has ended: ", Abs(VerdictName(verdict))));
}
absl::Status JobDoesNotWait(std::string_view job, JobState state) {
  return absl::FailedPreconditionError(
      absl::StrCat("the job \"", Abs(job), "\" does not wait: it is ", Abs(StateName(state))));
}
absl::Status StateUnreachable(JobState from, JobState to) {
  return absl::FailedPreconditionError(
      absl::StrCat("a job that is ", Abs(StateName(from)), " does not become ", Abs(StateName(to))));
}
absl::Status LeaseNotLive(const Job& job, uint64_t fence) {
  return absl::FailedPreconditionError(absl::StrCat("lease ", fence, " of the job \"", job.id,
                                                    "\" is not the live one: the job is ", Abs(StateName(job.state)),
                                                    ", its newest lease is ", job.fence));
}
absl::Status RunHasBegun(std::string_view job) {
  return absl::FailedPreconditionError(absl::StrCat("the run of the job \"", Abs(job), "\" has begun"));
}
absl::Status VerdictMissing() { return absl::InvalidArgumentError("a run that has ended has a verdict"); }
absl::Status RunnerUnknown(std::string_view runner) {
  return absl::NotFoundError(absl::StrCat("there is no runner \"", Abs(runner), "\""));
}
absl::Status DeviceUnknown(std::string_view runner, std::string_view device) {
  return absl::NotFoundError(absl::StrCat("the runner \"", Abs(runner), "\" has no device \"", Abs(device), "\""));
}
absl::Status RunnerOfAnotherToken(std::string_view runner, std::string_view token) {
  return absl::PermissionDeniedError(absl::StrCat(
      "the runner \"", Abs(runner), "\" belongs to the token \"", Abs(token),
      "\": report by that one, take another name, or let an operator say 'yard runner forget ", Abs(runner), "'"));
}
absl::Status RunnerInService(std::string_view runner) {
  return absl::FailedPreconditionError(
      absl::StrCat("the runner \"", Abs(runner),
                   "\" reports, or has runs: end its worker first, and wait until it is "
                   "offline"));
}
absl::Status RunnerReplaced(std::string_view runner) {
  return absl::AbortedError(absl::StrCat("a newer worker has the name \"", Abs(runner), "\""));
}

}  // namespace yardmaster::dispatch
