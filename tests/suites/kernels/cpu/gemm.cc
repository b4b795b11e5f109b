// Blocked matrix product. Panels of a and b are packed so that the innermost loop reads memory in order; it keeps 6 by
// 16 sums in registers. Each sum is built in one order whatever the number of threads.
#include <algorithm>
#include <cstring>
#include <vector>

#include "cpu/cpu_kernels.h"

namespace kernels::cpu {
namespace {

typedef float Vector __attribute__((vector_size(32)));
constexpr int64_t kLanes = 8;
constexpr int64_t kRows = 6;      // of the block in registers
constexpr int64_t kColumns = 16;  // of the block in registers: two vectors
constexpr int64_t kInner = 256;   // of a panel: 6 rows of it stay in the first cache
constexpr int64_t kPanelRows = 96;
constexpr int64_t kPanelColumns = 2048;

constexpr int64_t RoundUp(int64_t value, int64_t to) { return (value + to - 1) / to * to; }

// Columns [column, column + count) of b, kColumns at a time, filled up with zeros.
template <typename T>
void PackColumns(const T* b, int64_t stride, int64_t inner, int64_t count, float* packed) {
  for (int64_t i = 0; i < inner; ++i) {
    for (int64_t j = 0; j < kColumns; ++j) packed[i * kColumns + j] = j < count ? ToFloat(b[i * stride + j]) : 0.0F;
  }
}

// Rows of a, kRows at a time: element (row, i) lies at i * kRows + row.
template <typename T>
void PackRows(const T* a, int64_t stride, int64_t inner, int64_t count, float* packed) {
  for (int64_t row = 0; row < kRows; ++row) {
    for (int64_t i = 0; i < inner; ++i) packed[i * kRows + row] = row < count ? ToFloat(a[row * stride + i]) : 0.0F;
  }
}

// sums = rows by columns over `inner`; sums is [kRows, kColumns].
void Multiply(const float* rows, const float* columns, int64_t inner, float* sums) {
  Vector left[kRows] = {};
  Vector right[kRows] = {};
  for (int64_t i = 0; i < inner; ++i) {
    Vector first;
    Vector second;
    std::memcpy(&first, columns + i * kColumns, sizeof first);
    std::memcpy(&second, columns + i * kColumns + kLanes, sizeof second);
    for (int64_t row = 0; row < kRows; ++row) {
      const float factor = rows[i * kRows + row];
      left[row] += factor * first;
      right[row] += factor * second;
    }
  }
  for (int64_t row = 0; row < kRows; ++row) {
    std::memcpy(sums + row * kColumns, &left[row], sizeof left[row]);
    std::memcpy(sums + row * kColumns + kLanes, &right[row], sizeof right[row]);
  }
}

// total += alpha a b.
template <typename T>
void Accumulate(Pool& pool, const T* a, const T* b, float* total, int64_t m, int64_t n, int64_t k, float alpha) {
  std::vector<float> packed_b(static_cast<size_t>(RoundUp(std::min(n, kPanelColumns), kColumns) * std::min(k, kInner)));
  for (int64_t column = 0; column < n; column += kPanelColumns) {
    const int64_t columns = std::min(kPanelColumns, n - column);
    const int64_t strips = (columns + kColumns - 1) / kColumns;
    for (int64_t begin = 0; begin < k; begin += kInner) {
      const int64_t inner = std::min(kInner, k - begin);
      pool.For(strips, kElementsWorthAThread / (inner * kColumns) + 1, [&](int64_t first, int64_t last) {
        for (int64_t strip = first; strip < last; ++strip) {
          const int64_t offset = strip * kColumns;
          PackColumns(b + begin * n + column + offset, n, inner, std::min(kColumns, columns - offset),
                      packed_b.data() + offset * inner);
        }
      });
      const int64_t panels = (m + kPanelRows - 1) / kPanelRows;
      // A panel of few sums is not worth a thread.
      const int64_t grain = kElementsWorthAThread / (kPanelRows * strips) + 1;
      pool.For(panels, grain, [&](int64_t first, int64_t last) {
        std::vector<float> packed_a(static_cast<size_t>(kRows * inner));
        float sums[kRows * kColumns];
        for (int64_t row = first * kPanelRows; row < std::min(m, last * kPanelRows); row += kRows) {
          const int64_t rows = std::min(kRows, m - row);
          PackRows(a + row * k + begin, k, inner, rows, packed_a.data());
          for (int64_t strip = 0; strip < strips; ++strip) {
            const int64_t offset = strip * kColumns;
            Multiply(packed_a.data(), packed_b.data() + offset * inner, inner, sums);
            const int64_t width = std::min(kColumns, columns - offset);
            for (int64_t i = 0; i < rows; ++i) {
              float* const target = total + (row + i) * n + column + offset;
              for (int64_t j = 0; j < width; ++j) target[j] += alpha * sums[i * kColumns + j];
            }
          }
        }
      });
    }
  }
}

}  // namespace

template <typename T>
void Gemm(Pool& pool, const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, float alpha, float beta) {
  // With beta 0 whatever is in c does not count, not even as NaN.
  const auto scaled = [&](int64_t i) { return beta == 0 ? 0.0F : beta * ToFloat(c[i]); };
  if constexpr (std::is_same_v<T, float>) {
    for (int64_t i = 0; i < m * n; ++i) c[i] = scaled(i);
    Accumulate(pool, a, b, c, m, n, k, alpha);
  } else {
    // Rounded to 16 bits once, at the end.
    std::vector<float> total(static_cast<size_t>(m * n));
    for (int64_t i = 0; i < m * n; ++i) total[static_cast<size_t>(i)] = scaled(i);
    Accumulate(pool, a, b, total.data(), m, n, k, alpha);
    for (int64_t i = 0; i < m * n; ++i) c[i] = FromFloat<T>(total[static_cast<size_t>(i)]);
  }
}

template void Gemm<float>(Pool&, const float*, const float*, float*, int64_t, int64_t, int64_t, float, float);
template void Gemm<Float16>(Pool&, const Float16*, const Float16*, Float16*, int64_t, int64_t, int64_t, float, float);
template void Gemm<BFloat16>(Pool&, const BFloat16*, const BFloat16*, BFloat16*, int64_t, int64_t, int64_t, float,
                             float);

}  // namespace kernels::cpu
