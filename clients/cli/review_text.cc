#include "clients/cli/review_text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_join.h"
#include "clients/cli/style.h"
#include "clients/cli/table.h"
#include "clients/cli/terminal.h"
#include "services/core/lines.h"
#include "services/core/utf8.h"

namespace yardmaster::cli {
namespace {

using Json = nlohmann::ordered_json;

// A source line that is shown; what is longer is shown around the place.
constexpr int kMaxExcerptColumns = 160;
constexpr size_t kMaxExcerptBytes = 64 * 1024;

Style StyleOf(rules::Severity severity) {
  switch (severity) {
    case rules::Severity::kBlock:
      return Style::kBad;
    case rules::Severity::kMajor:
    case rules::Severity::kMinor:
      return Style::kWarning;
    case rules::Severity::kInfo:
      return Style::kFaint;
  }
  return Style::kPlain;
}

// The line with that number, without its end; nullopt behind the last one.
std::optional<std::string_view> LineOf(std::string_view text, uint32_t number) {
  std::vector<std::string_view> lines = LinesOf(text);
  if (text.empty() || text.ends_with('\n')) lines.emplace_back();
  if (number > lines.size()) return std::nullopt;
  std::string_view line = lines[number - 1];
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

std::string Counted(size_t number, const char* one, const char* many) {
  return std::to_string(number) + " " + (number == 1 ? one : many);
}

std::string Duration(double seconds) {
  char text[32];
  if (seconds < 1.0) {
    std::snprintf(text, sizeof(text), "%.0f ms", std::ceil(seconds * 1000));
  } else {
    std::snprintf(text, sizeof(text), "%.1f s", seconds);
  }
  return text;
}

// One line for each reason and place: "skipped custom/demo: needs design (OL31, OL43)".
std::string SkippedText(const ReviewReport& report, const ReviewTextOptions& options) {
  std::map<std::pair<std::string, std::string>, std::set<std::string>> by_place;
  const bool chinese = options.language == TextLanguage::kChinese;
  for (const rules::SkippedCheck& skipped : report.skipped) {
    const bool in_chinese = chinese && !skipped.reason_zh.empty();
    by_place[{skipped.path, in_chinese ? skipped.reason_zh : skipped.reason}].insert(
        rules::RuleAndPart(skipped.rule_id, skipped.part));
  }
  std::string out;
  for (const auto& [place, rules] : by_place) {
    out += (chinese ? "已跳过" : "skipped") + (place.first.empty() ? "" : " " + Printable(place.first)) + ": " +
           Printable(place.second);
    if (!rules.contains("*")) {
      const std::string names = absl::StrJoin(rules, ", ");
      out += " (" + Paint(Printable(names), Style::kName, options.color) + ")";
    }
    out += "\n";
  }
  return out;
}

std::string Joined(const std::vector<std::string>& list) {
  return absl::StrJoin(list, ", ", [](std::string* out, const std::string& entry) { out->append(Printable(entry)); });
}

}  // namespace

std::string SourceExcerpt(std::string_view text, const rules::Finding& finding, const ReviewTextOptions& options) {
  if (finding.line == 0) return "";
  const std::optional<std::string_view> whole = LineOf(text, finding.line);
  if (!whole.has_value()) return "";
  std::string_view line = whole->substr(0, kMaxExcerptBytes);
  size_t begin = FirstCodePoints(line, std::max(1u, finding.column) - 1).size();
  size_t end = finding.end_line == finding.line && finding.end_column > finding.column
                   ? FirstCodePoints(line, finding.end_column - 1).size()
                   : (finding.end_line > finding.line ? line.size() : begin);

  // Of a long line only what stands around the place.
  bool cut = false;
  if (DisplayWidth(line) > kMaxExcerptColumns) {
    size_t from = begin > kMaxExcerptColumns / 2 ? begin - kMaxExcerptColumns / 2 : 0;
    while (from > 0 && ContinuesUtf8(line[from])) --from;
    line.remove_prefix(from);
    begin -= from;
    end = std::max(end - std::min(end, from), begin);
    cut = from > 0;
  }
  const std::string shown = CutToWidth(Printable(line), kMaxExcerptColumns);
  const int shown_width = DisplayWidth(shown);
  const int indent = std::min(DisplayWidth(Printable(line.substr(0, begin))), shown_width);
  const int width =
      std::max(1, std::min(DisplayWidth(Printable(line.substr(begin, end - begin))), shown_width - indent));

  const std::string number = std::to_string(finding.line);
  const std::string margin(std::max<size_t>(4, number.size()), ' ');
  std::string out = PadLeft(number, static_cast<int>(margin.size())) + " | " + (cut ? "…" : "") + shown + "\n";
  const std::string caret = "^" + std::string(static_cast<size_t>(width) - 1, '~');
  out += margin + " | " + std::string(static_cast<size_t>(indent) + (cut ? 1 : 0), ' ') +
         Paint(caret, Style::kGood, options.color) + "\n";
  return out;
}

std::string ReviewText(const ReviewReport& report, const SourceOf& source, const ReviewTextOptions& options) {
  const bool chinese = options.language == TextLanguage::kChinese;
  std::string out;
  for (const ReportedFinding& reported : report.findings) {
    const rules::Finding& finding = reported.finding;
    std::string place = Printable(finding.path);
    if (finding.line > 0)
      place += ":" + std::to_string(finding.line) + ":" + std::to_string(std::max(1u, finding.column));
    const std::string& message = chinese && !finding.message_zh.empty() ? finding.message_zh : finding.message;
    const std::string& hint = chinese && !finding.fix_zh.empty() ? finding.fix_zh : finding.fix;
    out += Paint(place, Style::kStrong, options.color) + ": " +
           Paint(rules::SeverityName(finding.severity), StyleOf(finding.severity), options.color) + " " +
           Paint(Printable(finding.rule_id), Style::kName, options.color);
    const bool both = !finding.pack_severity.empty() && !finding.part.empty();
    const std::string more = Printable(finding.pack_severity) + (both ? ", " : "") + Printable(finding.part);
    if (!more.empty()) out += " (" + more + ")";
    if (reported.status != FindingStatus::kNone) out += " [" + std::string(FindingStatusName(reported.status)) + "]";
    out += ": " + Printable(message) + "\n";
    if (reported.status == FindingStatus::kFixed) continue;
    if (const std::string* text = source(finding.path); text != nullptr) out += SourceExcerpt(*text, finding, options);
    if (!hint.empty()) out += "     = " + Printable(hint) + "\n";
  }
  if (!report.findings.empty()) out += "\n";
  for (const ChecklistItem& item : report.checklist) {
    if (item.passed.has_value()) continue;  // a gate's; its findings say it
    out += (chinese ? "请检视：" : "look at: ") + Printable(item.title) + (item.path.empty() ? "" : " ") +
           Printable(item.path) + " (" + Paint(Printable(item.rule_id), Style::kName, options.color) + ")\n";
  }

  for (const SubjectProgress& subject : report.progress) {
    const StageProgress* const next = subject.Next();
    out += (chinese ? "进展：" : "added: ") + Paint(Printable(subject.name), Style::kName, options.color);
    for (const StageProgress& stage : subject.stages) {
      out += ", " + Printable(stage.title) + " " + std::string(StageStateName(stage.state));
    }
    out += (next == nullptr ? "" : (chinese ? "；下一步：" : "; next: ") + Printable(next->next)) + "\n";
  }

  if (options.skipped) out += SkippedText(report, options);
  const std::array<size_t, 4> counts = report.Counts();
  std::string line = Counted(report.files, "file", "files") + ": ";
  if (counts[0] + counts[1] + counts[2] + counts[3] == 0) {
    line += Paint("nothing found", Style::kGood, options.color);
  } else {
    line += std::to_string(counts[0]) + " block, " + std::to_string(counts[1]) + " major, " +
            std::to_string(counts[2]) + " minor, " + std::to_string(counts[3]) + " info";
  }
  if (!report.skipped.empty()) line += "; " + Counted(report.skipped.size(), "check skipped", "checks skipped");
  if (report.gate.has_value()) {
    line +=
        "; gate " + Printable(report.gate->id) + " " +
        (report.gate->open ? Paint("open", Style::kGood, options.color) : Paint("closed", Style::kBad, options.color));
  }
  return out + line + "; " + Duration(report.seconds) + "\n";
}

std::string CheckTable(const rules::CheckSet& checks, const Output& output) {
  Table table;
  table.Header({"rule", "severity", "grade", "stages", "roles", "at", "title"});
  for (const rules::CheckInfo& check : checks.checks()) {
    table.Row({{Printable(check.id), Style::kStrong},
               {std::string(rules::SeverityName(check.severity)), StyleOf(check.severity)},
               Printable(check.pack_severity),
               absl::StrJoin(check.stages, ","),
               Joined(check.roles),
               Joined(check.moments),
               Printable(check.title)});
  }
  return table.Render(0, output.columns(), output.color());
}

Json CheckJson(const rules::CheckInfo& check) {
  return Json{{"rule_id", check.rule},
              {"part", check.part},
              {"check_id", check.id},
              {"pack", check.pack},
              {"title", check.title},
              {"severity", rules::SeverityName(check.severity)},
              {"pack_severity", check.pack_severity},
              {"message", check.message},
              {"fix", check.fix},
              {"roles", check.roles},
              {"stages", check.stages},
              {"moments", check.moments},
              {"profiles", check.profiles},
              {"needs", check.needs},
              {"tags", check.tags},
              {"source", check.source},
              {"file", check.file},
              {"line", check.line}};
}

}  // namespace yardmaster::cli
