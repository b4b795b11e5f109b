// Rotary embedding, quantise and dequantise.
#ifndef KERNELS_CUDA_ELEMENTS_CUH_
#define KERNELS_CUDA_ELEMENTS_CUH_

#include "cuda/device.cuh"

namespace kernels::cuda {

constexpr int kElementThreads = 256;
constexpr int64_t kElementBlocks = 4096;

// A thread turns one pair; a grid that is too small goes round.
template <typename T>
__global__ void __launch_bounds__(kElementThreads)
    RotaryPairs(Pairing pairing, const T* x, const int32_t* positions, const float* cosines, const float* sines,
                int64_t tokens, int64_t heads, int64_t width, T* y) {
  const int64_t half = width / 2;
  const int64_t pairs = tokens * heads * half;
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kElementThreads;
  for (int64_t pair = static_cast<int64_t>(blockIdx.x) * kElementThreads + threadIdx.x; pair < pairs; pair += stride) {
    const int64_t i = pair % half;
    const int64_t head = pair / half;
    const int64_t turn = static_cast<int64_t>(positions[head / heads]) * half + i;
    const int64_t first = head * width + (pairing == Pairing::kHalves ? i : 2 * i);
    const int64_t second = first + (pairing == Pairing::kHalves ? half : 1);
    const float left = Load(x[first]);
    const float right = Load(x[second]);
    const float cosine = cosines[turn];
    const float sine = sines[turn];
    y[first] = Store<T>(left * cosine - right * sine);
    y[second] = Store<T>(right * cosine + left * sine);
  }
}

// Largest magnitude, and whether all are finite.
struct MagnitudeState {
  float largest;
  __device__ void Add(float value) {
    const float magnitude = fabsf(value);
    // NaN wins over infinity, infinity over numbers.
    largest = IsNaN(magnitude) || IsNaN(largest) ? NotANumber() : fmaxf(largest, magnitude);
  }
  __device__ void Take(const MagnitudeState& other) { Add(other.largest); }
  __device__ MagnitudeState Shuffled(int lanes) const { return {__shfl_xor_sync(kAllLanes, largest, lanes)}; }
};

// A warp has a group.
template <typename T>
__global__ void __launch_bounds__(kElementThreads)
    QuantiseGroups(const T* x, int64_t columns, int64_t group, int64_t groups, int64_t all, int8_t* q, float* scales) {
  const int64_t number = static_cast<int64_t>(blockIdx.x) * (kElementThreads / kWarp) + threadIdx.x / kWarp;
  if (number >= all) return;  // a whole warp, or nobody
  const int lane = static_cast<int>(threadIdx.x) % kWarp;
  const int64_t begin = number % groups * group;
  const int64_t count = columns - begin < group ? columns - begin : group;
  const int64_t first = number / groups * columns + begin;
  MagnitudeState state = {0.0F};
  ForElements(x + first, count, lane, kWarp, [&](int64_t, float value) { state.Add(value); });
  WarpAll(state);
  float scale = state.largest / 127.0F;
  float inverse = 1.0F / scale;
  if (IsNaN(state.largest) || state.largest == Infinity()) {
    scale = NotANumber();
    inverse = 0.0F;
  } else if (state.largest < kSmallestMagnitude) {
    scale = inverse = 0.0F;
  }
  if (lane == 0) scales[number] = scale;
  ForElements(x + first, count, lane, kWarp, [&](int64_t i, float value) {
    const float bounded = inverse == 0.0F ? 0.0F : fminf(127.0F, fmaxf(-127.0F, value * inverse));
    q[first + i] = static_cast<int8_t>(rintf(bounded));
  });
}

template <typename T>
__global__ void __launch_bounds__(kElementThreads)
    DequantiseGroups(const int8_t* q, const float* scales, int64_t columns, int64_t group, int64_t groups, int64_t all,
                     T* y) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * kElementThreads;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * kElementThreads + threadIdx.x; i < all; i += stride) {
    const float scale = scales[i / columns * groups + i % columns / group];
    y[i] = Store<T>(static_cast<float>(q[i]) * scale);
  }
}

inline dim3 ElementGrid(int64_t threads) {
  const int64_t blocks = (threads + kElementThreads - 1) / kElementThreads;
  return dim3(static_cast<unsigned>(blocks < kElementBlocks ? blocks : kElementBlocks));
}

template <typename T>
void LaunchRotary(Pairing pairing, const T* x, const int32_t* positions, const float* cosines, const float* sines,
                  int64_t tokens, int64_t heads, int64_t width, T* y) {
  const int64_t pairs = tokens * heads * width / 2;
  if (pairs == 0) return;
  KERNELS_LAUNCH((RotaryPairs<T>), ElementGrid(pairs), dim3(kElementThreads), pairing, x, positions, cosines, sines,
                 tokens, heads, width, y);
}

template <typename T>
void LaunchQuantise(const T* x, int64_t rows, int64_t columns, int64_t group, int8_t* q, float* scales) {
  if (rows * columns == 0) return;
  const int64_t groups = (columns + group - 1) / group;
  const int64_t warps = kElementThreads / kWarp;
  KERNELS_LAUNCH((QuantiseGroups<T>), dim3(static_cast<unsigned>((rows * groups + warps - 1) / warps)),
                 dim3(kElementThreads), x, columns, group, groups, rows * groups, q, scales);
}

template <typename T>
void LaunchDequantise(const int8_t* q, const float* scales, int64_t rows, int64_t columns, int64_t group, T* y) {
  if (rows * columns == 0) return;
  KERNELS_LAUNCH((DequantiseGroups<T>), ElementGrid(rows * columns), dim3(kElementThreads), q, scales, columns, group,
                 (columns + group - 1) / group, rows * columns, y);
}

}  // namespace kernels::cuda

#endif  // KERNELS_CUDA_ELEMENTS_CUH_
