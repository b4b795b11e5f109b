// A job from its specification.
#ifndef YARDMASTER_SERVICES_DISPATCH_MAKE_JOB_H_
#define YARDMASTER_SERVICES_DISPATCH_MAKE_JOB_H_

#include <string>

#include "absl/status/statusor.h"
#include "services/dispatch/dispatch.h"
#include "services/dispatch/queue/model.h"
#include "yardmaster/v1/dispatch.pb.h"

namespace yardmaster::dispatch {

// Who wants a job, and what the server knows of its source.
struct JobOrigin {
  std::string id;
  std::string submitter;
  std::string repository;          // "forge:owner/name" that the source is of; may be empty
  std::string commit;              // that the server has fetched; empty: it has not
  std::string failed_before = {};  // the job that this one runs again, if its code failed
};

// The job with what its suite asks for and what earlier runs say. NOT_FOUND for an unknown suite, INVALID_ARGUMENT for
// a bad specification, FAILED_PRECONDITION if its source is not there.
absl::StatusOr<Job> MakeJob(Dispatch& dispatch, v1::JobSpec spec, JobOrigin origin);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_MAKE_JOB_H_
