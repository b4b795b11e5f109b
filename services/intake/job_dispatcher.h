// What the pipe asks of the service that runs suites.
#ifndef YARDMASTER_SERVICES_INTAKE_JOB_DISPATCHER_H_
#define YARDMASTER_SERVICES_INTAKE_JOB_DISPATCHER_H_

#include <string_view>

#include "absl/status/status.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// Checks of suites are named by this and "pack/id".
inline constexpr std::string_view kTestCheckPrefix = "yardmaster/test/";

// Thread-safe.
class JobDispatcher {
 public:
  virtual ~JobDispatcher() = default;

  // Takes a job; one that is known already is left as it is. NOT_FOUND and INVALID_ARGUMENT for what can't run;
  // other errors may pass.
  virtual absl::Status Submit(const v1::SubmitJob& submit) = 0;
  // Ends a job. OK, too, if it has ended.
  virtual absl::Status Cancel(const v1::CancelJob& cancel) = 0;
  // Whether jobs of a pull request wait or run. Cheap.
  virtual bool HasLive(const v1::Subject& subject) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_JOB_DISPATCHER_H_
