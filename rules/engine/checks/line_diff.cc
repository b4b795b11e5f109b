#include "rules/engine/checks/line_diff.h"

#include <algorithm>
#include <cstddef>
#include <unordered_map>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/container/flat_hash_map.h"
#include "services/core/absl_view.h"
#include "services/core/lines.h"

namespace yardmaster::rules {
namespace {

// Pairs of lines that the exact comparison may look at: 2 MiB of memory.
constexpr size_t kMaxPairs = 1024 * 1024;

// Lines as numbers: equal lines have equal ones.
std::vector<uint32_t> Numbered(std::string_view text, absl::flat_hash_map<absl::string_view, uint32_t>& numbers) {
  const std::vector<std::string_view> lines = LinesOf(text);
  std::vector<uint32_t> out;
  out.reserve(lines.size());
  numbers.reserve(numbers.size() + lines.size());
  for (const std::string_view line : lines) {
    out.push_back(numbers.try_emplace(Abs(line), static_cast<uint32_t>(numbers.size())).first->second);
  }
  return out;
}

class LineMatcher {
 public:
  LineMatcher(std::vector<uint32_t> base, std::vector<uint32_t> head) : base_(std::move(base)), head_(std::move(head)) {
    match_.base_of.resize(head_.size() + 1);
    match_.head_of.resize(base_.size() + 1);
  }

  LineMatch Run() {
    std::vector<Piece> open = {{0, base_.size(), 0, head_.size()}};
    while (!open.empty()) {
      const Piece piece = Trimmed(open.back());
      open.pop_back();
      const size_t rows = piece.base_end - piece.base;
      const size_t columns = piece.head_end - piece.head;
      if (rows == 0 || columns == 0) continue;
      if (rows <= kMaxPairs / columns && rows < UINT16_MAX && columns < UINT16_MAX) {
        Exactly(piece);
      } else if (!SplitAtUniqueLines(piece, open)) {
        InOrder(piece);
      }
    }
    return std::move(match_);
  }

 private:
  // Lines of both, half open, from 0.
  struct Piece {
    size_t base = 0;
    size_t base_end = 0;
    size_t head = 0;
    size_t head_end = 0;
  };

  void Pair(size_t base, size_t head) {
    match_.base_of[head + 1] = static_cast<uint32_t>(base + 1);
    match_.head_of[base + 1] = static_cast<uint32_t>(head + 1);
  }

  // Without what both begin and end with, which is paired.
  Piece Trimmed(Piece piece) {
    while (piece.base < piece.base_end && piece.head < piece.head_end && base_[piece.base] == head_[piece.head]) {
      Pair(piece.base++, piece.head++);
    }
    while (piece.base < piece.base_end && piece.head < piece.head_end &&
           base_[piece.base_end - 1] == head_[piece.head_end - 1]) {
      Pair(--piece.base_end, --piece.head_end);
    }
    return piece;
  }

  void Exactly(const Piece& piece) {
    const size_t rows = piece.base_end - piece.base;
    const size_t columns = piece.head_end - piece.head;
    // By pair: the length of the longest common subsequence of what follows.
    std::vector<uint16_t> length((rows + 1) * (columns + 1), 0);
    const auto at = [&](size_t i, size_t j) -> uint16_t& { return length[i * (columns + 1) + j]; };
    for (size_t i = rows; i-- > 0;) {
      for (size_t j = columns; j-- > 0;) {
        at(i, j) = base_[piece.base + i] == head_[piece.head + j] ? static_cast<uint16_t>(at(i + 1, j + 1) + 1)
                                                                  : std::max(at(i + 1, j), at(i, j + 1));
      }
    }
    for (size_t i = 0, j = 0; i < rows && j < columns;) {
      if (base_[piece.base + i] == head_[piece.head + j]) {
        Pair(piece.base + i++, piece.head + j++);
      } else if (at(i + 1, j) >= at(i, j + 1)) {
        ++i;
      } else {
        ++j;
      }
    }
  }

  // Pairs lines that both have once, as many as stand in the same order, and leaves what is between them open.
  bool SplitAtUniqueLines(const Piece& piece, std::vector<Piece>& open) {
    struct Count {
      size_t base = 0;
      size_t head = 0;
      size_t base_at = 0;
    };
    std::unordered_map<uint32_t, Count> counts;
    for (size_t i = piece.base; i < piece.base_end; ++i) {
      Count& count = counts[base_[i]];
      ++count.base;
      count.base_at = i;
    }
    for (size_t j = piece.head; j < piece.head_end; ++j) ++counts[head_[j]].head;

    // The longest rising sequence of base lines, in the order of head: `tails` holds the best end for each length.
    struct Anchor {
      size_t base;
      size_t head;
      size_t before;  // in `anchors`; SIZE_MAX: none
    };
    std::vector<Anchor> anchors;
    std::vector<size_t> tails;
    for (size_t j = piece.head; j < piece.head_end; ++j) {
      const Count& count = counts[head_[j]];
      if (count.base != 1 || count.head != 1) continue;
      const auto place = absl::c_lower_bound(tails, count.base_at,
                                             [&](size_t tail, size_t base_at) { return anchors[tail].base < base_at; });
      anchors.push_back({count.base_at, j, place == tails.begin() ? SIZE_MAX : *(place - 1)});
      if (place == tails.end()) {
        tails.push_back(anchors.size() - 1);
      } else {
        *place = anchors.size() - 1;
      }
    }
    if (tails.empty()) return false;
    Piece rest = piece;
    for (size_t at = tails.back(); at != SIZE_MAX; at = anchors[at].before) {
      const Anchor& anchor = anchors[at];
      Pair(anchor.base, anchor.head);
      open.push_back({anchor.base + 1, rest.base_end, anchor.head + 1, rest.head_end});
      rest.base_end = anchor.base;
      rest.head_end = anchor.head;
    }
    open.push_back(rest);
    return true;
  }

  // Each line with the next equal one of base: not the longest sequence, but one.
  void InOrder(const Piece& piece) {
    std::unordered_map<uint32_t, std::vector<size_t>> places;
    for (size_t i = piece.base; i < piece.base_end; ++i) places[base_[i]].push_back(i);
    size_t next = piece.base;
    for (size_t j = piece.head; j < piece.head_end; ++j) {
      const auto found = places.find(head_[j]);
      if (found == places.end()) continue;
      const auto place = absl::c_lower_bound(found->second, next);
      if (place == found->second.end()) continue;
      Pair(*place, j);
      next = *place + 1;
    }
  }

  const std::vector<uint32_t> base_;
  const std::vector<uint32_t> head_;
  LineMatch match_;
};

}  // namespace

LineMatch MatchLines(std::string_view base, std::string_view head) {
  absl::flat_hash_map<absl::string_view, uint32_t> numbers;
  std::vector<uint32_t> base_lines = Numbered(base, numbers);
  std::vector<uint32_t> head_lines = Numbered(head, numbers);
  return LineMatcher(std::move(base_lines), std::move(head_lines)).Run();
}

TouchedLines TouchedBy(const std::vector<uint32_t>& base_of, size_t lines_of_base) {
  const size_t lines_of_head = base_of.empty() ? 0 : base_of.size() - 1;
  TouchedLines touched = {std::vector<bool>(lines_of_base + 1), std::vector<bool>(lines_of_head + 1)};
  const auto touch = [](std::vector<bool>& lines, size_t first, size_t last) {
    for (size_t line = std::max<size_t>(1, first); line <= last && line < lines.size(); ++line) lines[line] = true;
  };
  // The last line that both have; before the first and behind the last line the versions are equal, too.
  size_t base = 0;
  size_t head = 0;
  for (size_t line = 1; line <= lines_of_head + 1; ++line) {
    const size_t paired = line > lines_of_head ? lines_of_base + 1 : base_of[line];
    if (paired == 0) continue;
    if (paired != base + 1 || line != head + 1) {
      touch(touched.base, base, paired);
      touch(touched.head, head, line);
    }
    base = paired;
    head = line;
  }
  return touched;
}

}  // namespace yardmaster::rules
