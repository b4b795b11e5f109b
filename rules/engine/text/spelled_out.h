// Patterns that match a few texts only, such as "\b(?:hangs?|stuck)\b": spelled out, they are found in the pass that
// finds all literals, and nothing needs to be searched for by itself.
#ifndef YARDMASTER_RULES_ENGINE_TEXT_SPELLED_OUT_H_
#define YARDMASTER_RULES_ENGINE_TEXT_SPELLED_OUT_H_

#include <string_view>
#include <vector>

#include "rules/engine/text/literal_scanner.h"

namespace yardmaster::rules {

// More texts than this are left to RE2.
inline constexpr size_t kMaxSpelledOut = 64;

// One of the texts that a pattern matches.
struct SpelledText {
  Literal literal;
  bool goes_on = false;  // the word bytes behind the literal belong to the match
};

// All texts that `pattern` (RE2 syntax, refused ones too) matches, in the order in which they win where several match
// at the same place. Nothing where they are too many, have no end ("\w*" but at the end, "+", "."), are shorter than
// two bytes or depend on more than word boundaries ("^"), and where the case of other letters than ASCII's would
// matter.
std::vector<SpelledText> SpelledOut(std::string_view pattern);

// The shortest beginning by which it is worth to look for a pattern. A boundary of a word counts as a byte, and a digit
// as two: both are rare.
inline constexpr size_t kShortestBeginning = 3;

// Literals with one of which each text begins that `pattern` matches: it needs to be tried where one stands, and
// nowhere else. Nothing where they are too many, too short or not known.
std::vector<Literal> BeginningsOf(std::string_view pattern);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_TEXT_SPELLED_OUT_H_
