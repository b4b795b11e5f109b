// What of a suite is run: the layers and the values of the matrix that were asked for.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_SELECTION_H_
#define YARDMASTER_SERVICES_WORKER_RUN_SELECTION_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"
#include "services/worker/run/run.h"

namespace yardmaster::worker {

// The suite with nothing but what was selected: axes have the selected values only, and only the selected layers and
// those that they come after are left, each behind those that it comes after. Empty selections take everything.
// INVALID_ARGUMENT: an axis, a value or a layer that the suite does not have.
absl::StatusOr<rules::SuiteModel> SelectPart(const rules::SuiteModel& suite,
                                             const std::map<std::string, std::vector<std::string>>& select,
                                             const std::vector<std::string>& layers);

// The suite on other devices than those that it asks for. A number of them is also the number of ranks of steps whose
// ranks are as many as the suite's devices; where an axis of the matrix gives both, it has this one value.
void OverrideDevices(const DeviceOverride& devices, rules::SuiteModel& suite);

// Narrows a step to some of its tests, as far as what runs them can: pytest by the names of their functions, GoogleTest
// by theirs. Without a way to choose, all are run.
void ChooseTests(const std::vector<std::string>& tests, rules::SuiteStep& step);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_SELECTION_H_
