// The one way to decide: read, ask the planner, and keep the plan.
#ifndef YARDMASTER_SERVICES_INTAKE_PLANS_DECIDE_H_
#define YARDMASTER_SERVICES_INTAKE_PLANS_DECIDE_H_

#include "services/intake/outcome.h"
#include "services/intake/plans/plan_keeper.h"
#include "services/intake/plans/snapshot.h"
#include "services/intake/plans/subject_run.h"
#include "services/intake/subject_planner.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {

struct DecideRequest {
  const v1::Event& event;
  const Planner& planner;
  Trigger trigger = Trigger::kPlan;
  v1::Mode mode = v1::MODE_DRY_RUN;
  const SubjectReading& reading;
  AskOptions asked = {};
  const CommandInput* command = nullptr;
  // Where the plan is kept; null: by the caller, and earlier decisions play no part.
  PlanKeeper* keeper = nullptr;
  // Called between the planner's acknowledgement and its plan, with what it wants written at once; null: nothing is
  // acknowledged.
  std::function<Outcome(const v1::Plan& acknowledgement)> acknowledge = nullptr;
  // Called where the planner waits for long work, each time it is asked; null: nobody wants to know.
  std::function<Outcome()> working = nullptr;
  // The plan of another planner that this one asked for; null: it may ask none.
  v1::Plan* asked_plan = nullptr;
};

// kDone: `plan` is made, and kept. Else why there is none. After SubjectRun::Choose.
Outcome Decide(SubjectRun& run, const DecideRequest& request, v1::Plan& plan);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PLANS_DECIDE_H_
