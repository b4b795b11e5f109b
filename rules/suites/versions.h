// Versions as tools and modules print them, and conditions on them as manifests have them.
#ifndef YARDMASTER_RULES_SUITES_VERSIONS_H_
#define YARDMASTER_RULES_SUITES_VERSIONS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace yardmaster::rules {

// The numbers of a version: "12.4.1" is {12, 4, 1}, "v2.1.0+cu121" is {2, 1, 0}. What follows them ("rc1", "+cu121")
// does not count. Nothing if it does not begin with a number.
std::optional<std::vector<uint32_t>> ParseVersion(std::string_view text);

// Below, at or above zero, as `a` is older than, the same as or newer than `b`. Missing numbers are zero: "9" is "9.0".
int CompareVersions(std::vector<uint32_t> a, std::vector<uint32_t> b);

// Whether `text` is a condition: ">=12.0", or several that must all hold: ">=1.13, <3, !=2.0.1". The operators are
// >=, <=, ==, !=, > and <.
bool IsVersionCondition(std::string_view text);

// Whether `version` meets `condition`. Missing numbers are zero: "12" is "12.0". An empty condition is met by anything,
// any other by no text that is not a version, and a malformed one by nothing.
bool VersionMeets(std::string_view version, std::string_view condition);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_SUITES_VERSIONS_H_
