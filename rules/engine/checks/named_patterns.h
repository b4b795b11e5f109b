// Patterns that a pack names once and uses in others: "(?&name)", as Perl writes it.
#ifndef YARDMASTER_RULES_ENGINE_CHECKS_NAMED_PATTERNS_H_
#define YARDMASTER_RULES_ENGINE_CHECKS_NAMED_PATTERNS_H_

#include <map>
#include <string>
#include <string_view>

namespace yardmaster::rules {

// By name.
using NamedPatterns = std::map<std::string, std::string, std::less<>>;

// An expanded pattern has at most so many bytes.
inline constexpr size_t kMaxPatternBytes = 16 * 1024;

// `pattern` with each "(?&name)" replaced by the pattern of that name as a group that does not count, and so on inside
// of these. With `error` set: a name is unknown or leads back to itself, or it all becomes too long.
std::string ExpandPattern(std::string_view pattern, const NamedPatterns& named, std::string& error);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_CHECKS_NAMED_PATTERNS_H_
