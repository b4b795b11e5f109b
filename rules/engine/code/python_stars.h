// Stars of Python that its grammar does not know. Pure.
#ifndef YARDMASTER_RULES_ENGINE_CODE_PYTHON_STARS_H_
#define YARDMASTER_RULES_ENGINE_CODE_PYTHON_STARS_H_

#include <optional>
#include <string>
#include <string_view>

namespace yardmaster::rules {

// The same text, byte for byte as long, without the stars that the grammar refuses: outside of brackets it knows those
// of names, attributes and calls, but not `a = b, *[c]`, `return *(a), b` or `for x in *{a}, b:`. What stood behind
// such a star is an element of its own then. nullopt if there is none.
std::optional<std::string> StarsForGrammar(std::string_view python);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CODE_PYTHON_STARS_H_
