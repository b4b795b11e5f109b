// Texts of a suite: placeholders, patterns, paths, names of variables.
#ifndef YARDMASTER_RULES_ENGINE_SUITES_CHECK_TEXTS_H_
#define YARDMASTER_RULES_ENGINE_SUITES_CHECK_TEXTS_H_

#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/suites/suite_places.h"
#include "rules/suites/suite_model.h"

namespace yardmaster::rules {

// The placeholders that are known in some text.
struct KnownPlaceholders {
  bool of_steps = false;          // kStepPlaceholders, too
  std::vector<std::string> axes;  // "${matrix.AXIS}" for these
};

// Each placeholder of `text` is known and closed.
void CheckPlaceholders(std::string_view text, const KnownPlaceholders& known, const Place& place);

// Whether `text` holds "${NAME}", not escaped.
bool HasPlaceholder(std::string_view text, std::string_view name);

// An RE2 pattern that has all of `groups` (names). Patterns that match every line are refused.
void CheckPattern(const std::string& pattern, const std::vector<std::string_view>& groups, bool case_sensitive,
                  const Place& place);

// A path below the folder that it is relative to. Not checked further: what a placeholder stands for.
void CheckRelativePath(std::string_view path, const Place& place);

// Names of variables, and their values' placeholders. The worker sets those that a launcher or a lease decides, so
// nobody else may: a step that sets CUDA_VISIBLE_DEVICES would run on devices that are somebody else's.
void CheckVariables(const Variables& variables, const KnownPlaceholders& known, bool ranks, const Place& place);

// Names of variables in a list. Those that are `passed` on must not look like secrets.
void CheckVariableNames(const std::vector<std::string>& names, bool passed, const Place& place);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_SUITES_CHECK_TEXTS_H_
