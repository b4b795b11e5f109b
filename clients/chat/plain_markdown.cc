#include "clients/chat/plain_markdown.h"

#include <algorithm>
#include <cstddef>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "services/core/absl_view.h"
#include "services/core/lines.h"

namespace yardmaster::chat {
namespace {

constexpr std::string_view kDetails = "<details>";
constexpr std::string_view kDetailsEnd = "</details>";
constexpr std::string_view kSummary = "<summary>";
constexpr std::string_view kSummaryEnd = "</summary>";
constexpr std::string_view kBetweenCells = " · ";
constexpr std::string_view kEmptyCell = "–";

// The cells of "| a | b\|c |", without their escapes; none for another line.
std::vector<std::string> CellsOf(std::string_view line) {
  line = TrimBlanks(line);
  std::vector<std::string> cells;
  if (line.size() < 2 || line.front() != '|' || line.back() != '|') return cells;
  std::string cell;
  for (size_t i = 1; i < line.size(); ++i) {
    if (line[i] == '|') {
      cells.emplace_back(TrimBlanks(cell));
      cell.clear();
      continue;
    }
    if (line[i] == '\\' && i + 1 < line.size() && line[i + 1] == '|') ++i;
    cell += line[i];
  }
  return cells;
}

// "|---|:--:|": what stands between the names of a table's columns and its rows.
bool IsTableRule(std::string_view line) {
  const std::vector<std::string> cells = CellsOf(line);
  for (const std::string& cell : cells) {
    if (cell.find('-') == std::string::npos || cell.find_first_not_of("-:") != std::string::npos) return false;
  }
  return !cells.empty();
}

bool IsWordCharacter(std::string_view line, size_t i) {
  return i < line.size() && absl::ascii_isalnum(static_cast<unsigned char>(line[i]));
}

// Whether the character at `i`, which a backslash stands before, is only itself without it, too: no markup, list,
// heading, link or ":emoji:" begins or ends there. `out`: what stands before it.
bool IsPlainUnescaped(std::string_view line, size_t i, std::string_view out) {
  constexpr std::string_view kHarmless = "-./#+=,!$^'\"|&@){}";
  if (TrimBlanks(out).empty()) return line[i] == '/';
  if (line[i] == '(') return out.back() != ']';
  if (line[i] == '_') return IsWordCharacter(line, i + 1) && IsWordCharacter(out, out.size() - 1);
  if (line[i] == ':') return !IsWordCharacter(line, i + 1);
  return kHarmless.find(line[i]) != std::string_view::npos;
}

// A line without the backslashes that only Markdown's own readers hide. Code stays as it is.
std::string Unescaped(std::string_view line) {
  std::string out;
  out.reserve(line.size());
  for (size_t i = 0; i < line.size(); ++i) {
    if (line[i] == '`') {
      const size_t ticks = std::min(line.find_first_not_of('`', i), line.size()) - i;
      const size_t end = line.find(line.substr(i, ticks), i + ticks);
      const size_t size = end == std::string_view::npos ? ticks : end + ticks - i;
      out += line.substr(i, size);
      i += size - 1;
      continue;
    }
    if (line[i] == '\\' && i + 1 < line.size()) {
      ++i;
      if (!IsPlainUnescaped(line, i, out)) out += '\\';
    }
    out += line[i];
  }
  return out;
}

std::string InOneLine(const std::vector<std::string>& cells) {
  std::string out;
  for (const std::string& cell : cells) {
    absl::StrAppend(&out, out.empty() ? "" : Abs(kBetweenCells), cell.empty() ? Abs(kEmptyCell) : Abs(cell));
  }
  return out;
}

// The title of what is folded; empty: the line begins nothing folded.
std::string_view FoldedTitle(std::string_view line) {
  line = TrimBlanks(line);
  if (!line.starts_with(kDetails)) return {};
  line = TrimBlanks(line.substr(kDetails.size()));
  if (!line.starts_with(kSummary) || !line.ends_with(kSummaryEnd)) return {};
  return TrimBlanks(line.substr(kSummary.size(), line.size() - kSummary.size() - kSummaryEnd.size()));
}

}  // namespace

std::string PlainMarkdown(std::string_view markdown, bool is_markdown) {
  const std::vector<std::string_view> lines = LinesOf(markdown);
  std::string out;
  out.reserve(markdown.size());
  bool in_code = false;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string_view line = lines[i];
    const bool fence = TrimBlanks(line).starts_with("```");
    if (fence) in_code = !in_code;
    const bool as_it_is = fence || in_code;
    const bool table = !as_it_is && !is_markdown && i + 1 < lines.size() && IsTableRule(lines[i + 1]);
    const std::vector<std::string> names = table ? CellsOf(line) : std::vector<std::string>();
    if (!names.empty()) {
      absl::StrAppend(&out, "**", Unescaped(InOneLine(names)), "**\n");
      for (i += 2; i < lines.size(); ++i) {
        const std::vector<std::string> cells = CellsOf(lines[i]);
        if (cells.empty()) break;
        absl::StrAppend(&out, "- ", Unescaped(InOneLine(cells)), "\n");
      }
      --i;
    } else if (const std::string_view title = as_it_is ? std::string_view() : FoldedTitle(line); !title.empty()) {
      absl::StrAppend(&out, "**", Abs(title), "**\n");
    } else if (as_it_is || TrimBlanks(line) != kDetailsEnd) {
      absl::StrAppend(&out, as_it_is || is_markdown ? std::string(line) : Unescaped(line), "\n");
    }
  }
  // The last line ends as it did.
  if (!markdown.ends_with('\n') && out.ends_with('\n')) out.pop_back();
  return out;
}

}  // namespace yardmaster::chat
