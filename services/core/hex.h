// Bytes and numbers as lower-case hexadecimal digits, the form in which digests and ids are stored and shown.
#ifndef YARDMASTER_SERVICES_CORE_HEX_H_
#define YARDMASTER_SERVICES_CORE_HEX_H_

#include <cstdint>
#include <span>
#include <string>

namespace yardmaster {

// Two digits a byte.
std::string Hex(std::span<const unsigned char> bytes);

// Sixteen digits, the highest first.
std::string Hex(uint64_t value);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_CORE_HEX_H_
