// How long a run of a suite may take.
#ifndef YARDMASTER_SERVICES_DISPATCH_SUITE_TIMES_H_
#define YARDMASTER_SERVICES_DISPATCH_SUITE_TIMES_H_

#include <chrono>

#include "rules/suites/suite_model.h"

namespace yardmaster::dispatch {

// The sum of the time limits of all that a run of the whole suite may do, one after the other: fetching, building, each
// cell of each step with its retries, and what a recipe tries again. No run that keeps to its limits takes longer.
std::chrono::seconds LimitOfSuite(const rules::SuiteModel& suite);

}  // namespace yardmaster::dispatch

#endif  // YARDMASTER_SERVICES_DISPATCH_SUITE_TIMES_H_
