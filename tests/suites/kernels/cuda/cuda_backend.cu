#include <cuda_runtime.h>

#include <algorithm>
#include <string>

#include "cuda/launching_backend.h"

namespace kernels::cuda {
namespace {

constexpr int64_t kCopyBytes = int64_t{256} << 20;
constexpr int kPeakRounds = 4096;
constexpr int kPeakChains = 8;

__global__ void __launch_bounds__(256) CopyPacks(const float4* from, float4* to, int64_t count) {
  const int64_t stride = static_cast<int64_t>(gridDim.x) * blockDim.x;
  for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += stride) to[i] = from[i];
}

__global__ void __launch_bounds__(256) MultiplyAdd(float factor, float step, float* out) {
  float sums[kPeakChains];
  KERNELS_UNROLL
  for (int i = 0; i < kPeakChains; ++i) sums[i] = static_cast<float>(threadIdx.x + i) * 1e-3F;
  for (int round = 0; round < kPeakRounds; ++round) {
    KERNELS_UNROLL
    for (int i = 0; i < kPeakChains; ++i) sums[i] = sums[i] * factor + step;
  }
  float total = 0.0F;
  KERNELS_UNROLL
  for (int i = 0; i < kPeakChains; ++i) total += sums[i];
  // Never true, and not to be known beforehand: so it is computed.
  if (total == -1.0F) *out = total;
}

class CudaBackend : public LaunchingBackend {
 public:
  explicit CudaBackend(const cudaDeviceProp& properties) : properties_(properties) {
    Note(cudaEventCreate(&begin_));
    Note(cudaEventCreate(&end_));
  }
  ~CudaBackend() override {
    cudaFree(parts_);
    cudaEventDestroy(begin_);
    cudaEventDestroy(end_);
  }

  std::string Name() const override { return "cuda"; }
  std::string Device() const override {
    return std::string(properties_.name) + ", " + std::to_string(properties_.multiProcessorCount) +
           " multiprocessors, compute capability " + std::to_string(properties_.major) + "." +
           std::to_string(properties_.minor);
  }

  void* Allocate(size_t bytes) override {
    void* memory = nullptr;
    Note(cudaMalloc(&memory, std::max<size_t>(bytes, 1)));
    return memory;
  }
  void Free(void* memory) override { Note(cudaFree(memory)); }
  void CopyIn(void* memory, const void* host, size_t bytes) override {
    Note(cudaMemcpy(memory, host, bytes, cudaMemcpyHostToDevice));
  }
  void CopyOut(void* host, const void* memory, size_t bytes) override {
    Note(cudaMemcpy(host, memory, bytes, cudaMemcpyDeviceToHost));
  }
  std::string Finish() override {
    Note(cudaDeviceSynchronize());
    return std::exchange(error_, "");
  }

  double Seconds(const std::function<void()>& calls) override {
    Note(cudaEventRecord(begin_));
    calls();
    Note(cudaEventRecord(end_));
    Note(cudaEventSynchronize(end_));
    float milliseconds = 0;
    Note(cudaEventElapsedTime(&milliseconds, begin_, end_));
    return milliseconds * 1e-3;
  }
  std::string TimingMethod() const override { return "cuda_events"; }

  double MeasureBandwidth() override {
    void* const from = Allocate(kCopyBytes);
    void* const to = Allocate(kCopyBytes);
    double best = 0;
    for (int round = 0; round < 10 && from != nullptr && to != nullptr; ++round) {
      const double seconds = Seconds([&] {
        CopyPacks<<<properties_.multiProcessorCount * 16, 256>>>(static_cast<const float4*>(from),
                                                                 static_cast<float4*>(to), kCopyBytes / 16);
      });
      best = std::max(best, 2.0 * kCopyBytes / seconds);
    }
    Free(from);
    Free(to);
    return best;
  }

  double MeasurePeak() override {
    const int blocks = properties_.multiProcessorCount * 16;
    float* const out = Parts(1);
    double best = 0;
    for (int round = 0; round < 5; ++round) {
      const double seconds = Seconds([&] { MultiplyAdd<<<blocks, 256>>>(0.999F, 1e-6F, out); });
      best = std::max(best, 2.0 * kPeakRounds * kPeakChains * blocks * 256 / seconds);
    }
    return best;
  }

 protected:
  float* Parts(int64_t count) override {
    if (count > room_) {
      Note(cudaFree(parts_));
      parts_ = static_cast<float*>(Allocate(static_cast<size_t>(count) * sizeof(float)));
      room_ = parts_ == nullptr ? 0 : count;
    }
    return parts_;
  }
  void Launched() override { Note(cudaGetLastError()); }

 private:
  // The first one counts: what follows is mostly its consequence.
  void Note(cudaError_t result) {
    if (result != cudaSuccess && error_.empty()) {
      error_ = std::string(cudaGetErrorName(result)) + ": " + cudaGetErrorString(result);
    }
  }

  cudaDeviceProp properties_;
  cudaEvent_t begin_ = nullptr;
  cudaEvent_t end_ = nullptr;
  float* parts_ = nullptr;
  int64_t room_ = 0;
  std::string error_;
};

}  // namespace
}  // namespace kernels::cuda

extern "C" __attribute__((visibility("default"))) kernels::Backend* MakeKernelBackend(std::string& error) {
  int count = 0;
  cudaError_t result = cudaGetDeviceCount(&count);
  cudaDeviceProp properties;
  if (result == cudaSuccess && count == 0) result = cudaErrorNoDevice;
  if (result == cudaSuccess) result = cudaGetDeviceProperties(&properties, 0);
  if (result != cudaSuccess) {
    error = std::string(cudaGetErrorName(result)) + ": " + cudaGetErrorString(result);
    return nullptr;
  }
  return new kernels::cuda::CudaBackend(properties);
}
