#include <re2/re2.h>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/core/lines.h"
#include "services/review/import/readers.h"

namespace yardmaster {
namespace {

// Tools that print more in a line print something else than findings.
constexpr size_t kMaxFindingLineBytes = 16 * 1024;

constexpr const char* kLevelGroup = "(?P<level>fatal error|error|warning|note|info|style|remark): ";

// How a tool writes what stands behind "file:line:column: ", with the groups level, rule and text.
struct MessageFormat {
  std::string tool;  // the one that writes so; options may name another
  bool columns_from_zero = false;
  std::unique_ptr<RE2> pattern;
};

// The first one that fits a message counts.
const std::vector<MessageFormat>& MessageFormats() {
  static const auto* const formats = [] {
    auto* made = new std::vector<MessageFormat>();
    const auto add = [&](const char* tool, bool columns_from_zero, const std::string& pattern) {
      made->push_back({tool, columns_from_zero, std::make_unique<RE2>(pattern, RE2::Latin1)});
    };
    // C0114: Missing module docstring (missing-module-docstring)
    add("pylint", true, R"((?P<rule>(?P<level>[CREFIW])\d{4}): (?P<text>.*?)(?: \([a-z0-9-]+\))?)");
    // warning: x appears unused. [SC2034]
    add("shellcheck", false, absl::StrCat(kLevelGroup, R"((?P<text>.*) \[(?P<rule>SC\d+)\])"));
    // warning: unused variable 'x' [-Wunused-variable], error: … [-Werror=unused-variable], [-Werror,-Wunused-variable]
    add("compiler", false,
        absl::StrCat(kLevelGroup, R"((?P<text>.*) \[(?:-Werror,)?(?:-Werror=|-W)(?P<rule>[^\s\[\]]+)\])"));
    // error: Incompatible types in assignment  [assignment]
    add("mypy", false, absl::StrCat(kLevelGroup, R"((?P<text>.*)  \[(?P<rule>[a-z-]+)\])"));
    // warning: use nullptr [modernize-use-nullptr,-warnings-as-errors]
    add("clang-tidy", false, absl::StrCat(kLevelGroup, R"((?P<text>.*) \[(?P<rule>[\w.-]+)(?:,[\w.,-]+)?\])"));
    // fatal error: 'missing' file not found
    add("compiler", false, absl::StrCat(kLevelGroup, R"((?P<text>.*))"));
    // F401 [*] `os` imported but unused
    add("lint", false, R"((?P<rule>[A-Z]{1,6}\d{2,4}):? (?:\[\*\] )?(?P<text>.*))");
    // exported function Run should have comment or be unexported
    add("lint", false, R"((?P<text>\S.*))");
    return made;
  }();
  return *formats;
}

// "path:line", column, end line, end column, message. A path has a letter, or times of day would be places.
const RE2& PlacePattern() {
  static const auto* const pattern =
      new RE2(R"((.*?[A-Za-z_].*?):(\d+)(?::(\d+))?(?::(\d+):(\d+))?: (.*))", RE2::Latin1);
  return *pattern;
}

// The message's level, rule and text; false: no format fits.
bool SetMessage(re2::StringPiece message, ToolFinding& found) {
  for (const MessageFormat& format : MessageFormats()) {
    std::vector<re2::StringPiece> groups(static_cast<size_t>(format.pattern->NumberOfCapturingGroups()) + 1);
    if (!format.pattern->Match(message, 0, message.size(), RE2::ANCHOR_BOTH, groups.data(),
                               static_cast<int>(groups.size()))) {
      continue;
    }
    const std::map<std::string, int>& names = format.pattern->NamedCapturingGroups();
    const auto group = [&](const char* name) {
      const auto at = names.find(name);
      return at == names.end() ? std::string() : groups[static_cast<size_t>(at->second)].as_string();
    };
    found.tool = format.tool;
    found.rule = group("rule");
    found.word = group("level");
    found.level = LevelOfWord(found.word);
    found.message = group("text");
    if (format.columns_from_zero) ++found.column;
    return true;
  }
  return false;
}

void AddLine(std::string_view line, FindingCollector& collector) {
  if (line.size() > kMaxFindingLineBytes) return collector.LeaveOut("the line is too long", line);
  re2::StringPiece path, numbers[4], message;
  if (!RE2::FullMatch(re2::StringPiece(line.data(), line.size()), PlacePattern(), &path, &numbers[0], &numbers[1],
                      &numbers[2], &numbers[3], &message)) {
    return collector.LeaveOut(kUnknownLine, line);
  }
  ToolFinding found;
  found.path = path.as_string();
  uint32_t* const places[] = {&found.line, &found.column, &found.end_line, &found.end_column};
  for (size_t i = 0; i < 4; ++i) {
    if (numbers[i].empty()) continue;
    const std::optional<uint32_t> number = PlaceNumber({numbers[i].data(), numbers[i].size()});
    if (!number.has_value()) return collector.LeaveOut(kBadPlace, line);
    *places[i] = *number;
  }
  if (!SetMessage(message, found)) return collector.LeaveOut(kUnknownLine, line);
  collector.Add(std::move(found));
}

}  // namespace

absl::Status ReadLines(std::string_view content, const ImportOptions&, FindingCollector& collector) {
  for (std::string_view line : LinesOf(content)) {
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (!TrimBlanks(line).empty()) AddLine(line, collector);
  }
  return absl::OkStatus();
}

}  // namespace yardmaster
