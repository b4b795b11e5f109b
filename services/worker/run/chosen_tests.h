// Some tests of a step instead of all.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_CHOSEN_TESTS_H_
#define YARDMASTER_SERVICES_WORKER_RUN_CHOSEN_TESTS_H_

#include <string>
#include <vector>

#include "rules/suites/suite_model.h"

namespace yardmaster::worker {

// Narrows a step to some of its tests, as far as what runs them can: pytest by the names of their functions, GoogleTest
// by theirs. Without a way to choose, all are run.
void ChooseTests(const std::vector<std::string>& tests, rules::SuiteStep& step);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_CHOSEN_TESTS_H_
