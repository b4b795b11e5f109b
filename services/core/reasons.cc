#include "services/core/reasons.h"

#include "services/core/utf8.h"

namespace yardmaster::reasons {
namespace {

constexpr size_t kMaxDetailBytes = 300;

}  // namespace

std::string WithDetail(std::string_view word, std::string_view detail) {
  if (detail.empty()) return std::string(word);
  return std::string(word) + ": " + Shortened(detail, kMaxDetailBytes);
}

std::string_view WordOf(std::string_view reason) { return reason.substr(0, reason.find(':')); }

}  // namespace yardmaster::reasons
