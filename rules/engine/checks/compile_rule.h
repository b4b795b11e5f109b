// What a check asks for and says: conditions, named values, texts.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_COMPILE_RULE_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_COMPILE_RULE_H_

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "rules/engine/checks/compiled_checks.h"
#include "rules/engine/checks/compiler.h"
#include "services/core/json_document.h"
#include "services/core/json_reader.h"
#include "services/core/problem.h"

namespace yardmaster::rules {

// Keys of a check under one profile.
using RuleKeys = std::map<std::string, JsonPlace, std::less<>>;
// Null if the check does not have it.
const JsonPlace* FindKey(const RuleKeys& keys, std::string_view key);

// All that compiling takes. The document must be there when it happens.
struct RuleSource {
  const JsonDocument* document = nullptr;
  RuleKeys keys;
  NameScope scope;         // the row of the check
  bool explained = false;  // RuleBody::conditions are wanted
};

// Null after a problem. `set` holds everything that checks can name.
std::unique_ptr<const RuleBody> CompileRuleBody(const CheckSet::Impl& set, const RuleSource& source,
                                                Problems& problems);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_COMPILE_RULE_H_
