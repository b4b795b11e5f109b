// Any bytes as ctest's file and, behind a line "====", as what it printed: no crash, and no test that ctest lists as
// failed is passed.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "services/worker/reports/ctest_text.h"
#include "services/worker/reports/report.h"
#include "services/worker/reports/report_builder.h"
#include "tests/fuzz/test_report_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace yardmaster;
  constexpr std::string_view kBetween = "\n====\n";
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t between = all.find(kBetween);
  const std::string_view xml = all.substr(0, between);
  const std::string_view printed =
      between == std::string_view::npos ? std::string_view() : all.substr(between + kBetween.size());
  const absl::StatusOr<worker::Report> report = worker::ParseCtestJunit(xml, printed);
  CheckReport(report);
  if (!report.ok()) return 0;
  const worker::CtestPrinted said = worker::ReadCtestPrinted(printed);
  for (const worker::ReportTest& test : report->tests) {
    if (said.failures.find(test.id) == said.failures.end()) continue;
    Check(test.outcome != worker::Outcome::kPassed, "a test that ctest says has failed is passed");
  }
  return 0;
}
