// What of a suite is run: the layers and the values of the matrix that were asked for.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_SELECTION_H_
#define YARDMASTER_SERVICES_WORKER_RUN_SELECTION_H_

#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"

namespace yardmaster::worker {

// The suite with nothing but what was selected: axes have the selected values only, and only the selected layers and
// those that they come after are left, each behind those that it comes after. Empty selections take everything.
// INVALID_ARGUMENT: an axis, a value or a layer that the suite does not have.
absl::StatusOr<rules::SuiteModel> SelectPart(const rules::SuiteModel& suite,
                                             const std::map<std::string, std::vector<std::string>>& select,
                                             const std::vector<std::string>& layers);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_SELECTION_H_
