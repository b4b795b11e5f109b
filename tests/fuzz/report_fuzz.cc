// Any bytes as what a review has to write down or read back: paths and texts of findings, baselines, memories, messages
// of hosts, shell commands. What is written is one valid document; what is read is refused or understood.
//
// The first byte chooses which; the rest is the text. Findings are cut at NUL: path, message, rule, fix, in turns.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "services/review/block_text.h"
#include "services/review/hook.h"
#include "services/review/operator_state.h"
#include "services/review/report.h"
#include "services/review/sarif.h"
#include "services/review/shell_writes.h"
#include "tests/fuzz/check.h"

namespace {

using namespace yardmaster;

std::string Next(std::string_view& text) {
  const size_t end = std::min(text.find('\0'), text.size());
  std::string part(text.substr(0, end));
  text.remove_prefix(std::min(end + 1, text.size()));
  return part;
}

ReviewReport ReportOf(std::string_view text) {
  ReviewReport report;
  uint32_t number = 0;
  while (!text.empty() && report.findings.size() < 50) {
    ReportedFinding& reported = report.findings.emplace_back();
    rules::Finding& finding = reported.finding;
    finding.path = Next(text);
    finding.message = Next(text);
    finding.rule_id = Next(text);
    finding.fix = Next(text);
    finding.fingerprint = finding.rule_id + finding.path;
    finding.severity = static_cast<rules::Severity>(finding.path.size() % 4);
    finding.line = number++ * 7 % 5;
    finding.column = number * 3 % 4;
    finding.end_line = number * 5 % 6;
    finding.end_column = number % 3;
    reported.status = static_cast<FindingStatus>(finding.message.size() % 4);
  }
  return report;
}

void CheckReport(std::string_view text) {
  const ReviewReport report = ReportOf(text);
  const nlohmann::json sarif = nlohmann::json::parse(DumpReport(SarifLog(report, {})), nullptr, false);
  if (sarif.is_discarded() || sarif["runs"][0]["results"].size() != report.findings.size()) Broken("SARIF");
  for (const nlohmann::json& result : sarif["runs"][0]["results"]) {
    const std::string uri = result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
    if (uri.find_first_of(" \n\"<>\\^`{|}#?") != std::string::npos || uri.starts_with("//")) Broken("URI");
  }
  const std::string json = DumpReport(ReportJson(report));
  std::string error;
  const bool named = std::all_of(report.findings.begin(), report.findings.end(),
                                 [](const ReportedFinding& finding) { return !finding.finding.fingerprint.empty(); });
  if (ReadBaseline(json, error).has_value() != named) Broken("our own report is no baseline");
  // No message looks like another line.
  const std::string block = BlockText(report, {"first", "last"}, TextLanguage::kEnglish);
  const auto lines = static_cast<size_t>(std::count(block.begin(), block.end(), '\n'));
  if (lines > 4 + 2 * report.findings.size()) Broken("a message of several lines");
  ContextText(report, TextLanguage::kChinese);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  std::string error;
  switch (data[0] % 5) {
    case 0:
      CheckReport(text);
      break;
    case 1:
      ShellWrites(text);
      break;
    case 2:
      if (const std::optional<OperatorState> state = ParseState(text); state.has_value()) {
        const std::optional<OperatorState> again = ParseState(DumpState(*state));
        if (!again.has_value() || !(*again == *state)) Broken("a memory that does not come back");
      }
      break;
    case 3:
      ParseHookInput(text, error);
      break;
    default:
      ReadBaseline(text, error);
  }
  return 0;
}
