// Where a failure stands that a log tells by the name of a function alone: what the pull request changes shows it.
#ifndef YARDMASTER_RULES_ENGINE_PIPELINE_PATCH_PLACES_H_
#define YARDMASTER_RULES_ENGINE_PIPELINE_PATCH_PLACES_H_

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "rules/engine/pipeline/console_log.h"

namespace yardmaster::rules {

// The line at the head, from 1, at which a patch shows the definition of a function: `def NAME(` of Python, or
// `TEST…(…, NAME)` of C++. nullopt: it shows none. `patch`: hunks in unified format.
std::optional<uint32_t> DefinitionLine(std::string_view patch, std::string_view function);

// Sets file and line of a failure that has a function, if exactly one of the patches (by path) shows its definition.
void FindInPatches(const std::map<std::string, std::string, std::less<>>& patches, LogFailure& failure);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_PIPELINE_PATCH_PLACES_H_
