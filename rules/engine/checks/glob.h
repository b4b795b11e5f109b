// Wildcards: `*` and `?` over names, and globs over paths.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_GLOB_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_GLOB_H_

#include <string_view>

namespace yardmaster::rules {

// `*` is any text, `?` one byte; over the whole text.
bool MatchesLike(std::string_view pattern, std::string_view text);

// Over a path: `**/` any folders or none, `**` anything, `*` and `?` not beyond a "/". A pattern without "/" is
// about the name alone.
bool MatchesGlob(std::string_view pattern, std::string_view path);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_GLOB_H_
