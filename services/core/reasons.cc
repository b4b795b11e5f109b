#include "services/core/reasons.h"

namespace yardmaster::reasons {
namespace {

constexpr size_t kMaxDetailBytes = 300;

}  // namespace

std::string WithDetail(std::string_view code, std::string_view detail) {
  std::string out(code);
  if (detail.empty()) return out;
  out += ": ";
  size_t size = detail.size();
  if (size > kMaxDetailBytes) {
    size = kMaxDetailBytes;
    // Not in the middle of a character.
    while (size > 0 && (static_cast<unsigned char>(detail[size]) & 0xc0) == 0x80) --size;
  }
  for (const char c : detail.substr(0, size)) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? '?' : c;
  }
  if (size < detail.size()) out += "…";
  return out;
}

std::string_view CodeOf(std::string_view reason) { return reason.substr(0, reason.find(':')); }

}  // namespace yardmaster::reasons
