// How long steps take, from what earlier runs of their suite have left.
#ifndef YARDMASTER_SERVICES_DISPATCH_STEP_TIMES_H_
#define YARDMASTER_SERVICES_DISPATCH_STEP_TIMES_H_

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "services/dispatch/dispatch.h"
#include "services/dispatch/queue/model.h"

namespace yardmaster::dispatch {

// Seconds by the name of the step with its cell.
using StepTimes = std::map<std::string, double, std::less<>>;

// Adds what a result.json says of steps that passed: one that failed at once says little about one that passes. What is
// there stays.
void AddStepTimes(std::string_view result, StepTimes& times);

// Of the newest runs of the suite on devices that the demand allows: as many of their results are read as it takes
// until all the `wanted` steps are known.
StepTimes TimesOfSteps(Dispatch& dispatch, std::string_view suite, const Demand& demand,
                       const std::set<std::string>& wanted);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_STEP_TIMES_H_
