// What a job left as its result.json, read for what follows from it.
#ifndef YARDMASTER_SERVICES_DISPATCH_JOB_RESULT_H_
#define YARDMASTER_SERVICES_DISPATCH_JOB_RESULT_H_

#include <string>

#include "absl/status/status.h"
#include "services/dispatch/dispatch.h"
#include "yardmaster/v1/dispatch.pb.h"

namespace yardmaster::dispatch {

// The text of result.json; empty: there is none, or it is too large to be looked at.
std::string ResultTextOf(PartFiles& files, const Job& job);

// The job whose failure a pass of a rerun of `job` would be compared with: itself, the one before it where it passed
// after that, or none, where nothing was the code's.
std::string FailureBefore(const Job& job);

// Narrows the specification to what failed in `job`: the layers, their steps, and the tests that these name.
// FAILED_PRECONDITION: nothing failed, or the result is not there any more.
absl::Status SelectFailed(PartFiles& files, const Job& job, v1::JobSpec& spec);
// The same with the steps that were flaky. A job that is flaky because it passed after the failure of another is as it
// is.
absl::Status SelectFlaky(PartFiles& files, const Job& job, v1::JobSpec& spec);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_JOB_RESULT_H_
