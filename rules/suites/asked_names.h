// By which words people ask for a suite in comments: its id, the names of its "commands", and its kind.
#ifndef YARDMASTER_RULES_SUITES_ASKED_NAMES_H_
#define YARDMASTER_RULES_SUITES_ASKED_NAMES_H_

#include <optional>
#include <string_view>

#include "rules/suites/suite_model.h"

namespace yardmaster::rules {

// What is run of a suite that was asked for by one of its names: all of it where nothing is said.
struct NamedPart {
  std::vector<std::string> layers;
  Variables variables;
};

// Whether `word` means the suite as a whole: "pack/id" or "id", whatever the case, "_" for "-".
bool IsSuiteId(const SuiteModel& suite, std::string_view word);
// What `word` means of the suite by one of its names; nullopt: nothing.
std::optional<NamedPart> PartByName(const SuiteModel& suite, std::string_view word);
// "ut", "st" or empty.
std::string_view KindOfSuite(const SuiteModel& suite);
// Whether it runs where no suite is named.
bool IsUsual(const SuiteModel& suite);

// The place in a name, which stands for letters, digits and "_".
inline constexpr std::string_view kWordPlace = "{word}";

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_SUITES_ASKED_NAMES_H_
