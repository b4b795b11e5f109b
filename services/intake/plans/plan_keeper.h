// Where a plan is kept from the moment when it is decided: as a decision, or with the command that asked for it.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_PLAN_KEEPER_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_PLAN_KEEPER_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "services/intake/plans/snapshot.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {

// Errors are the store's.
class PlanKeeper {
 public:
  virtual ~PlanKeeper() = default;
  // A plan that this work led to before a wait or a restart, if it still holds for what was read now; true if `plan`
  // was set to it.
  virtual absl::StatusOr<bool> Resume(const std::string& digest, const SubjectReading& reading, v1::Plan& plan) = 0;
  // Whether other work decided about the same input, so that there is nothing to decide.
  virtual absl::StatusOr<bool> IsDecided(const std::string& digest) = 0;
  // Gives the plan its id and its time, and keeps it.
  virtual absl::Status Keep(const std::string& digest, v1::Plan& plan) = 0;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_PLAN_KEEPER_H_
