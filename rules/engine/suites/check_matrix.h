// The matrix of a suite, and what its steps make of it: cells, ranks and devices.
#ifndef YARDMASTER_RULES_ENGINE_SUITES_CHECK_MATRIX_H_
#define YARDMASTER_RULES_ENGINE_SUITES_CHECK_MATRIX_H_

#include <map>
#include <string>
#include <vector>

#include "rules/engine/suites/suite_places.h"
#include "rules/suites/suite_model.h"

namespace yardmaster::rules {

// Names and values of the axes, exclusions, and that each axis is used by some step.
void CheckMatrix(const SuiteModel& suite, const Place& place);

// The axes of a step: known, each once, and, with `cells`, a sensible number of cells.
void CheckAxes(const SuiteModel& suite, const SuiteStep& step, bool cells, const Place& place);

// That values which something asks for ("when", "exclude") can occur, with the axes of `axes`.
void CheckWanted(const SuiteModel& suite, const std::vector<std::string>& axes,
                 const std::map<std::string, std::string>& wanted, const Place& place);

// Ranks and devices of a step are numbers in each of its cells, and there is a GPU or NPU for each rank.
// `requirements` are all that hold for the step: its own, its layer's and the suite's.
void CheckCounts(const SuiteModel& suite, const SuiteStep& step, const std::vector<const Requirement*>& requirements,
                 const Place& place);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_SUITES_CHECK_MATRIX_H_
