#include "services/review/patch.h"

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>

namespace yardmaster {
namespace {

// The next line with its end, taken off the front of `text`.
std::string_view TakeLine(std::string_view& text) {
  const std::string_view line = text.substr(0, std::min(text.find('\n'), text.size() - 1) + 1);
  text.remove_prefix(line.size());
  return line;
}

std::string_view WithoutEnd(std::string_view line) {
  if (line.ends_with('\n')) line.remove_suffix(1);
  return line;
}

// Where a hunk begins after the change ("@@ -1,2 +3,4 @@ …"), from 1, and how many lines it has there.
struct HunkPlace {
  uint32_t line = 0;
  uint32_t count = 1;
};

std::optional<HunkPlace> ParseHunkHead(std::string_view head) {
  const size_t plus = head.find('+');
  if (!head.starts_with("@@") || plus == std::string_view::npos) return std::nullopt;
  HunkPlace place;
  const char* const end = head.data() + head.size();
  auto read = std::from_chars(head.data() + plus + 1, end, place.line);
  if (read.ec != std::errc()) return std::nullopt;
  if (read.ptr != end && *read.ptr == ',') read = std::from_chars(read.ptr + 1, end, place.count);
  if (read.ec != std::errc()) return std::nullopt;
  return place;
}

}  // namespace

std::optional<std::string> TextBefore(std::string_view text, std::string_view patch) {
  std::string before;
  uint32_t line = 1;  // the next one of `text`
  while (!patch.empty()) {
    const std::optional<HunkPlace> place = ParseHunkHead(WithoutEnd(TakeLine(patch)));
    if (!place.has_value()) return std::nullopt;
    // A hunk without lines after the change stands behind the line that it names.
    const uint64_t first = uint64_t{place->line} + (place->count == 0 ? 1 : 0);
    while (line < first && !text.empty()) {
      before += TakeLine(text);
      ++line;
    }
    if (line != first) return std::nullopt;
    char last = ' ';
    while (!patch.empty() && !patch.starts_with("@@")) {
      std::string_view content = WithoutEnd(TakeLine(patch));
      // Some forges cut the blank off an empty line of context.
      const char kind = content.empty() ? ' ' : content.front();
      if (!content.empty()) content.remove_prefix(1);
      if (kind == '\\') {
        // "No newline at end of file": of the line above.
        if (last == '-') before.pop_back();
      } else if (kind == '-') {
        before.append(content).append(1, '\n');
      } else if (kind == '+' || kind == ' ') {
        if (text.empty()) return std::nullopt;
        const std::string_view now = TakeLine(text);
        if (WithoutEnd(now) != content) return std::nullopt;
        ++line;
        if (kind == ' ') before += now;
      } else {
        return std::nullopt;
      }
      last = kind;
    }
  }
  return before.append(text);
}

}  // namespace yardmaster
