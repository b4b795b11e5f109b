// Runs CUDA kernels on the processor, one block after the other: each thread of a block is a fiber, which gives way at
// barriers and shuffles. Fibers go on in an order that changes from step to step, so a missing barrier shows. What
// would hang or be undefined on a GPU ends the program with the reason: a barrier or a shuffle that not all threads
// reach.
//
// Included instead of CUDA's own headers; only what our kernels use is here.
#ifndef KERNELS_EMULATION_SIMT_H_
#define KERNELS_EMULATION_SIMT_H_

#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>

struct dim3 {
  unsigned x = 1;
  unsigned y = 1;
  unsigned z = 1;
  dim3() = default;
  dim3(unsigned x_size, unsigned y_size = 1, unsigned z_size = 1) : x(x_size), y(y_size), z(z_size) {}  // NOLINT
};

namespace simt {

// Of the thread that runs.
struct Indices {
  dim3 thread;
  dim3 block;
  dim3 block_size;
  dim3 grid_size;
};
extern Indices current;

// Runs `body` for every thread of every block.
void Run(dim3 grid, dim3 block, const std::function<void()>& body);

void Barrier();
// `value` of lane `source` of this warp. All lanes of the warp must come here.
uint64_t Shuffle(uint64_t value, unsigned source);
unsigned Lane();

}  // namespace simt

#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __restrict__
// Blocks run one after the other and their threads in one system thread: what they share may be static.
#define __shared__ static

#define threadIdx (simt::current.thread)
#define blockIdx (simt::current.block)
#define blockDim (simt::current.block_size)
#define gridDim (simt::current.grid_size)

inline void __syncthreads() { simt::Barrier(); }

template <typename T>
T __shfl_xor_sync(unsigned /*mask*/, T value, int lanes) {
  static_assert(sizeof(T) <= sizeof(uint64_t));
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  bits = simt::Shuffle(bits, simt::Lane() ^ static_cast<unsigned>(lanes));
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

// Registers are an optimisation that nobody sees here.
#define KERNELS_UNROLL
#define KERNELS_LAUNCH(kernel, grid, block, ...) simt::Run(grid, block, [&] { kernel(__VA_ARGS__); })

#endif  // KERNELS_EMULATION_SIMT_H_
