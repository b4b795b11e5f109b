// How a text gets to Abseil's functions: std::string_view is not absl::string_view in every build of Abseil.
#ifndef YARDMASTER_SERVICES_CORE_ABSL_VIEW_H_
#define YARDMASTER_SERVICES_CORE_ABSL_VIEW_H_

#include <string_view>

#include "absl/strings/string_view.h"

namespace yardmaster {

inline absl::string_view Abs(std::string_view text) { return absl::string_view(text.data(), text.size()); }

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_ABSL_VIEW_H_
