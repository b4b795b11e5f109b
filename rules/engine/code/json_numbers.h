// Numbers of JSON that its grammar does not know. Pure.
#ifndef YARDMASTER_RULES_ENGINE_CODE_JSON_NUMBERS_H_
#define YARDMASTER_RULES_ENGINE_CODE_JSON_NUMBERS_H_

#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::rules {

// The same text, byte for byte as long, in which every number is one for the grammar: `3e+38`, which JSON allows, and
// NaN, Infinity and -Infinity, which it does not but Python and other writers use. Values must be read from the
// original text. nullopt if there is nothing to replace.
std::optional<std::string> NumbersForGrammar(std::string_view json);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_JSON_NUMBERS_H_
