#include "rules/engine/checks/rule_names.h"

#include "absl/strings/match.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {

bool IsNamed(const CheckInfo& check, std::string_view name) {
  return absl::EqualsIgnoreCase(check.id, Abs(name)) || absl::EqualsIgnoreCase(check.rule, Abs(name));
}

}  // namespace yardmaster::rules
