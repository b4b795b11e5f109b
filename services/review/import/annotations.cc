#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"
#include "services/core/lines.h"
#include "services/review/import/readers.h"

namespace yardmaster {
namespace {

// "::LEVEL PROPERTIES::MESSAGE", still escaped.
struct Annotation {
  std::string_view level;
  std::string_view properties;
  std::string_view message;
};

std::optional<Annotation> ParseAnnotation(std::string_view line) {
  line = TrimBlanks(line);
  if (!line.starts_with("::")) return std::nullopt;
  line.remove_prefix(2);
  const size_t end = line.find("::");
  if (end == std::string_view::npos) return std::nullopt;
  const std::string_view head = line.substr(0, end);
  const size_t blank = std::min(head.find(' '), head.size());
  const Annotation annotation{head.substr(0, blank), TrimBlanks(head.substr(blank)), line.substr(end + 2)};
  const bool known = annotation.level == "error" || annotation.level == "warning" || annotation.level == "notice";
  return known ? std::optional(annotation) : std::nullopt;
}

std::string Unescaped(std::string_view text) {
  return absl::StrReplaceAll(Abs(text), {{"%0A", "\n"}, {"%0D", "\r"}, {"%3A", ":"}, {"%2C", ","}, {"%25", "%"}});
}

// Titles are the tools' own: "ruff (F401)", "F401", "Unused import". A rule has no blanks.
void SetTitle(std::string_view title, ToolFinding& found) {
  const size_t open = title.rfind(" (");
  if (open != std::string_view::npos && title.ends_with(')')) {
    found.tool = title.substr(0, open);
    title = title.substr(open + 2, title.size() - open - 3);
  }
  if (title.find(' ') == std::string_view::npos) found.rule = title;
}

// False: a number is none.
bool SetProperty(std::string_view key, const std::string& value, ToolFinding& found) {
  if (key == "file") {
    found.path = value;
  } else if (key == "title") {
    SetTitle(value, found);
  } else {
    uint32_t* const place = key == "line"        ? &found.line
                            : key == "col"       ? &found.column
                            : key == "endLine"   ? &found.end_line
                            : key == "endColumn" ? &found.end_column
                                                 : nullptr;
    if (place == nullptr) return true;
    const std::optional<uint32_t> number = PlaceNumber(value);
    if (!number.has_value()) return false;
    *place = *number;
  }
  return true;
}

}  // namespace

bool IsAnnotation(std::string_view line) { return ParseAnnotation(line).has_value(); }

absl::Status ReadAnnotations(std::string_view content, const ImportOptions&, FindingCollector& collector) {
  for (const std::string_view line : LinesOf(content)) {
    if (TrimBlanks(line).empty()) continue;
    const std::optional<Annotation> annotation = ParseAnnotation(line);
    if (!annotation.has_value()) {
      collector.LeaveOut("the line is no annotation", line);
      continue;
    }
    ToolFinding found;
    found.tool = "annotation";
    found.level = LevelOfWord(annotation->level);
    found.word = annotation->level;
    found.message = Unescaped(annotation->message);
    bool readable = true;
    for (const absl::string_view property : absl::StrSplit(Abs(annotation->properties), ',')) {
      const std::pair<absl::string_view, absl::string_view> pair = absl::StrSplit(property, absl::MaxSplits('=', 1));
      const absl::string_view key = absl::StripAsciiWhitespace(pair.first);
      readable =
          SetProperty({key.data(), key.size()}, Unescaped({pair.second.data(), pair.second.size()}), found) && readable;
    }
    if (readable) {
      collector.Add(std::move(found));
    } else {
      collector.LeaveOut(kBadPlace, line);
    }
  }
  return absl::OkStatus();
}

}  // namespace yardmaster
