// The patterns that another is the alternation of: each can be looked for in the way that suits it.
#ifndef YARDMASTER_RULES_ENGINE_TEXT_ALTERNATIVES_H_
#define YARDMASTER_RULES_ENGINE_TEXT_ALTERNATIVES_H_

#include <string>
#include <string_view>
#include <vector>

namespace yardmaster::rules {

// The patterns of which `pattern` is the alternation, in the order in which they win: of "(?i)\b(?:a|b.c)\b",
// "(?i)\b(?:a)\b" and "(?i)\b(?:b.c)\b". Only itself where it is none, and where its syntax is not plain.
std::vector<std::string> AlternativesOf(std::string_view pattern);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_TEXT_ALTERNATIVES_H_
