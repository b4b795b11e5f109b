// The two floats of 16 bits as bits, with conversions that compilers vectorise: no branch, no table.
#ifndef KERNELS_FLOAT16_H_
#define KERNELS_FLOAT16_H_

#include <cstdint>
#include <cstring>

#if defined(__CUDACC__)
#define KERNELS_BOTH __host__ __device__
#else
#define KERNELS_BOTH
#endif

namespace kernels {

struct Float16 {
  uint16_t bits;
};
struct BFloat16 {
  uint16_t bits;
};

KERNELS_BOTH inline uint32_t BitsOf(float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  return bits;
}
KERNELS_BOTH inline float FloatOf(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

KERNELS_BOTH inline float ToFloat(float value) { return value; }

KERNELS_BOTH inline float ToFloat(BFloat16 value) { return FloatOf(static_cast<uint32_t>(value.bits) << 16); }

KERNELS_BOTH inline float ToFloat(Float16 value) {
  const uint32_t magnitude = value.bits & 0x7fffu;
  // Exponent and fraction at the float's place are too small by 2^112, subnormal ones included.
  const uint32_t scaled = BitsOf(FloatOf(magnitude << 13) * 0x1p112F);
  const uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;
  return FloatOf(scaled | special | static_cast<uint32_t>(value.bits & 0x8000u) << 16);
}

// To the nearest, ties to even; what is too large becomes infinite; a NaN stays one.
template <typename T>
KERNELS_BOTH inline T FromFloat(float value);

template <>
KERNELS_BOTH inline float FromFloat<float>(float value) {
  return value;
}

template <>
KERNELS_BOTH inline BFloat16 FromFloat<BFloat16>(float value) {
  const uint32_t bits = BitsOf(value);
  const uint32_t rounded = (bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16;
  const uint32_t quiet = (bits >> 16) | 0x40u;
  return {static_cast<uint16_t>((bits & 0x7fffffffu) > 0x7f800000u ? quiet : rounded)};
}

template <>
KERNELS_BOTH inline Float16 FromFloat<Float16>(float value) {
  const uint32_t bits = BitsOf(value);
  const uint32_t magnitude = bits & 0x7fffffffu;
  const uint32_t normal = (magnitude + 0xfffu + ((magnitude >> 13) & 1u) - 0x38000000u) >> 13;
  // The last bit of 0.5 is worth 2^-24, as is that of a subnormal: adding rounds.
  const uint32_t subnormal = BitsOf(FloatOf(magnitude) + 0.5F) - 0x3f000000u;
  uint32_t result = magnitude < 0x38800000u ? subnormal : normal;
  result = magnitude >= 0x47800000u ? 0x7c00u : result;
  result = magnitude > 0x7f800000u ? 0x7e00u : result;
  return {static_cast<uint16_t>(result | ((bits >> 16) & 0x8000u))};
}

}  // namespace kernels

#endif  // KERNELS_FLOAT16_H_
