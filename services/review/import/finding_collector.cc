#include "services/review/import/finding_collector.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/credentials.h"
#include "services/core/lines.h"
#include "services/core/readable.h"
#include "services/core/utf8.h"
#include "services/review/import/repository_path.h"

namespace yardmaster {
namespace {

constexpr size_t kMaxToolBytes = 64;
constexpr size_t kMaxRuleBytes = 128;
constexpr size_t kMaxExampleBytes = 200;
// No file that anyone reviews has so many lines, or a line so many characters.
constexpr uint32_t kMaxPlace = 100'000'000;

// One line of valid UTF-8: reports are printed on terminals and sent as protobuf.
std::string OneCleanLine(std::string_view text, size_t max_bytes) {
  std::string clean;
  AppendValidUtf8(CutUtf8(TrimBlanks(text), max_bytes), clean);
  absl::c_replace_if(
      clean, [](char c) { return absl::ascii_iscntrl(static_cast<unsigned char>(c)); }, ' ');
  return clean;
}

// Short and plain, since it stands before the "/" of rules and in the place of a pack's name.
std::string ToolName(std::string_view name) {
  std::string tool = absl::AsciiStrToLower(Abs(CutUtf8(TrimBlanks(name), kMaxToolBytes)));
  absl::c_replace_if(
      tool,
      [](char c) {
        const auto byte = static_cast<unsigned char>(c);
        return !absl::ascii_isalnum(byte) && !absl::StrContains("._+-", absl::string_view(&c, 1));
      },
      '-');
  return tool.empty() ? "tool" : tool;
}

std::string_view LevelName(ToolLevel level) {
  static constexpr std::string_view kNames[] = {"error", "warning", "note"};
  return kNames[static_cast<size_t>(level)];
}

rules::Severity SeverityOf(ToolLevel level, bool errors_block) {
  if (level == ToolLevel::kError) return errors_block ? rules::Severity::kBlock : rules::Severity::kMajor;
  return level == ToolLevel::kWarning ? rules::Severity::kMinor : rules::Severity::kInfo;
}

}  // namespace

ToolLevel LevelOfWord(std::string_view word) {
  const std::string lower = absl::AsciiStrToLower(Abs(word));
  static constexpr std::string_view kErrors[] = {"error", "fatal", "fatal error", "e", "f"};
  static constexpr std::string_view kNotes[] = {"note",   "notice", "info", "information", "style",
                                                "remark", "none",   "c",    "r",           "i"};
  if (absl::c_linear_search(kErrors, lower)) return ToolLevel::kError;
  return absl::c_linear_search(kNotes, lower) ? ToolLevel::kNote : ToolLevel::kWarning;
}

std::optional<uint32_t> PlaceNumber(std::string_view digits) {
  uint32_t number = 0;
  if (!absl::SimpleAtoi(Abs(digits), &number) || number > kMaxPlace) return std::nullopt;
  return number;
}

void FindingCollector::Add(ToolFinding found) {
  found.message = WithoutCredentials(std::move(found.message));
  if (found.path.empty()) return LeaveOut("it names no file", found.message);
  std::optional<std::string> path = RepositoryPath(found.path, options_.root);
  if (!path.has_value()) return LeaveOut(kOutsideRepository, found.path);
  if (imported_.findings.size() == kMaxImportedFindings) {
    return LeaveOut(absl::StrCat("more than ", kMaxImportedFindings, " findings, the limit of one import"), *path);
  }
  rules::Finding& finding = imported_.findings.emplace_back();
  finding.pack = ToolName(options_.tool.empty() ? found.tool : options_.tool);
  const std::string rule = OneCleanLine(found.rule, kMaxRuleBytes);
  finding.rule_id = absl::StrCat(finding.pack, "/", rule.empty() ? Abs(kUnnamedRule) : absl::string_view(rule));
  finding.severity = SeverityOf(found.level, options_.errors_block);
  finding.pack_severity = OneCleanLine(found.word.empty() ? LevelName(found.level) : found.word, kMaxRuleBytes);
  finding.path = *std::move(path);
  finding.message = OneCleanLine(found.message, kMaxImportedMessageBytes);
  if (finding.message.empty()) finding.message = finding.rule_id;
  if (found.line == 0) return;
  finding.line = found.line;
  finding.column = std::max(found.column, 1u);
  finding.end_line = std::max(found.end_line, found.line);
  const uint32_t first_end = finding.end_line == finding.line ? finding.column : 1;
  finding.end_column = std::max(found.end_column, first_end);
}

void FindingCollector::LeaveOut(std::string_view reason, std::string_view example) {
  const auto known = absl::c_find_if(imported_.left_out, [&](const LeftOut& one) { return one.reason == reason; });
  if (known != imported_.left_out.end()) {
    ++known->count;
  } else {
    const std::string shown = WithoutCredentials(std::string(example));
    imported_.left_out.push_back({std::string(reason), 1, Readable(TrimBlanks(shown), kMaxExampleBytes)});
  }
}

ImportedFindings FindingCollector::Take() && {
  absl::c_stable_sort(imported_.findings, [](const rules::Finding& a, const rules::Finding& b) {
    return std::tie(a.path, a.line, a.column, a.rule_id) < std::tie(b.path, b.line, b.column, b.rule_id);
  });
  return std::move(imported_);
}

}  // namespace yardmaster
