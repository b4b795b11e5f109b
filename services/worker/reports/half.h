// Floats of two bytes (IEEE 754 binary16), in plain arithmetic: not every processor can convert them.
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_HALF_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_HALF_H_

#include <bit>
#include <cstdint>

namespace yardmaster::worker {

inline float HalfToFloat(uint16_t half) {
  const uint32_t sign = static_cast<uint32_t>(half & 0x8000U) << 16U;
  const uint32_t magnitude = static_cast<uint32_t>(half & 0x7fffU) << 13U;
  // The exponents' biases differ by 112; multiplying also makes subnormal numbers normal, exactly.
  uint32_t bits = std::bit_cast<uint32_t>(std::bit_cast<float>(magnitude) * 0x1p112F);
  // Infinity and NaN have all bits of the exponent set in both.
  if ((half & 0x7c00U) == 0x7c00U) bits = magnitude | 0x7f800000U;
  return std::bit_cast<float>(bits | sign);
}

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_HALF_H_
