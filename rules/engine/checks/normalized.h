// Texts of code without what formatting changes.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_NORMALIZED_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_NORMALIZED_H_

#include <string>
#include <string_view>

namespace yardmaster::rules {

// Without white space, without a comma before a closing bracket, and with one kind of quotes. For comparing only.
std::string Normalized(std::string_view code);

// Whether both are the same then.
bool SameNormalized(std::string_view a, std::string_view b);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_NORMALIZED_H_
