// GoogleTest's XML. Its JSON is not read: it has neither the total nor the reasons of skips.
#include <string>
#include <string_view>

#include "services/core/status_macros.h"
#include "services/worker/reports/report.h"
#include "services/worker/reports/report_builder.h"
#include "services/worker/reports/report_text.h"
#include "services/worker/reports/xml_report.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kGoogleTestReport = "the GoogleTest report";

std::string GoogleTestId(const pugi::xml_node& test) {
  std::string suite = test.attribute("classname").value();
  if (suite.empty()) suite = test.parent().attribute("name").value();
  const std::string_view name = test.attribute("name").value();
  // Newer versions report failures outside of tests (set-up of a suite, of the environment) as a case without name.
  if (name.empty()) return suite + ": outside of its tests";
  return suite + "." + std::string(name);
}

ReportTest ReadCase(const pugi::xml_node& test, uint64_t& failures) {
  ReportTest out;
  out.id = GoogleTestId(test);
  out.seconds = SecondsOf(test.attribute("time").value());
  std::string message;
  const auto add = [&message](const pugi::xml_node& element) {
    if (!message.empty()) message += '\n';
    message += ElementMessage(element);
  };
  bool failed = false;
  for (const pugi::xml_node& failure : test.children("failure")) {
    failed = true;
    // Thousands of failed expectations of one test need not be put together to be cut again.
    if (message.size() <= 2 * kMaxReportMessageBytes) add(failure);
  }
  if (failed) ++failures;
  const std::string_view status = test.attribute("status").value();
  const std::string_view result = test.attribute("result").value();
  if (failed) {
    out.outcome = Outcome::kFailed;
  } else if (test.child("skipped") || result == "skipped") {
    out.outcome = Outcome::kSkipped;
    if (test.child("skipped")) add(test.child("skipped"));
  } else if (status == "notrun" || result == "suppressed") {
    out.outcome = Outcome::kSkipped;
    message = "disabled";
  } else if (!result.empty() && result != "completed") {
    // Only what says that it was completed has passed.
    out.outcome = Outcome::kUnfinished;
    message = "its result is \"" + std::string(result) + "\"";
  }
  out.message = CutMessage(message);
  return out;
}

}  // namespace

absl::StatusOr<Report> ParseGoogleTestXml(std::string_view xml) {
  pugi::xml_document document;
  ReportBuilder builder;
  uint64_t cases = 0;
  uint64_t failures = 0;
  const auto read = [&](const pugi::xml_node& test) {
    ++cases;
    return ReadCase(test, failures);
  };
  RETURN_IF_ERROR(ReadXmlReport(kGoogleTestReport, xml, document, read, builder));
  std::string problem = MissingTests(document, cases);
  if (problem.empty()) problem = MissingFailures(ClaimedTotal(document, "failures").value_or(0), failures);
  return Report{builder.Release(), problem};
}

}  // namespace yardmaster::worker
