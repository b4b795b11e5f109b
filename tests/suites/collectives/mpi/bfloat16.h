// The upper half of a float: 8 bits of precision, the float's range. MPI does not know it; reductions are a user's own.
#ifndef COLLECTIVES_MPI_BFLOAT16_H_
#define COLLECTIVES_MPI_BFLOAT16_H_

#include <bit>
#include <cstdint>

struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  // Rounds to nearest, ties to even; a NaN stays one.
  explicit BFloat16(float value) {
    const auto wide = std::bit_cast<uint32_t>(value);
    if ((wide & 0x7fffffffu) > 0x7f800000u) {
      bits = static_cast<uint16_t>((wide >> 16) | 0x40u);
    } else {
      bits = static_cast<uint16_t>((wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16);
    }
  }
  explicit operator float() const { return std::bit_cast<float>(uint32_t{bits} << 16); }
  explicit operator double() const { return static_cast<float>(*this); }

  friend bool operator==(BFloat16 left, BFloat16 right) {
    return static_cast<float>(left) == static_cast<float>(right);
  }
};

#endif  // COLLECTIVES_MPI_BFLOAT16_H_
