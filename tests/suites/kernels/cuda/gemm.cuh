// Matrix product by tiles in shared memory. A block computes kTile by kTile sums, a thread kEach by kEach of them in
// registers; the next tile is loaded into registers while this one is multiplied.
#ifndef KERNELS_CUDA_GEMM_CUH_
#define KERNELS_CUDA_GEMM_CUH_

#include "cuda/device.cuh"

namespace kernels::cuda {

constexpr int kGemmThreads = 256;
constexpr int kGemmInner = 16;

template <int kTile, typename T>
__global__ void __launch_bounds__(kGemmThreads)
    GemmTiles(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, float alpha, float beta) {
  constexpr int kEach = kTile / 16;
  // Elements of a tile of a, and as many of b, that each thread loads.
  constexpr int kLoads = kTile * kGemmInner / kGemmThreads;
  // One more column: columns of the tile of a then begin in different banks.
  __shared__ float tile_a[kGemmInner][kTile + 1];
  __shared__ float tile_b[kGemmInner][kTile];

  const int thread = static_cast<int>(threadIdx.x);
  const int64_t first_row = static_cast<int64_t>(blockIdx.y) * kTile;
  const int64_t first_column = static_cast<int64_t>(blockIdx.x) * kTile;
  const int row = thread / 16;
  const int column = thread % 16;

  float next_a[kLoads];
  float next_b[kLoads];
  // What lies outside of a matrix counts as 0. Neighbouring threads read neighbouring elements.
  const auto fetch = [&](int64_t inner) {
    KERNELS_UNROLL
    for (int load = 0; load < kLoads; ++load) {
      const int place = thread + load * kGemmThreads;
      const int64_t a_row = first_row + place / kGemmInner;
      const int64_t a_column = inner + place % kGemmInner;
      next_a[load] = a_row < m && a_column < k ? Load(a[a_row * k + a_column]) : 0.0F;
      const int64_t b_row = inner + place / kTile;
      const int64_t b_column = first_column + place % kTile;
      next_b[load] = b_row < k && b_column < n ? Load(b[b_row * n + b_column]) : 0.0F;
    }
  };

  float sums[kEach][kEach] = {};
  if (k > 0) fetch(0);
  for (int64_t inner = 0; inner < k; inner += kGemmInner) {
    KERNELS_UNROLL
    for (int load = 0; load < kLoads; ++load) {
      const int place = thread + load * kGemmThreads;
      tile_a[place % kGemmInner][place / kGemmInner] = next_a[load];
      tile_b[place / kTile][place % kTile] = next_b[load];
    }
    __syncthreads();
    if (inner + kGemmInner < k) fetch(inner + kGemmInner);
    KERNELS_UNROLL
    for (int i = 0; i < kGemmInner; ++i) {
      float left[kEach];
      float right[kEach];
      KERNELS_UNROLL
      for (int j = 0; j < kEach; ++j) {
        // 16 apart: threads of a warp read neighbouring columns, and rows by broadcast.
        left[j] = tile_a[i][row + j * 16];
        right[j] = tile_b[i][column + j * 16];
      }
      KERNELS_UNROLL
      for (int y = 0; y < kEach; ++y) {
        KERNELS_UNROLL
        for (int x = 0; x < kEach; ++x) sums[y][x] += left[y] * right[x];
      }
    }
    __syncthreads();
  }

  KERNELS_UNROLL
  for (int y = 0; y < kEach; ++y) {
    const int64_t c_row = first_row + row + y * 16;
    KERNELS_UNROLL
    for (int x = 0; x < kEach; ++x) {
      const int64_t c_column = first_column + column + x * 16;
      if (c_row >= m || c_column >= n) continue;
      T* const target = c + c_row * n + c_column;
      const float old = beta == 0.0F ? 0.0F : beta * Load(*target);
      *target = Store<T>(alpha * sums[y][x] + old);
    }
  }
}

template <typename T>
void LaunchGemm(const T* a, const T* b, T* c, int64_t m, int64_t n, int64_t k, float alpha, float beta) {
  if (m == 0 || n == 0) return;
  const auto blocks = [](int64_t size, int64_t tile) { return static_cast<unsigned>((size + tile - 1) / tile); };
  // Large tiles read less; small ones give more blocks where the matrix is small.
  if (blocks(m, 128) * blocks(n, 128) >= 64u) {
    KERNELS_LAUNCH((GemmTiles<128, T>), dim3(blocks(n, 128), blocks(m, 128)), dim3(kGemmThreads), a, b, c, m, n, k,
                   alpha, beta);
  } else {
    KERNELS_LAUNCH((GemmTiles<64, T>), dim3(blocks(n, 64), blocks(m, 64)), dim3(kGemmThreads), a, b, c, m, n, k, alpha,
                   beta);
  }
}

}  // namespace kernels::cuda

#endif  // KERNELS_CUDA_GEMM_CUH_
