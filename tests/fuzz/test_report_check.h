// What must hold of a report, whatever it was made from.
#ifndef YARDMASTER_TESTS_FUZZ_TEST_REPORT_CHECK_H_
#define YARDMASTER_TESTS_FUZZ_TEST_REPORT_CHECK_H_

#include <cmath>
#include <string>
#include <unordered_set>

#include "absl/status/statusor.h"
#include "services/worker/reports/report.h"
#include "tests/fuzz/check.h"

namespace yardmaster {

inline void CheckReport(const worker::Report& report) {
  Check(report.tests.size() <= worker::kMaxReportTests, "too many tests");
  std::unordered_set<std::string> ids;
  for (const worker::ReportTest& test : report.tests) {
    Check(ids.insert(test.id).second, "an id twice");
    Check(test.message.size() <= worker::kMaxReportMessageBytes, "a message that is too long");
    Check(std::isfinite(test.seconds) && test.seconds >= 0, "a time that is none");
  }
}

inline void CheckReport(const absl::StatusOr<worker::Report>& report) {
  if (report.ok()) return CheckReport(*report);
  Check(report.status().code() == absl::StatusCode::kInvalidArgument, "an unexpected code");
  Check(!report.status().message().empty() && report.status().message().size() < 2'000,
        "a message that is empty or long");
}

}  // namespace yardmaster

#endif  // YARDMASTER_TESTS_FUZZ_TEST_REPORT_CHECK_H_
