// What ctest prints: one line a test, and at the end those that failed, with the reason that its JUnit file leaves out.
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_CTEST_TEXT_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_CTEST_TEXT_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "services/worker/reports/report.h"

namespace yardmaster::worker {

// " 3/20 Test  #3: name ........***Timeout   1.00 sec"
struct CtestLine {
  ReportTest test;     // the message is ctest's word for the outcome: "Timeout", "Exception: SegFault"
  uint64_t total = 0;  // 20
};
std::optional<CtestLine> ParseCtestLine(std::string_view line);

// "	  3 - name (Timeout)", below "The following tests FAILED:".
struct CtestFailure {
  std::string name;
  std::string reason;
};
std::optional<CtestFailure> ParseCtestFailure(std::string_view line);

// "29% tests passed, 10 tests failed out of 14"
struct CtestTotals {
  uint64_t failed = 0;
  uint64_t total = 0;
};
std::optional<CtestTotals> ParseCtestTotals(std::string_view line);

// All that was printed, put together.
struct CtestPrinted {
  std::map<std::string, std::string, std::less<>> failures;  // name → reason
  std::optional<CtestTotals> totals;
};
CtestPrinted ReadCtestPrinted(std::string_view printed);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_CTEST_TEXT_H_
