// How steps, reads and reasons become the result of a piece of work.
#ifndef YARDMASTER_SERVICES_INTAKE_WORK_RESULTS_H_
#define YARDMASTER_SERVICES_INTAKE_WORK_RESULTS_H_

#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "services/intake/effect_runner.h"
#include "services/intake/subject_work.h"

namespace yardmaster {

WorkResult Settled(store::DeliveryState state, std::string reason = {});
// `word` is one of reasons.h.
WorkResult Ignored(std::string_view word, std::string_view detail = {});
// `failed_word` is the reason where the step failed for good.
WorkResult FromStep(const StepResult& step, std::string_view failed_word);
// A failed read of a subject.
WorkResult FromRead(const absl::Status& status);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_WORK_RESULTS_H_
