#include "rules/engine/checks/language_use.h"

#include <map>

#include "absl/algorithm/container.h"
#include "rules/engine/checks/compiled_checks.h"

namespace yardmaster::rules {
namespace {

// What a check uses under any profile, that of its definitions included.
std::set<LanguageFunction> FunctionsOf(const CheckSet::Impl& checks, const CompiledCheck& check) {
  LanguageUse use;
  for (const auto& rule : check.rules) {
    use.Add(rule->use);
    if (rule->body != nullptr) use.Add(rule->body->use);
  }
  std::vector<size_t> open(use.definitions.begin(), use.definitions.end());
  while (!open.empty()) {
    const LanguageUse& inner = checks.definitions[open.back()].use;
    open.pop_back();
    use.functions.insert(inner.functions.begin(), inner.functions.end());
    for (const size_t definition : inner.definitions) {
      if (use.definitions.insert(definition).second) open.push_back(definition);
    }
  }
  return std::move(use.functions);
}

// Rules by the functions they use; a rule is its pack and its name, since packs that extend another have its rules too.
using RulesWith = std::map<LanguageFunction, std::set<std::pair<std::string_view, std::string_view>>>;

void AddRules(const CheckSet& checks, RulesWith& rules_with) {
  for (const CompiledCheck& check : checks.impl().checks) {
    for (const LanguageFunction& function : FunctionsOf(checks.impl(), check)) {
      rules_with[function].emplace(check.info.pack, check.info.rule);
    }
  }
}

}  // namespace

std::vector<std::string> ChecksWithOwnFunctions(const CheckSet& checks,
                                                const std::vector<std::shared_ptr<const CheckSet>>& others) {
  RulesWith rules_with;
  AddRules(checks, rules_with);
  for (const auto& other : others) AddRules(*other, rules_with);
  std::vector<std::string> ids;
  for (const CompiledCheck& check : checks.impl().checks) {
    const bool own = absl::c_any_of(FunctionsOf(checks.impl(), check), [&](const LanguageFunction& function) {
      return rules_with.at(function).size() == 1;
    });
    if (own) ids.push_back(check.info.id);
  }
  return ids;
}

}  // namespace yardmaster::rules
