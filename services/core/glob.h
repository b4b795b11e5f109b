// Wildcards: `*` and `?` over names, and globs over paths.
#ifndef YARDMASTER_SERVICES_CORE_GLOB_H_
#define YARDMASTER_SERVICES_CORE_GLOB_H_

#include <string_view>

namespace yardmaster {

// `*` is any text, `?` one byte; over the whole text.
bool MatchesLike(std::string_view pattern, std::string_view text);

// Over a whole path: `**/` any folders or none, `**` anything, `*` and `?` not beyond a "/".
bool MatchesPath(std::string_view pattern, std::string_view path);

// The same, but a pattern without "/" is about the name alone, in whatever folder it is.
bool MatchesGlob(std::string_view pattern, std::string_view path);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_GLOB_H_
