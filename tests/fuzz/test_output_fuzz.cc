// Any bytes as the output of test programs, line by line, to everything that reads such: no crash, and counts that
// agree with the tests.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "services/worker/reports/report.h"
#include "tests/fuzz/test_report_check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace yardmaster;
  rules::ReportModel model;
  model.format = rules::ReportFormat::kMarkers;
  model.pass = R"(\[PRECISION_PASS\])";
  model.fail = R"(\[PRECISION_FAIL\])";
  model.line = R"(^\[(?P<verdict>[A-Z]+)\] (?P<name>.+?)(?: \((?P<seconds>[\d.]+)s?\))?(?: - (?P<message>.*))?$)";
  model.summary = R"(^Result: (?P<passed>\d+) passed, (?P<failed>\d+) failed, (?P<total>\d+) total)";
  std::vector<std::unique_ptr<worker::LineReport>> reports;
  reports.push_back(worker::MakeMarkerReport(model));
  for (const rules::ReportFormat format : {rules::ReportFormat::kJunit, rules::ReportFormat::kGoogleTest,
                                           rules::ReportFormat::kCtest, rules::ReportFormat::kMarkers}) {
    reports.push_back(worker::MakeProgressReport(format));
  }
  std::string_view text(reinterpret_cast<const char*>(data), size);
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    for (const auto& report : reports) report->Line(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  for (const auto& report : reports) {
    CheckReport(report->Take());
    Check(report->expected() <= size * worker::kMaxReportTests, "more tests announced than can be");
  }
  return 0;
}
