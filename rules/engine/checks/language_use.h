// Which functions of the checks' language a check uses: kinds, fields, scopes, keys of conditions, matchers and values,
// and filters. Each is C++, so a rule that needs one of its own is a rule that data alone could not say.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_LANGUAGE_USE_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_LANGUAGE_USE_H_

#include <cstddef>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace yardmaster::rules {

class CheckSet;

// "matcher" and "like", "function" and "branches" (a table and its field), …; constants.
using LanguageFunction = std::pair<std::string_view, std::string_view>;

struct LanguageUse {
  void Add(const LanguageUse& other) {
    functions.insert(other.functions.begin(), other.functions.end());
    definitions.insert(other.definitions.begin(), other.definitions.end());
  }

  std::set<LanguageFunction> functions;
  std::set<size_t> definitions;  // that are named; what these use is not among `functions`
};

// Ids of the checks that use a function, by themselves or by definitions, that no other rule uses: neither of the set
// nor of `others`, those of other packs. What two packs have a use for is general. Of sets that were loaded with
// everything.
std::vector<std::string> ChecksWithOwnFunctions(const CheckSet& checks,
                                                const std::vector<std::shared_ptr<const CheckSet>>& others = {});

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_LANGUAGE_USE_H_
