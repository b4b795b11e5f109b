#include "services/review/edits.h"

#include <cstdint>
#include <optional>

#include "absl/algorithm/container.h"
#include "services/core/readable.h"
#include "services/core/utf8.h"

namespace yardmaster {
namespace {

struct Replacement {
  size_t begin = 0;
  size_t end = 0;
  const std::string* text = nullptr;
};

// Offsets of the first byte of every line.
std::vector<size_t> LineStarts(std::string_view text) {
  std::vector<size_t> starts = {0};
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') starts.push_back(i + 1);
  }
  return starts;
}

// The byte at a line and a column in code points, both from 1; nullopt outside of the text.
std::optional<size_t> OffsetAt(std::string_view text, const std::vector<size_t>& starts, uint32_t line,
                               uint32_t column) {
  if (line == 0 || column == 0 || line > starts.size()) return std::nullopt;
  const std::string_view rest = text.substr(starts[line - 1]);
  const std::string_view whole = rest.substr(0, rest.find('\n'));
  if (column - 1 > CodePoints(whole)) return std::nullopt;
  return starts[line - 1] + FirstCodePoints(whole, column - 1).size();
}

}  // namespace

EditedText ApplyEdits(std::string_view text, const std::vector<const rules::Finding*>& findings) {
  EditedText result;
  const std::vector<size_t> starts = LineStarts(text);
  std::vector<Replacement> all;
  const auto overlaps = [](const Replacement& a, const Replacement& b) {
    return a.begin < b.end && b.begin < a.end ? true : a.begin == b.begin;
  };
  for (const rules::Finding* finding : findings) {
    if (finding->edits.empty()) continue;
    std::vector<Replacement> own;
    bool fits = true;
    for (const rules::FindingEdit& edit : finding->edits) {
      const std::optional<size_t> begin = OffsetAt(text, starts, edit.line, edit.column);
      const std::optional<size_t> end = OffsetAt(text, starts, edit.end_line, edit.end_column);
      if (!begin.has_value() || !end.has_value() || *begin > *end) {
        fits = false;
        break;
      }
      const Replacement replacement{*begin, *end, &edit.text};
      const auto hits = [&](const Replacement& other) { return overlaps(replacement, other); };
      fits = fits && absl::c_none_of(all, hits) && absl::c_none_of(own, hits);
      own.push_back(replacement);
    }
    ++(fits ? result.applied : result.refused);
    if (fits) all.insert(all.end(), own.begin(), own.end());
  }
  absl::c_sort(all, [](const Replacement& a, const Replacement& b) { return a.begin < b.begin; });
  size_t at = 0;
  for (const Replacement& replacement : all) {
    result.text.append(text.substr(at, replacement.begin - at)).append(*replacement.text);
    at = replacement.end;
  }
  result.text.append(text.substr(at));
  return result;
}

}  // namespace yardmaster
