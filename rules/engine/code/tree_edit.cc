#include "rules/engine/code/tree_edit.h"

#include <algorithm>

#include "services/core/lines.h"

namespace yardmaster::rules {
namespace {

// Where lines begin, from 0; one element more is where the text ends.
std::vector<uint32_t> LineStarts(std::string_view text) {
  std::vector<uint32_t> starts;
  for (const std::string_view line : LinesOf(text)) {
    starts.push_back(static_cast<uint32_t>(line.data() - text.data()));
  }
  starts.push_back(static_cast<uint32_t>(text.size()));
  return starts;
}

// Lines [begin, end) of both versions, from 0.
struct Hunk {
  size_t before = 0;
  size_t before_end = 0;
  size_t after = 0;
  size_t after_end = 0;
};

class Hunks {
 public:
  Hunks(std::string_view before, std::string_view after, const std::vector<uint32_t>& before_of)
      : before_(before), after_(after), before_of_(before_of) {}

  std::vector<Hunk> Find() {
    std::vector<Hunk> hunks;
    size_t b = 0;
    size_t a = 0;
    const auto same = [&] { return a < lines() && PairOf(a) == b + 1; };
    while (a < lines() || b + 1 < before_starts_.size()) {
      if (same() && Line(before_, before_starts_, b) == Line(after_, after_starts_, a)) {
        ++b;
        ++a;
        continue;
      }
      Hunk hunk = {b, before_starts_.size() - 1, a, lines()};
      // Paired lines that differ end differently: one of them is the last of its text.
      if (!same()) {
        while (a < lines() && PairOf(a) == 0) ++a;
        if (a < lines()) hunk.before_end = PairOf(a) - 1;
        hunk.after_end = a;
      }
      b = hunk.before_end;
      a = hunk.after_end;
      hunks.push_back(hunk);
    }
    return hunks;
  }

  TSInputEdit EditOf(const Hunk& hunk) const {
    TSInputEdit edit;
    edit.start_byte = before_starts_[hunk.before];
    edit.old_end_byte = before_starts_[hunk.before_end];
    edit.new_end_byte = edit.start_byte + after_starts_[hunk.after_end] - after_starts_[hunk.after];
    edit.start_point = {static_cast<uint32_t>(hunk.before), 0};
    edit.old_end_point = End(before_, before_starts_, hunk.before_end);
    edit.new_end_point = End(after_, after_starts_, hunk.after_end);
    edit.new_end_point.row = static_cast<uint32_t>(edit.new_end_point.row + hunk.before - hunk.after);
    return edit;
  }

 private:
  size_t lines() const { return after_starts_.size() - 1; }
  uint32_t PairOf(size_t line) const { return line + 1 < before_of_.size() ? before_of_[line + 1] : 0; }
  // With its end.
  static std::string_view Line(std::string_view text, const std::vector<uint32_t>& starts, size_t line) {
    return text.substr(starts[line], starts[line + 1] - starts[line]);
  }
  // Where line `line` begins; the end of the text is on its last line, unless that is ended.
  static TSPoint End(std::string_view text, const std::vector<uint32_t>& starts, size_t line) {
    const bool open = line > 0 && line + 1 == starts.size() && text.back() != '\n';
    if (!open) return {static_cast<uint32_t>(line), 0};
    return {static_cast<uint32_t>(line - 1), starts[line] - starts[line - 1]};
  }

  std::string_view before_;
  std::string_view after_;
  const std::vector<uint32_t>& before_of_;
  const std::vector<uint32_t> before_starts_ = LineStarts(before_);
  const std::vector<uint32_t> after_starts_ = LineStarts(after_);
};

}  // namespace

void EditTree(SyntaxTree& tree, std::string_view before, std::string_view after,
              const std::vector<uint32_t>& before_of) {
  Hunks hunks(before, after, before_of);
  std::vector<Hunk> found = hunks.Find();
  if (found.size() > kMaxTreeEdits) return tree.reset();
  // From behind: what stands before a hunk is at its old place.
  std::reverse(found.begin(), found.end());
  for (const Hunk& hunk : found) {
    const TSInputEdit edit = hunks.EditOf(hunk);
    ts_tree_edit(tree.get(), &edit);
  }
}

}  // namespace yardmaster::rules
