// What a revision of the pack in the shadow would have decided: compared with the decision that acts, and kept.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_SHADOW_DECISION_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_SHADOW_DECISION_H_

#include <string>

#include "services/intake/plans/subject_run.h"
#include "services/intake/subject_planner.h"
#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/shadow.pb.h"

namespace yardmaster {

// Adds the labels of both, and what differs between two plans about the same input, to `run`. Pure.
void CompareDecisions(const v1::Plan& base, const v1::Plan& shadow, v1::ShadowRun& run);

// Asks the shadow of the run's pack, if there is one and the planner's plans follow from the pack. `made` is the plan
// as the planner made it, `id` the decision's. A shadow that fails is kept as such; nothing here fails the decision.
void DecideInShadow(const SubjectRun& run, const Planner& planner, const PlanInput& input, const std::string& digest,
                    const v1::Plan& made, const std::string& id);

// Whether DecideInShadow has anything to do.
bool HasShadow(const SubjectRun& run, const Planner& planner);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_SHADOW_DECISION_H_
