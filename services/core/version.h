// The version of the programs.
#ifndef YARDMASTER_SERVICES_CORE_VERSION_H_
#define YARDMASTER_SERVICES_CORE_VERSION_H_

#include <string_view>

namespace yardmaster {

inline constexpr std::string_view kVersion = "0.1.0";

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_VERSION_H_
