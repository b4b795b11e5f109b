// How people name rules: options, lists of what is ignored, questions.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_RULE_NAMES_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_RULE_NAMES_H_

#include <string_view>

#include "rules/engine/checks/check_set.h"

namespace yardmaster::rules {

// Whether the check is meant by `name`: its id, or that of its rule, which means all parts; in any letter case.
bool IsNamed(const CheckInfo& check, std::string_view name);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_RULE_NAMES_H_
