// Which literals a text must hold for a pattern to match it: a quick look for them tells where a search is worth its
// time.
#ifndef YARDMASTER_RULES_ENGINE_TEXT_NEEDED_LITERALS_H_
#define YARDMASTER_RULES_ENGINE_TEXT_NEEDED_LITERALS_H_

#include <re2/filtered_re2.h>

#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::rules {

// Literals that a pattern needs have this size at least; a single character is in nearly every text.
inline constexpr int kShortestNeeded = 2;

// True if all letters of `text` that have another case are ASCII's, but for a few that nobody looks for.
bool HasNoOtherCase(std::string_view text);

struct NeededLiteral {
  std::string text;
  bool fold_case = false;  // ASCII letters match in either case
};

// Each text that the pattern matches has at least one literal of every group. A group is never empty.
using NeededLiterals = std::vector<std::vector<NeededLiteral>>;

// One or two groups for `pattern`, which has one expression and is not compiled yet (it is then); none where it can do
// without any literal, or where the case of other letters than ASCII's would matter.
NeededLiterals NeededLiteralsOf(re2::FilteredRE2& pattern);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_TEXT_NEEDED_LITERALS_H_
