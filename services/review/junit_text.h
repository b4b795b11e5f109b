// A review as JUnit XML, for CI systems that show nothing else.
#ifndef YARDMASTER_SERVICES_REVIEW_JUNIT_TEXT_H_
#define YARDMASTER_SERVICES_REVIEW_JUNIT_TEXT_H_

#include <string>

#include "services/review/report.h"

namespace yardmaster {

// One <testsuite> with a <testcase> for each finding that stands: the class is its path, the name its rule and line. It
// is a failure if it is as bad as `fail_on` or worse and, against a baseline, new; else it passes and says what was
// found. A review without findings has one case that passes.
std::string JunitText(const ReviewReport& report, rules::Severity fail_on);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_REVIEW_JUNIT_TEXT_H_
