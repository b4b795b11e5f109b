#include "services/core/hex.h"

#include <cstddef>

namespace yardmaster {
namespace {

constexpr char kDigits[] = "0123456789abcdef";

}  // namespace

std::string Hex(std::span<const unsigned char> bytes) {
  std::string out;
  out.reserve(2 * bytes.size());
  for (const unsigned char byte : bytes) {
    out += kDigits[byte >> 4];
    out += kDigits[byte & 15];
  }
  return out;
}

std::string Hex(uint64_t value) {
  std::string out(16, '0');
  for (size_t i = out.size(); i-- > 0; value >>= 4) out[i] = kDigits[value & 15];
  return out;
}

}  // namespace yardmaster
