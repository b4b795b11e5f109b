// The work on one event about one subject: read it from the forge, decide, write what was decided.
#ifndef YARDMASTER_SERVICES_INTAKE_PIPELINE_SUBJECT_WORK_H_
#define YARDMASTER_SERVICES_INTAKE_PIPELINE_SUBJECT_WORK_H_

#include <string_view>

#include "absl/status/status.h"
#include "services/intake/effects/effect_runner.h"
#include "services/intake/outcome.h"
#include "services/intake/pipeline/work_item.h"
#include "services/intake/plans/subject_run.h"

namespace yardmaster {

// Thread-safe, as long as one thread works on one subject.
class SubjectWork {
 public:
  // References outlive this object.
  SubjectWork(const IntakeEnvironment& environment, EffectRunner& effects) : env_(environment), effects_(effects) {}

  // Final outcomes say what becomes of the delivery.
  Outcome Run(const WorkItem& item);

  // Whether a number that was named in chat is an issue's or a pull request's, by the forge.
  Outcome FindKind(const WorkItem& item, v1::SubjectKind& kind);

  // Settles what is open on a subject whatever became of the deliveries that led to it. kDone: nothing is due now.
  Outcome SettleOpen(const v1::Subject& subject);

  // The delivery is given up: nothing of it may stay open.
  absl::Status Abandon(const v1::Subject& subject, int64_t delivery, std::string_view reason);

 private:
  const IntakeEnvironment& env_;
  EffectRunner& effects_;
};

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_PIPELINE_SUBJECT_WORK_H_
