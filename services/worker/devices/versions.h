// Versions as programs and devices say them, and conditions on them: ">=8.0", "!=9.0".
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_VERSIONS_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_VERSIONS_H_

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

namespace yardmaster::worker {

// The numbers at the begin of a version: "12.4.131~rc1" is 12, 4, 131. Empty if it begins with none.
std::vector<uint64_t> VersionNumbers(std::string_view version);

// Less than, equal to or greater than 0, as the first version is older, the same or newer; "9" and "9.0" are the same.
int CompareVersions(std::string_view a, std::string_view b);

// Whether a version meets a condition (>=, <=, >, <, ==, =, !=; without a sign: equal). Nothing: one of both is none.
std::optional<bool> VersionMeets(std::string_view version, std::string_view condition);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_VERSIONS_H_
