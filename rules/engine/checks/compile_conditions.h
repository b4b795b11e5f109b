// The conditions of a check one by one, to say which of them a row fails.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_COMPILE_CONDITIONS_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_COMPILE_CONDITIONS_H_

#include <vector>

#include "rules/engine/checks/compile_rule.h"

namespace yardmaster::rules {

// Those of "where", each key by itself, and "exempt" as one that must not hold. For checks that compile: what does not
// is left out. `scope` has the named values too.
std::vector<RuleCondition> CompileConditions(const CheckSet::Impl& set, const RuleSource& source,
                                             const NameScope& scope);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_COMPILE_CONDITIONS_H_
