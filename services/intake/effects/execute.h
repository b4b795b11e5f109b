// The one way to write: each action of a plan is checked against what is on the subject now, executed once, and
// read back.
#ifndef YARDMASTER_SERVICES_INTAKE_EFFECTS_EXECUTE_H_
#define YARDMASTER_SERVICES_INTAKE_EFFECTS_EXECUTE_H_

#include <set>
#include <string>

#include "services/core/store/store.h"
#include "services/intake/effects/effect_runner.h"
#include "services/intake/outcome.h"
#include "services/intake/plans/snapshot.h"
#include "services/intake/plans/subject_run.h"
#include "yardmaster/v1/plan.pb.h"

namespace yardmaster {

struct ExecuteOptions {
  // What the plan was made for: if the subject is no longer that, nothing more is written and the outcome is kChanged.
  // Null: it does not matter.
  const SubjectReading* made_for = nullptr;
  // When this process took the work up.
  store::TimePoint started{};
  // Who asked for it, for the history of labels; empty for plans of our own.
  std::string person;
};

struct Execution {
  // Keys of the effects that the plan led to.
  std::set<std::string> keys;
  // Why actions failed for good, for people; empty: none did. What stands there before the call counts, too.
  std::string failures;
};

// Actions do not wait for each other. kDone: all are carried out, or failed for good as `execution.failures` tells; the
// answer of a plan whose actions failed says so, and without its answer a command is not done (kFailed). A plan in
// dry-run is carried out by doing nothing.
Outcome Execute(SubjectRun& run, EffectRunner& effects, const v1::Plan& plan, const ExecuteOptions& options,
                Execution& execution);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_EFFECTS_EXECUTE_H_
