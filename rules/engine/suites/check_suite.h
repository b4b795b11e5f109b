// What must hold in a suite beyond the shape that its schema demands.
#ifndef YARDMASTER_RULES_ENGINE_SUITES_CHECK_SUITE_H_
#define YARDMASTER_RULES_ENGINE_SUITES_CHECK_SUITE_H_

#include <string>

#include "rules/suites/suite_model.h"
#include "services/core/json_document.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// Adds a problem for each thing that is wrong in `suite`, which was read from `pointer` of `document`: ids, what layers
// come after, axes and cells, numbers of ranks and devices, placeholders, reports and their patterns, requirements,
// paths, variables.
void CheckSuite(const SuiteModel& suite, const JsonDocument& document, const std::string& pointer, Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_SUITES_CHECK_SUITE_H_
