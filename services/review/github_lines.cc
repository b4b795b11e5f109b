#include "services/review/github_lines.h"

#include <string_view>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "services/core/absl_view.h"
#include "services/core/utf8.h"

namespace yardmaster {
namespace {

std::string_view CommandOf(rules::Severity severity) {
  static constexpr std::string_view kCommands[] = {"error", "error", "warning", "notice"};
  return kCommands[static_cast<size_t>(severity)];
}

// As the runner's own library escapes what stands behind the second "::".
std::string EscapedData(std::string_view text) {
  std::string valid;
  AppendValidUtf8(text, valid);
  return absl::StrReplaceAll(valid, {{"%", "%25"}, {"\r", "%0D"}, {"\n", "%0A"}});
}

// The same for the value of a property.
std::string EscapedProperty(std::string_view text) {
  return absl::StrReplaceAll(EscapedData(text), {{":", "%3A"}, {",", "%2C"}});
}

// Columns only within one line, as GitHub takes them; the last one is the last character's own.
std::string PlaceOf(const rules::Finding& finding) {
  if (finding.line == 0) return "";
  std::string place = absl::StrCat(",line=", finding.line);
  if (finding.end_line > finding.line) return absl::StrCat(place, ",endLine=", finding.end_line);
  if (finding.column > 0) absl::StrAppend(&place, ",col=", finding.column);
  if (finding.column > 0 && finding.end_column > finding.column + 1) {
    absl::StrAppend(&place, ",endColumn=", finding.end_column - 1);
  }
  return place;
}

}  // namespace

std::string GithubLines(const ReviewReport& report) {
  std::string lines;
  for (const ReportedFinding& reported : report.findings) {
    const rules::Finding& finding = reported.finding;
    if (reported.status == FindingStatus::kFixed) continue;
    absl::StrAppend(&lines, "::", Abs(CommandOf(finding.severity)), " file=", EscapedProperty(finding.path),
                    PlaceOf(finding), ",title=", EscapedProperty(rules::RuleAndPart(finding.rule_id, finding.part)),
                    "::", EscapedData(finding.message));
    if (!finding.fix.empty()) absl::StrAppend(&lines, "%0A", EscapedData(finding.fix));
    lines += '\n';
  }
  return lines;
}

}  // namespace yardmaster
