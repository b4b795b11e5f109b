#include "services/review/block_text.h"

#include <set>
#include <string_view>
#include <utility>

namespace yardmaster {
namespace {

// One line of text: nothing in it that could pass for another line or move a cursor.
std::string OneLine(std::string_view text) {
  std::string line;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    line += byte < 0x20 || byte == 0x7f ? ' ' : c;
  }
  return line;
}

const std::string& Message(const rules::Finding& finding, TextLanguage language) {
  return language == TextLanguage::kChinese && !finding.message_zh.empty() ? finding.message_zh : finding.message;
}

const std::string& Hint(const rules::Finding& finding, TextLanguage language) {
  return language == TextLanguage::kChinese && !finding.fix_zh.empty() ? finding.fix_zh : finding.fix;
}

std::string FindingLine(const rules::Finding& finding, TextLanguage language) {
  std::string line = "[" + finding.rule_id + "][" + finding.pack_severity + "] " + OneLine(finding.path);
  if (finding.line > 0) line += ":" + std::to_string(finding.line);
  line += " " + OneLine(Message(finding, language));
  return finding.part.empty() ? line : line + " (" + finding.part + ")";
}

}  // namespace

BlockFrame BlockFrameOf(const rules::CheckSet* checks, TextLanguage language) {
  const bool chinese = language == TextLanguage::kChinese;
  const std::vector<std::string>* own = checks == nullptr ? nullptr : checks->List(chinese ? "block_zh" : "block_en");
  if (own != nullptr && own->size() == 2) return {(*own)[0], (*own)[1]};
  if (chinese) {
    return {"[yardmaster] 产物写入后即时门禁未通过：",
            "请在同一文件中修复后重新写入；不要用 shell 改写，也不要移动文件。"};
  }
  return {"[yardmaster] the file just written does not pass its gate:",
          "Mend the same file and write it again; do not rewrite it by a shell command and do not move it."};
}

bool IsBlocking(const rules::Finding& finding) { return finding.severity == rules::Severity::kBlock; }

std::string BlockText(const ReviewReport& report, const BlockFrame& frame, TextLanguage language) {
  std::string lines;
  std::string hints;
  std::set<std::string> rules;
  std::set<std::pair<std::string, std::string>> told;
  for (const ReportedFinding& reported : report.findings) {
    const rules::Finding& finding = reported.finding;
    if (reported.status == FindingStatus::kFixed || !IsBlocking(finding)) continue;
    lines += FindingLine(finding, language) + "\n";
    rules.insert(finding.rule_id);
    const std::string hint = OneLine(Hint(finding, language));
    // Ten offenders against one rule need one recipe.
    if (!hint.empty() && told.emplace(finding.rule_id, hint).second)
      hints += "- " + finding.rule_id + ": " + hint + "\n";
  }
  if (lines.empty()) return "";
  std::string ids;
  for (const std::string& id : rules) ids += (ids.empty() ? "" : ", ") + id;
  return frame.first + "\n" + lines + "blocking_rules: " + ids + "\nfix_hints:\n" + hints + frame.last + "\n";
}

std::string ContextText(const ReviewReport& report, TextLanguage language) {
  std::string fails;
  std::string warnings;
  std::string notes;
  for (const ReportedFinding& reported : report.findings) {
    if (reported.status == FindingStatus::kFixed) continue;
    std::string& part = IsBlocking(reported.finding)                          ? fails
                        : reported.finding.severity == rules::Severity::kInfo ? notes
                                                                              : warnings;
    part += FindingLine(reported.finding, language) + "\n";
  }
  std::string text;
  if (!fails.empty()) text += "fails:\n" + fails;
  if (!warnings.empty()) text += "warnings:\n" + warnings;
  if (!notes.empty()) text += "infos:\n" + notes;
  return text;
}

}  // namespace yardmaster
