// What the kernels share: elements of 16 bits, loads of 16 bytes, sums over warps and blocks.
#ifndef KERNELS_CUDA_DEVICE_CUH_
#define KERNELS_CUDA_DEVICE_CUH_

#ifdef KERNELS_EMULATED
#include "emulation/simt.h"
#else
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#define KERNELS_LAUNCH(kernel, grid, block, ...) kernel<<<grid, block>>>(__VA_ARGS__)
#define KERNELS_UNROLL _Pragma("unroll")
#endif

#include <cstdint>

#include "float16.h"
#include "kernels.h"

namespace kernels::cuda {

constexpr int kWarp = 32;
constexpr unsigned kAllLanes = 0xffffffffu;

// Widening and narrowing by the GPU's own instructions.
__device__ __forceinline__ float Load(float value) { return value; }
__device__ __forceinline__ float Load(Float16 value) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(value.bits));
#else
  return ToFloat(value);
#endif
}
__device__ __forceinline__ float Load(BFloat16 value) { return ToFloat(value); }

template <typename T>
__device__ __forceinline__ T Store(float value) {
  return FromFloat<T>(value);
}
#ifdef __CUDA_ARCH__
template <>
__device__ __forceinline__ Float16 Store<Float16>(float value) {
  return {__half_as_ushort(__float2half_rn(value))};
}
template <>
__device__ __forceinline__ BFloat16 Store<BFloat16>(float value) {
  return {__bfloat16_as_ushort(__float2bfloat16_rn(value))};
}
#endif

// Not a number: comparisons with itself say so also where the compiler may assume otherwise.
__device__ __forceinline__ bool IsNaN(float value) { return (BitsOf(value) & 0x7fffffffu) > 0x7f800000u; }
__device__ __forceinline__ float NotANumber() { return FloatOf(0x7fc00000u); }
__device__ __forceinline__ float Infinity() { return FloatOf(0x7f800000u); }

// 16 bytes of elements, which one instruction loads or stores.
template <typename T>
struct alignas(16) Pack {
  static constexpr int kSize = 16 / sizeof(T);
  T values[kSize];
};

// Whether rows of `columns` elements that begin at `memory` can be read by packs.
template <typename T>
__host__ __device__ __forceinline__ bool Packed(const T* memory, int64_t columns) {
  return reinterpret_cast<uintptr_t>(memory) % sizeof(Pack<T>) == 0 && columns % Pack<T>::kSize == 0;
}

// Calls f(index, value) for the elements of a row that are this thread's, `threads` of which share it.
template <typename T, typename F>
__device__ __forceinline__ void ForElements(const T* row, int64_t columns, int thread, int threads, const F& f) {
  if (Packed(row, columns)) {
    const auto* packs = reinterpret_cast<const Pack<T>*>(row);
    for (int64_t i = thread; i < columns / Pack<T>::kSize; i += threads) {
      const Pack<T> pack = packs[i];
      KERNELS_UNROLL
      for (int j = 0; j < Pack<T>::kSize; ++j) f(i * Pack<T>::kSize + j, Load(pack.values[j]));
    }
  } else {
    for (int64_t i = thread; i < columns; i += threads) f(i, Load(row[i]));
  }
}

// y[i] = f(i, x[i]) of a row, likewise.
template <typename T, typename F>
__device__ __forceinline__ void MapElements(const T* x, T* y, int64_t columns, int thread, int threads, const F& f) {
  if (Packed(x, columns) && Packed(y, columns)) {
    const auto* from = reinterpret_cast<const Pack<T>*>(x);
    auto* to = reinterpret_cast<Pack<T>*>(y);
    for (int64_t i = thread; i < columns / Pack<T>::kSize; i += threads) {
      Pack<T> pack = from[i];
      KERNELS_UNROLL
      for (int j = 0; j < Pack<T>::kSize; ++j) {
        pack.values[j] = Store<T>(f(i * Pack<T>::kSize + j, Load(pack.values[j])));
      }
      to[i] = pack;
    }
  } else {
    for (int64_t i = thread; i < columns; i += threads) y[i] = Store<T>(f(i, Load(x[i])));
  }
}

// Results of all lanes, on each lane. A state has `Take(other)` and Shuffled(lanes): the state of another lane.
template <typename State>
__device__ __forceinline__ void WarpAll(State& state) {
  KERNELS_UNROLL
  for (int lanes = kWarp / 2; lanes > 0; lanes /= 2) state.Take(state.Shuffled(lanes));
}

// Results of all threads of the block, on each thread. `neutral` is a state that changes nothing.
template <int kThreads, typename State>
__device__ __forceinline__ void BlockAll(State& state, const State& neutral) {
  static_assert(kThreads % kWarp == 0 && kThreads / kWarp <= kWarp, "one warp combines the others");
  __shared__ State states[kThreads / kWarp];
  WarpAll(state);
  const int warp = static_cast<int>(threadIdx.x) / kWarp;
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  if (lane == 0) states[warp] = state;
  __syncthreads();
  state = lane < kThreads / kWarp ? states[lane] : neutral;
  WarpAll(state);
  // Whoever calls again writes where others may still read.
  __syncthreads();
}

}  // namespace kernels::cuda

#endif  // KERNELS_CUDA_DEVICE_CUH_
