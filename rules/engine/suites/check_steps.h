// The steps of a suite: how they are started, where, and what is read of them.
#ifndef YARDMASTER_RULES_ENGINE_SUITES_CHECK_STEPS_H_
#define YARDMASTER_RULES_ENGINE_SUITES_CHECK_STEPS_H_

#include <vector>

#include "rules/engine/suites/suite_places.h"
#include "rules/suites/suite_model.h"

namespace yardmaster::rules {

// A build step: no ranks, no cells.
void CheckBuildStep(const SuiteStep& step, const Place& place);

// A step of a layer. Without `cells` nothing that takes going through all of them is checked.
void CheckTestStep(const SuiteModel& suite, const SuiteLayer& layer, const SuiteStep& step, bool cells,
                   const Place& place);

// Requirements of a suite, a layer or, with `step`, of a step.
void CheckRequirements(const SuiteModel& suite, const SuiteStep* step, const std::vector<Requirement>& requirements,
                       const Place& place);

// Kinds of devices and what can be asked of them.
void CheckDevices(const DeviceRequest& devices, const Place& place);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_SUITES_CHECK_STEPS_H_
