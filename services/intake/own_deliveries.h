// What deliveries carry besides a forge's own words.
#ifndef YARDMASTER_SERVICES_INTAKE_OWN_DELIVERIES_H_
#define YARDMASTER_SERVICES_INTAKE_OWN_DELIVERIES_H_

#include <string_view>

#include "services/core/store/inbox.h"

namespace yardmaster {

// Events of this prefix are our own: from outside they are refused, whoever signs.
inline constexpr std::string_view kOwnEventPrefix = "yardmaster.";
inline constexpr std::string_view kRequestEvent = "yardmaster.request";

// The header under which a delivery keeps the repository that the scope of its secret was checked for.
inline constexpr std::string_view kRepositoryHeader = "repository";

inline std::string_view RepositoryOnReceipt(const store::Headers& headers) {
  for (const auto& [name, value] : headers) {
    if (name == kRepositoryHeader) return value;
  }
  return {};
}

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_OWN_DELIVERIES_H_
