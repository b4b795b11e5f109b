// Kernels that go along rows: reduction, softmax, layer norm. A row of 16-bit values is widened once, into memory that
// stays in the cache; rows are shared among threads, and a single long row among them as well.
#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "cpu/cpu_kernels.h"

namespace kernels::cpu {
namespace {

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// A long row is summed in blocks, and their sums in turn: the error grows with the length of a block, not of the row,
// and the order does not depend on the number of threads.
constexpr int64_t kBlock = 4096;

const float* Widen(const float* row, int64_t /*columns*/, std::vector<float>& /*room*/) { return row; }

template <typename T>
const float* Widen(const T* row, int64_t columns, std::vector<float>& room) {
  room.resize(static_cast<size_t>(columns));
  float* const wide = room.data();
#pragma omp simd
  for (int64_t i = 0; i < columns; ++i) wide[i] = ToFloat(row[i]);
  return wide;
}

// e^x for vectors of any width. Within 2 units in the last place; 0 below -87.3, NaN stays.
inline float Exp(float x) {
  const float bounded = x < -87.3F ? -87.3F : x;
  // Adding 1.5 * 2^23 leaves the nearest whole number in the last bits.
  const float shifted = bounded * 1.44269504F + 12582912.0F;
  const float whole = shifted - 12582912.0F;
  const float rest = (bounded - whole * 0.693145752F) - whole * 1.42860677e-6F;
  float sum = 1.0F / 720 + rest * (1.0F / 5040);
  sum = 1.0F / 120 + rest * sum;
  sum = 1.0F / 24 + rest * sum;
  sum = 1.0F / 6 + rest * sum;
  sum = 0.5F + rest * sum;
  sum = 1.0F + rest * sum;
  sum = 1.0F + rest * sum;
  const float power = FloatOf((BitsOf(shifted) + 127u) << 23);
  return x < -87.3F ? 0.0F : sum * power;
}

float SumOf(const float* values, int64_t count) {
  float sum = 0;
#pragma omp simd reduction(+ : sum)
  for (int64_t i = 0; i < count; ++i) sum += values[i];
  return sum;
}

// NaN if there is one; minus infinity of nothing.
float MaximumOf(const float* values, int64_t count) {
  float largest = -kInfinity;
  int numbers = 1;
#pragma omp simd reduction(max : largest) reduction(& : numbers)
  for (int64_t i = 0; i < count; ++i) {
    largest = values[i] > largest ? values[i] : largest;
    numbers &= static_cast<int>(values[i] == values[i]);
  }
  return numbers != 0 ? largest : std::numeric_limits<float>::quiet_NaN();
}

// NaN does not get lost as it would in std::max.
float Larger(float left, float right) { return left != left || left > right ? left : right; }

// Mean of f(i) over [0, count), summed by blocks.
template <typename F>
float MeanOf(int64_t count, const F& f) {
  double total = 0;
  for (int64_t begin = 0; begin < count; begin += kBlock) {
    const int64_t end = std::min(count, begin + kBlock);
    float sum = 0;
#pragma omp simd reduction(+ : sum)
    for (int64_t i = begin; i < end; ++i) sum += f(i);
    total += sum;
  }
  return static_cast<float>(total / static_cast<double>(count));
}

}  // namespace

template <typename T>
void Reduce(Pool& pool, Reduction reduction, const T* x, int64_t rows, int64_t columns, float* out) {
  // Blocks of all rows in one loop: one row of a million is as well shared as a million rows of one.
  const int64_t blocks = std::max<int64_t>(1, (columns + kBlock - 1) / kBlock);
  std::vector<float> parts(static_cast<size_t>(rows * blocks));
  pool.For(rows * blocks, std::max<int64_t>(1, kElementsWorthAThread / std::max<int64_t>(1, std::min(columns, kBlock))),
           [&](int64_t begin, int64_t end) {
             std::vector<float> room;
             for (int64_t part = begin; part < end; ++part) {
               const int64_t first = part % blocks * kBlock;
               const int64_t count = std::min(columns - first, kBlock);
               const float* values = Widen(x + part / blocks * columns + first, count, room);
               parts[static_cast<size_t>(part)] =
                   reduction == Reduction::kSum ? SumOf(values, count) : MaximumOf(values, count);
             }
           });
  for (int64_t row = 0; row < rows; ++row) {
    const float* part = parts.data() + row * blocks;
    if (reduction == Reduction::kSum) {
      double sum = 0;
      for (int64_t block = 0; block < blocks; ++block) sum += part[block];
      out[row] = static_cast<float>(sum);
    } else {
      float largest = -kInfinity;
      for (int64_t block = 0; block < blocks; ++block) largest = Larger(part[block], largest);
      out[row] = largest;
    }
  }
}

template <typename T>
void Softmax(Pool& pool, const T* x, int64_t rows, int64_t columns, T* y) {
  if (columns == 0) return;
  pool.For(rows, RowsWorthAThread(columns), [&](int64_t begin, int64_t end) {
    std::vector<float> room;
    std::vector<float> raised(static_cast<size_t>(columns));
    float* const exponentials = raised.data();
    for (int64_t row = begin; row < end; ++row) {
      const float* values = Widen(x + row * columns, columns, room);
      // The maximum of the numbers: a NaN comes back through its exponential.
      float largest = -kInfinity;
#pragma omp simd reduction(max : largest)
      for (int64_t i = 0; i < columns; ++i) largest = values[i] > largest ? values[i] : largest;
      double sum = 0;
      for (int64_t first = 0; first < columns; first += kBlock) {
        const int64_t last = std::min(columns, first + kBlock);
        float part = 0;
#pragma omp simd reduction(+ : part)
        for (int64_t i = first; i < last; ++i) {
          const float value = Exp(values[i] - largest);
          exponentials[i] = value;
          part += value;
        }
        sum += part;
      }
      const auto scale = static_cast<float>(1 / sum);
      T* const target = y + row * columns;
#pragma omp simd
      for (int64_t i = 0; i < columns; ++i) target[i] = FromFloat<T>(exponentials[i] * scale);
    }
  });
}

template <typename T>
void LayerNorm(Pool& pool, const T* x, const float* gamma, const float* beta, int64_t rows, int64_t columns,
               float epsilon, T* y) {
  if (columns == 0) return;
  pool.For(rows, RowsWorthAThread(columns), [&](int64_t begin, int64_t end) {
    std::vector<float> room;
    for (int64_t row = begin; row < end; ++row) {
      const float* values = Widen(x + row * columns, columns, room);
      const float mean = MeanOf(columns, [&](int64_t i) { return values[i]; });
      const float variance = MeanOf(columns, [&](int64_t i) { return (values[i] - mean) * (values[i] - mean); });
      const float scale = 1 / std::sqrt(variance + epsilon);
      T* const target = y + row * columns;
#pragma omp simd
      for (int64_t i = 0; i < columns; ++i) target[i] = FromFloat<T>((values[i] - mean) * scale * gamma[i] + beta[i]);
    }
  });
}

#define KERNELS_INSTANTIATE(T)                                                   \
  template void Reduce<T>(Pool&, Reduction, const T*, int64_t, int64_t, float*); \
  template void Softmax<T>(Pool&, const T*, int64_t, int64_t, T*);               \
  template void LayerNorm<T>(Pool&, const T*, const float*, const float*, int64_t, int64_t, float, T*);
KERNELS_INSTANTIATE(float)
KERNELS_INSTANTIATE(Float16)
KERNELS_INSTANTIATE(BFloat16)
#undef KERNELS_INSTANTIATE

}  // namespace kernels::cpu
