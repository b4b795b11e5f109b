// Rotary embedding, quantise and dequantise.
#include <algorithm>
#include <cmath>
#include <limits>

#include "cpu/cpu_kernels.h"

namespace kernels::cpu {

template <typename T>
void Rotary(Pool& pool, Pairing pairing, const T* x, const int32_t* positions, const float* cosines, const float* sines,
            int64_t tokens, int64_t heads, int64_t width, T* y) {
  const int64_t half = width / 2;
  const int64_t step = pairing == Pairing::kHalves ? 1 : 2;
  const int64_t apart = pairing == Pairing::kHalves ? half : 1;
  pool.For(tokens, RowsWorthAThread(heads * width), [&](int64_t begin, int64_t end) {
    for (int64_t token = begin; token < end; ++token) {
      const float* const cosine = cosines + positions[token] * half;
      const float* const sine = sines + positions[token] * half;
      for (int64_t head = 0; head < heads; ++head) {
        const T* const from = x + (token * heads + head) * width;
        T* const to = y + (token * heads + head) * width;
#pragma omp simd
        for (int64_t i = 0; i < half; ++i) {
          const float left = ToFloat(from[i * step]);
          const float right = ToFloat(from[i * step + apart]);
          to[i * step] = FromFloat<T>(left * cosine[i] - right * sine[i]);
          to[i * step + apart] = FromFloat<T>(right * cosine[i] + left * sine[i]);
        }
      }
    }
  });
}

template <typename T>
void Quantise(Pool& pool, const T* x, int64_t rows, int64_t columns, int64_t group, int8_t* q, float* scales) {
  const int64_t groups = (columns + group - 1) / group;
  pool.For(rows * groups, RowsWorthAThread(group), [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number) {
      const int64_t first = number % groups * group;
      const int64_t count = std::min(group, columns - first);
      const T* const values = x + number / groups * columns + first;
      int8_t* const target = q + number / groups * columns + first;
      float largest = 0;
      int finite = 1;
#pragma omp simd reduction(max : largest) reduction(& : finite)
      for (int64_t i = 0; i < count; ++i) {
        const float magnitude = std::fabs(ToFloat(values[i]));
        largest = magnitude > largest ? magnitude : largest;
        finite &= static_cast<int>(magnitude <= std::numeric_limits<float>::max());
      }
      if (finite == 0 || largest < kSmallestMagnitude) {
        scales[number] = finite == 0 ? std::numeric_limits<float>::quiet_NaN() : 0;
        std::fill(target, target + count, int8_t{0});
        continue;
      }
      const float scale = largest / 127;
      scales[number] = scale;
      const float inverse = 1 / scale;
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) {
        // Adding 1.5 * 2^23 rounds to the nearest, ties to even, and leaves the number in the last bits.
        const float bounded = std::min(127.0F, std::max(-127.0F, ToFloat(values[i]) * inverse));
        target[i] = static_cast<int8_t>(BitsOf(bounded + 12582912.0F) & 0xffu);
      }
    }
  });
}

template <typename T>
void Dequantise(Pool& pool, const int8_t* q, const float* scales, int64_t rows, int64_t columns, int64_t group, T* y) {
  const int64_t groups = (columns + group - 1) / group;
  pool.For(rows * groups, RowsWorthAThread(group), [&](int64_t begin, int64_t end) {
    for (int64_t number = begin; number < end; ++number) {
      const int64_t first = number / groups * columns + number % groups * group;
      const int64_t count = std::min(group, columns - number % groups * group);
      const float scale = scales[number];
#pragma omp simd
      for (int64_t i = 0; i < count; ++i) y[first + i] = FromFloat<T>(static_cast<float>(q[first + i]) * scale);
    }
  });
}

#define KERNELS_INSTANTIATE(T)                                                                                    \
  template void Rotary<T>(Pool&, Pairing, const T*, const int32_t*, const float*, const float*, int64_t, int64_t, \
                          int64_t, T*);                                                                           \
  template void Quantise<T>(Pool&, const T*, int64_t, int64_t, int64_t, int8_t*, float*);                         \
  template void Dequantise<T>(Pool&, const int8_t*, const float*, int64_t, int64_t, int64_t, T*);
KERNELS_INSTANTIATE(float)
KERNELS_INSTANTIATE(Float16)
KERNELS_INSTANTIATE(BFloat16)
#undef KERNELS_INSTANTIATE

}  // namespace kernels::cpu
