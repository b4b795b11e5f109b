// The kernels on processors, typed. All take a pool, which they may use as they see fit.
#ifndef KERNELS_CPU_CPU_KERNELS_H_
#define KERNELS_CPU_CPU_KERNELS_H_

#include <cstdint>

#include "cpu/parallel.h"
#include "float16.h"
#include "kernels.h"

namespace kernels::cpu {

template <typename T>
void Reduce(Pool& pool, Reduction reduction, const T* x, int64_t rows, int64_t columns, float* out);
template <typename T>
void Softmax(Pool& pool, const T* x, int64_t rows, int64_t columns, T* y);
template <typename T>
void LayerNorm(Pool& pool, const T* x, const float* gamma, const float* beta, int64_t rows, int64_t columns,
               float epsilon, T* y);
template <typename T>
void Gemm(Pool& pool, const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, float alpha, float beta);
template <typename T>
void Rotary(Pool& pool, Pairing pairing, const T* x, const int32_t* positions, const float* cosines, const float* sines,
            int64_t tokens, int64_t heads, int64_t width, T* y);
template <typename T>
void Quantise(Pool& pool, const T* x, int64_t rows, int64_t columns, int64_t group, int8_t* q, float* scales);
template <typename T>
void Dequantise(Pool& pool, const int8_t* q, const float* scales, int64_t rows, int64_t columns, int64_t group, T* y);

// Elements below which a second thread costs more than it brings.
inline constexpr int64_t kElementsWorthAThread = 16 * 1024;

// Rows that make up that many elements.
inline int64_t RowsWorthAThread(int64_t columns) {
  return columns > 0 ? kElementsWorthAThread / columns + 1 : kElementsWorthAThread;
}

}  // namespace kernels::cpu

#endif  // KERNELS_CPU_CPU_KERNELS_H_
