// The words for values of a plan, wherever people or scripts read them.
#ifndef YARDMASTER_SERVICES_CORE_MESSAGES_PLAN_NAMES_H_
#define YARDMASTER_SERVICES_CORE_MESSAGES_PLAN_NAMES_H_

#include <string_view>

#include "yardmaster/v1/plan.pb.h"
#include "yardmaster/v1/types.pb.h"

namespace yardmaster {

// "HIGH", "MEDIUM", "LOW", or "" for none.
std::string_view ConfidenceName(v1::Confidence confidence);

// "dry-run" or "apply".
std::string_view ModeName(v1::Mode mode);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_MESSAGES_PLAN_NAMES_H_
