// Bytes and numbers as lower-case hexadecimal digits, the form in which digests and ids are stored and shown.
#ifndef YARDMASTER_RULES_ENGINE_HEX_H_
#define YARDMASTER_RULES_ENGINE_HEX_H_

#include <cstdint>
#include <span>
#include <string>

namespace yardmaster::rules {

// Two digits a byte.
std::string Hex(std::span<const unsigned char> bytes);

// Sixteen digits, the highest first.
std::string Hex(uint64_t value);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_ENGINE_HEX_H_
