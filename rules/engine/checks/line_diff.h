// Which lines a change added.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_LINE_DIFF_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_LINE_DIFF_H_

#include <string_view>
#include <vector>

namespace yardmaster::rules {

// By line of `head` (from 1; the first element is unused): not part of a longest common subsequence with `base`. For
// very large differences a line counts as added if `base` does not have it at all.
std::vector<bool> AddedLines(std::string_view base, std::string_view head);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_LINE_DIFF_H_
