#include <chrono>
#include <cstdlib>
#include <vector>

#include "cuda/launching_backend.h"

namespace kernels::cuda {
namespace {

class EmulatedBackend : public LaunchingBackend {
 public:
  std::string Name() const override { return "emulated"; }
  std::string Device() const override { return "CUDA kernels on emulated warps"; }
  // As cudaMalloc: aligned to 256 bytes.
  void* Allocate(size_t bytes) override { return std::aligned_alloc(256, (bytes + 256) / 256 * 256); }
  void Free(void* memory) override { std::free(memory); }
  void CopyIn(void* memory, const void* host, size_t bytes) override {
    if (bytes > 0) std::memcpy(memory, host, bytes);
  }
  void CopyOut(void* host, const void* memory, size_t bytes) override {
    if (bytes > 0) std::memcpy(host, memory, bytes);
  }
  std::string Finish() override { return ""; }

  // Times of an emulation say nothing.
  double Seconds(const std::function<void()>& calls) override {
    const auto begin = std::chrono::steady_clock::now();
    calls();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
  std::string TimingMethod() const override { return "emulated"; }
  double MeasureBandwidth() override { return 0; }
  double MeasurePeak() override { return 0; }

 protected:
  float* Parts(int64_t count) override {
    parts_.resize(static_cast<size_t>(count));
    return parts_.data();
  }
  void Launched() override {}

 private:
  std::vector<float> parts_;
};

}  // namespace
}  // namespace kernels::cuda

extern "C" __attribute__((visibility("default"))) kernels::Backend* MakeKernelBackend(std::string& /*error*/) {
  return new kernels::cuda::EmulatedBackend();
}
