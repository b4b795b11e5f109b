// Kernels that go along rows: reduction, softmax, layer norm. Short rows have a warp each, long ones a block; few very
// long ones are cut into parts.
#ifndef KERNELS_CUDA_ROWS_CUH_
#define KERNELS_CUDA_ROWS_CUH_

#include "cuda/device.cuh"

namespace kernels::cuda {

constexpr int kRowThreads = 256;
constexpr int kRowsOfBlock = kRowThreads / kWarp;
// Up to here a warp has a row for itself.
constexpr int64_t kShortRow = 1024;
// Rows of at least so many elements are cut where there are too few rows to keep a GPU busy.
constexpr int64_t kLongRow = 16 * 1024;
// As many blocks keep any GPU of today busy.
constexpr int64_t kBusyBlocks = 1024;

struct SumState {
  float sum;
  __device__ static SumState Neutral() { return {0.0F}; }
  __device__ void Add(float value) { sum += value; }
  __device__ void Take(const SumState& other) { sum += other.sum; }
  __device__ SumState Shuffled(int lanes) const { return {__shfl_xor_sync(kAllLanes, sum, lanes)}; }
  __device__ float Result() const { return sum; }
};

// fmaxf alone would drop NaN.
struct MaxState {
  float largest;
  __device__ static MaxState Neutral() { return {-Infinity()}; }
  __device__ void Add(float value) { largest = IsNaN(value) || IsNaN(largest) ? NotANumber() : fmaxf(largest, value); }
  __device__ void Take(const MaxState& other) { Add(other.largest); }
  __device__ MaxState Shuffled(int lanes) const { return {__shfl_xor_sync(kAllLanes, largest, lanes)}; }
  __device__ float Result() const { return largest; }
};

// Maximum and sum of exponentials in one pass: when the maximum grows, the sum so far is scaled down.
struct SoftmaxState {
  float largest;
  float sum;
  __device__ static SoftmaxState Neutral() { return {-Infinity(), 0.0F}; }
  __device__ void Add(float value) { Take({value, IsNaN(value) ? value : 1.0F}); }
  __device__ void Take(const SoftmaxState& other) {
    const float both = fmaxf(largest, other.largest);
    // Of nothing but minus infinity the difference would be no number, though the parts may well be nothing.
    if (both == -Infinity()) {
      sum = IsNaN(other.sum) || IsNaN(sum) ? NotANumber() : 0.0F;
      return;
    }
    sum = Scaled(sum, largest - both) + Scaled(other.sum, other.largest - both);
    largest = both;
  }
  __device__ SoftmaxState Shuffled(int lanes) const {
    return {__shfl_xor_sync(kAllLanes, largest, lanes), __shfl_xor_sync(kAllLanes, sum, lanes)};
  }

 private:
  // A NaN among the values makes `largest` of its state one: then only the sum tells.
  __device__ static float Scaled(float sum, float exponent) { return IsNaN(sum) ? sum : sum * expf(exponent); }
};

// Count, mean and sum of squared distances (Welford, Chan): no cancellation however far the values lie from zero.
struct MomentsState {
  float count;
  float mean;
  float squares;
  __device__ static MomentsState Neutral() { return {0.0F, 0.0F, 0.0F}; }
  __device__ void Add(float value) {
    count += 1.0F;
    const float distance = value - mean;
    mean += distance / count;
    squares += distance * (value - mean);
  }
  __device__ void Take(const MomentsState& other) {
    if (other.count == 0.0F) return;
    const float total = count + other.count;
    const float distance = other.mean - mean;
    const float share = other.count / total;
    mean += distance * share;
    squares += other.squares + distance * distance * count * share;
    count = total;
  }
  __device__ MomentsState Shuffled(int lanes) const {
    return {__shfl_xor_sync(kAllLanes, count, lanes), __shfl_xor_sync(kAllLanes, mean, lanes),
            __shfl_xor_sync(kAllLanes, squares, lanes)};
  }
};

// State of a row, on all threads that share it. `kWide`: a block shares it, else a warp.
template <typename State, bool kWide, typename T>
__device__ __forceinline__ State RowState(const T* row, int64_t columns) {
  const int thread = static_cast<int>(threadIdx.x) % (kWide ? kRowThreads : kWarp);
  State state = State::Neutral();
  ForElements(row, columns, thread, kWide ? kRowThreads : kWarp, [&](int64_t, float value) { state.Add(value); });
  if constexpr (kWide) {
    BlockAll<kRowThreads>(state, State::Neutral());
  } else {
    WarpAll(state);
  }
  return state;
}

// The row of this thread, and its place among those that share it.
template <bool kWide>
__device__ __forceinline__ int64_t ThisRow() {
  return kWide ? static_cast<int64_t>(blockIdx.x)
               : static_cast<int64_t>(blockIdx.x) * kRowsOfBlock + threadIdx.x / kWarp;
}
template <bool kWide>
__device__ __forceinline__ int ThisThread() {
  return static_cast<int>(threadIdx.x) % (kWide ? kRowThreads : kWarp);
}

template <typename State, bool kWide, typename T>
__global__ void __launch_bounds__(kRowThreads) ReduceRows(const T* x, int64_t rows, int64_t columns, float* out) {
  const int64_t row = ThisRow<kWide>();
  if (row >= rows) return;  // a whole warp, or nobody
  const State state = RowState<State, kWide>(x + row * columns, columns);
  if (ThisThread<kWide>() == 0) out[row] = state.Result();
}

// Part `blockIdx.x` of row `blockIdx.y`; parts[row, part] is reduced by ReduceRows afterwards.
template <typename State, typename T>
__global__ void __launch_bounds__(kRowThreads) ReduceParts(const T* x, int64_t columns, int64_t length, float* parts) {
  const int64_t first = blockIdx.x * length;
  const int64_t count = columns - first < length ? columns - first : length;
  const State state = RowState<State, true>(x + blockIdx.y * columns + first, count);
  if (threadIdx.x == 0) parts[static_cast<int64_t>(blockIdx.y) * gridDim.x + blockIdx.x] = state.Result();
}

template <bool kWide, typename T>
__global__ void __launch_bounds__(kRowThreads) SoftmaxRows(const T* x, int64_t rows, int64_t columns, T* y) {
  const int64_t row = ThisRow<kWide>();
  if (row >= rows) return;
  const SoftmaxState state = RowState<SoftmaxState, kWide>(x + row * columns, columns);
  const float scale = 1.0F / state.sum;
  MapElements(x + row * columns, y + row * columns, columns, ThisThread<kWide>(), kWide ? kRowThreads : kWarp,
              [&](int64_t, float value) { return expf(value - state.largest) * scale; });
}

template <bool kWide, typename T>
__global__ void __launch_bounds__(kRowThreads) LayerNormRows(const T* x, const float* gamma, const float* beta,
                                                             int64_t rows, int64_t columns, float epsilon, T* y) {
  const int64_t row = ThisRow<kWide>();
  if (row >= rows) return;
  const MomentsState state = RowState<MomentsState, kWide>(x + row * columns, columns);
  const float scale = 1.0F / sqrtf(state.squares / state.count + epsilon);
  MapElements(x + row * columns, y + row * columns, columns, ThisThread<kWide>(), kWide ? kRowThreads : kWarp,
              [&](int64_t i, float value) { return (value - state.mean) * scale * gamma[i] + beta[i]; });
}

inline unsigned BlocksFor(int64_t rows, bool wide) {
  return static_cast<unsigned>(wide ? rows : (rows + kRowsOfBlock - 1) / kRowsOfBlock);
}

// Parts of a row, 1 where rows are not cut. Their results need rows * parts floats.
inline int64_t PartsOf(int64_t rows, int64_t columns) {
  if (columns < kLongRow || rows >= kBusyBlocks || rows == 0) return 1;
  const int64_t most = columns / (kLongRow / 4);
  const int64_t wanted = kBusyBlocks / rows;
  return most < wanted ? most : wanted;
}

template <typename State, typename T>
void LaunchReduceAs(const T* x, int64_t rows, int64_t columns, float* parts, float* out) {
  const int64_t count = PartsOf(rows, columns);
  if (count > 1) {
    // A multiple of what a block loads at once: every part begins at a pack if the row does.
    int64_t length = (columns + count - 1) / count;
    length = (length + kRowThreads - 1) / kRowThreads * kRowThreads;
    const auto used = static_cast<unsigned>((columns + length - 1) / length);
    KERNELS_LAUNCH((ReduceParts<State, T>), dim3(used, static_cast<unsigned>(rows)), dim3(kRowThreads), x, columns,
                   length, parts);
    KERNELS_LAUNCH((ReduceRows<State, false, float>), dim3(BlocksFor(rows, false)), dim3(kRowThreads), parts, rows,
                   static_cast<int64_t>(used), out);
  } else if (columns > kShortRow) {
    KERNELS_LAUNCH((ReduceRows<State, true, T>), dim3(BlocksFor(rows, true)), dim3(kRowThreads), x, rows, columns, out);
  } else {
    KERNELS_LAUNCH((ReduceRows<State, false, T>), dim3(BlocksFor(rows, false)), dim3(kRowThreads), x, rows, columns,
                   out);
  }
}

// `parts`: room for rows * PartsOf(rows, columns) floats.
template <typename T>
void LaunchReduce(Reduction reduction, const T* x, int64_t rows, int64_t columns, float* parts, float* out) {
  if (rows == 0) return;
  if (reduction == Reduction::kSum) {
    LaunchReduceAs<SumState>(x, rows, columns, parts, out);
  } else {
    LaunchReduceAs<MaxState>(x, rows, columns, parts, out);
  }
}

template <typename T>
void LaunchSoftmax(const T* x, int64_t rows, int64_t columns, T* y) {
  if (rows == 0 || columns == 0) return;
  if (columns > kShortRow) {
    KERNELS_LAUNCH((SoftmaxRows<true, T>), dim3(BlocksFor(rows, true)), dim3(kRowThreads), x, rows, columns, y);
  } else {
    KERNELS_LAUNCH((SoftmaxRows<false, T>), dim3(BlocksFor(rows, false)), dim3(kRowThreads), x, rows, columns, y);
  }
}

template <typename T>
void LaunchLayerNorm(const T* x, const float* gamma, const float* beta, int64_t rows, int64_t columns, float epsilon,
                     T* y) {
  if (rows == 0 || columns == 0) return;
  if (columns > kShortRow) {
    KERNELS_LAUNCH((LayerNormRows<true, T>), dim3(BlocksFor(rows, true)), dim3(kRowThreads), x, gamma, beta, rows,
                   columns, epsilon, y);
  } else {
    KERNELS_LAUNCH((LayerNormRows<false, T>), dim3(BlocksFor(rows, false)), dim3(kRowThreads), x, gamma, beta, rows,
                   columns, epsilon, y);
  }
}

}  // namespace kernels::cuda

#endif  // KERNELS_CUDA_ROWS_CUH_
