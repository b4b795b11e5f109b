#include "services/core/reasons.h"

#include "services/core/utf8.h"

namespace yardmaster::reasons {
namespace {

constexpr size_t kMaxDetailBytes = 300;

}  // namespace

std::string WithDetail(std::string_view code, std::string_view detail) {
  if (detail.empty()) return std::string(code);
  return std::string(code) + ": " + Shortened(detail, kMaxDetailBytes);
}

std::string_view CodeOf(std::string_view reason) { return reason.substr(0, reason.find(':')); }

}  // namespace yardmaster::reasons
