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

}  // namespace

std::vector<std::string> ChecksWithOwnFunctions(const CheckSet& checks) {
  std::map<std::string_view, std::set<LanguageFunction>> by_check;
  std::map<LanguageFunction, std::set<std::string_view>> rules_with;
  for (const CompiledCheck& check : checks.impl().checks) {
    const auto& functions = by_check[check.info.id] = FunctionsOf(checks.impl(), check);
    for (const LanguageFunction& function : functions) rules_with[function].insert(check.info.rule);
  }
  std::vector<std::string> ids;
  for (const CheckInfo& info : checks.checks()) {
    const bool own = absl::c_any_of(by_check[info.id],
                                    [&](const LanguageFunction& function) { return rules_with[function].size() == 1; });
    if (own) ids.push_back(info.id);
  }
  return ids;
}

}  // namespace yardmaster::rules
