// A job from its specification.
#ifndef YARDMASTER_SERVICES_DISPATCH_MAKE_JOB_H_
#define YARDMASTER_SERVICES_DISPATCH_MAKE_JOB_H_

#include <string>

#include "absl/status/statusor.h"
#include "services/dispatch/book/model.h"
#include "services/dispatch/dispatch.h"
#include "yardmaster/v1/dispatch.pb.h"

namespace yardmaster::dispatch {

// The job with what its suite asks for. `repository`: "forge:owner/name" that its source is of; may be empty. NOT_FOUND
// for an unknown suite, INVALID_ARGUMENT for a bad specification, FAILED_PRECONDITION if its source is not there.
absl::StatusOr<Job> MakeJob(Dispatch& dispatch, v1::JobSpec spec, std::string id, std::string submitter,
                            std::string repository);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_MAKE_JOB_H_
