// Plans that are kept as decisions.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_DECISION_KEEPER_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_DECISION_KEEPER_H_

#include "services/intake/plans/plan_keeper.h"
#include "services/intake/plans/subject_run.h"

namespace yardmaster {

// For a run without a delivery: nothing is resumed, nothing is decided by earlier ones, and what is kept decides
// nothing for events that come.
class DecisionKeeper final : public PlanKeeper {
 public:
  DecisionKeeper(const SubjectRun& run, v1::Mode mode) : run_(run), mode_(mode) {}

  absl::StatusOr<bool> Resume(const std::string& digest, const SubjectReading& reading, v1::Plan& plan) override;
  absl::StatusOr<bool> IsDecided(const std::string& digest) override;
  absl::Status Keep(const std::string& digest, v1::Plan& plan) override;

 private:
  const SubjectRun& run_;
  const v1::Mode mode_;
};

// Takes the objects out of what a plan pushes: they are for the git server, not for people.
void DropPacks(v1::Plan& plan);

// A stored plan; DATA_LOSS if it can't be read.
absl::StatusOr<v1::Plan> ReadPlan(const std::string& bytes);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_DECISION_KEEPER_H_
