#include "rules/engine/checks/line_diff.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_set>

#include "services/core/lines.h"

namespace yardmaster::rules {
namespace {

// Pairs of lines that the exact comparison may look at: 16 MiB of memory.
constexpr size_t kMaxPairs = 8 * 1024 * 1024;

}  // namespace

std::vector<bool> AddedLines(std::string_view base, std::string_view head) {
  const std::vector<std::string_view> old_lines = LinesOf(base);
  const std::vector<std::string_view> new_lines = LinesOf(head);
  std::vector<bool> added(new_lines.size() + 1, false);
  // What both begin and end with is not new.
  size_t begin = 0;
  while (begin < old_lines.size() && begin < new_lines.size() && old_lines[begin] == new_lines[begin]) ++begin;
  size_t old_end = old_lines.size();
  size_t new_end = new_lines.size();
  while (old_end > begin && new_end > begin && old_lines[old_end - 1] == new_lines[new_end - 1]) {
    --old_end;
    --new_end;
  }
  const size_t rows = old_end - begin;
  const size_t columns = new_end - begin;
  if (rows == 0 || columns == 0 || rows > UINT16_MAX || columns > UINT16_MAX || rows * columns > kMaxPairs) {
    const std::unordered_set<std::string_view> known(old_lines.begin() + static_cast<std::ptrdiff_t>(begin),
                                                     old_lines.begin() + static_cast<std::ptrdiff_t>(old_end));
    for (size_t i = begin; i < new_end; ++i) added[i + 1] = known.count(new_lines[i]) == 0;
    return added;
  }
  // length[i][j]: of the longest common subsequence of what follows.
  std::vector<uint16_t> length((rows + 1) * (columns + 1), 0);
  const auto at = [&](size_t i, size_t j) -> uint16_t& { return length[i * (columns + 1) + j]; };
  for (size_t i = rows; i-- > 0;) {
    for (size_t j = columns; j-- > 0;) {
      at(i, j) = old_lines[begin + i] == new_lines[begin + j] ? static_cast<uint16_t>(at(i + 1, j + 1) + 1)
                                                              : std::max(at(i + 1, j), at(i, j + 1));
    }
  }
  size_t i = 0;
  for (size_t j = 0; j < columns;) {
    if (i < rows && old_lines[begin + i] == new_lines[begin + j]) {
      ++i;
      ++j;
    } else if (i < rows && at(i + 1, j) >= at(i, j + 1)) {
      ++i;
    } else {
      added[begin + j + 1] = true;
      ++j;
    }
  }
  return added;
}

}  // namespace yardmaster::rules
