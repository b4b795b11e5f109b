#include "services/core/messages/plan_names.h"

namespace yardmaster {

std::string_view ConfidenceName(v1::Confidence confidence) {
  switch (confidence) {
    case v1::CONFIDENCE_HIGH:
      return "HIGH";
    case v1::CONFIDENCE_MEDIUM:
      return "MEDIUM";
    case v1::CONFIDENCE_LOW:
      return "LOW";
    default:
      return "";
  }
}

std::string_view ModeName(v1::Mode mode) { return mode == v1::MODE_APPLY ? "apply" : "dry-run"; }

}  // namespace yardmaster
