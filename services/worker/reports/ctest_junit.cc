// ctest --output-junit.
#include <string>
#include <string_view>
#include <utility>

#include "services/core/lines.h"
#include "services/core/status_macros.h"
#include "services/worker/reports/ctest_text.h"
#include "services/worker/reports/report.h"
#include "services/worker/reports/report_builder.h"
#include "services/worker/reports/report_text.h"
#include "services/worker/reports/xml_report.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kCtestReport = "the CTest report";

// "Skipped" by the test's own will. All else that was not run (no executable, a required file or a set-up missing)
// counts as failed with ctest, though its report says "skipped".
bool SkippedByItself(std::string_view message) { return message.substr(0, 5) == "SKIP_"; }

// The reason and below it what the test printed.
std::string WithOutput(std::string_view reason, const pugi::xml_node& test) {
  const std::string_view output = TrimBlanks(test.child_value("system-out"));
  if (reason.empty()) return CutMessage(output);
  if (output.empty()) return CutMessage(reason);
  return CutMessage(CutMessage(reason) + "\n" + CutMessage(output));
}

ReportTest ReadCase(const pugi::xml_node& test, const CtestPrinted& printed) {
  ReportTest out;
  out.id = test.attribute("name").value();
  out.seconds = SecondsOf(test.attribute("time").value());
  const std::string_view status = test.attribute("status").value();
  const auto said = printed.failures.find(out.id);
  const std::string_view reason = said == printed.failures.end() ? std::string_view() : std::string_view(said->second);
  if (status == "disabled") {
    out.outcome = Outcome::kSkipped;
    out.message = "disabled";
  } else if (test.child("skipped") || status == "notrun") {
    const std::string_view message = test.child("skipped").attribute("message").value();
    out.outcome = SkippedByItself(message) ? Outcome::kSkipped : Outcome::kNotStarted;
    out.message = WithOutput(message, test);
  } else if (test.child("failure") || test.child("error") || status == "fail") {
    out.outcome = reason.substr(0, 7) == "Timeout" ? Outcome::kTimedOut : Outcome::kFailed;
    // The report's own message is empty for every kind of failure but that of an expected text.
    const std::string own = ElementMessage(test.child("failure") ? test.child("failure") : test.child("error"));
    out.message = WithOutput(own.empty() ? reason : std::string_view(own), test);
  } else if (status == "run") {
    // What ctest itself lists as failed has failed, whatever the file says.
    if (said != printed.failures.end()) {
      out.outcome = Outcome::kFailed;
      out.message = CutMessage(reason);
    }
  } else {
    out.outcome = Outcome::kUnfinished;
    out.message = "its status is \"" + std::string(status) + "\"";
  }
  out.message = CutMessage(out.message);
  return out;
}

std::string Contradiction(const pugi::xml_document& document, const CtestPrinted& printed, uint64_t cases,
                          const ReportBuilder& builder) {
  if (std::string missing = MissingTests(document, cases); !missing.empty()) return missing;
  for (const auto& [name, reason] : printed.failures) {
    if (!builder.Has(name)) return "ctest printed that \"" + name + "\" failed, and it is not in the report";
  }
  if (printed.totals.has_value() && printed.totals->failed > builder.failed()) {
    return "ctest printed that " + std::to_string(printed.totals->failed) + " tests failed, and the report shows " +
           std::to_string(builder.failed());
  }
  return "";
}

}  // namespace

absl::StatusOr<Report> ParseCtestJunit(std::string_view xml, std::string_view printed) {
  const CtestPrinted text = ReadCtestPrinted(printed);
  pugi::xml_document document;
  ReportBuilder builder;
  uint64_t cases = 0;
  const auto read = [&](const pugi::xml_node& test) {
    ++cases;
    return ReadCase(test, text);
  };
  RETURN_IF_ERROR(ReadXmlReport(kCtestReport, xml, document, read, builder));
  std::string problem = CutMessage(Contradiction(document, text, cases, builder));
  return Report{builder.Release(), std::move(problem)};
}

}  // namespace yardmaster::worker
