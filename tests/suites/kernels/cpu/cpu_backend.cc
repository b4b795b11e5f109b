#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <thread>
#include <vector>

#include "cpu/cpu_kernels.h"
#include "typed.h"

namespace kernels {
namespace {

typedef float Vector __attribute__((vector_size(32)));

// Larger than the caches of a socket.
constexpr size_t kBandwidthBytes = size_t{128} << 20;

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

int ProcessorsWanted() {
  if (const char* text = std::getenv("KERNELS_THREADS"); text != nullptr && std::atoi(text) > 0) {
    return std::atoi(text);
  }
  return static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
}

class CpuBackend : public Backend {
 public:
  CpuBackend() : pool_(ProcessorsWanted()) {}

  std::string Name() const override { return "cpu"; }
  std::string Device() const override {
    std::string line;
    std::string model = "unknown processor";
    std::ifstream file("/proc/cpuinfo");
    while (std::getline(file, line)) {
      const size_t colon = line.find(": ");
      if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
        model = line.substr(colon + 2);
        break;
      }
    }
    return model + ", " + std::to_string(pool_.threads()) + " threads";
  }

  void* Allocate(size_t bytes) override { return std::malloc(std::max<size_t>(bytes, 1)); }
  void Free(void* memory) override { std::free(memory); }
  void CopyIn(void* memory, const void* host, size_t bytes) override {
    if (bytes > 0) std::memcpy(memory, host, bytes);
  }
  void CopyOut(void* host, const void* memory, size_t bytes) override {
    if (bytes > 0) std::memcpy(host, memory, bytes);
  }
  std::string Finish() override { return ""; }
  void SetThreads(int threads) override { pool_.SetThreads(threads); }

  void Reduce(Reduction reduction, Type type, const void* x, int64_t rows, int64_t columns, float* out) override {
    Typed(type, [&](auto t) { cpu::Reduce(pool_, reduction, As<decltype(t)>(x), rows, columns, out); });
  }
  void Softmax(Type type, const void* x, int64_t rows, int64_t columns, void* y) override {
    Typed(type, [&](auto t) { cpu::Softmax(pool_, As<decltype(t)>(x), rows, columns, As<decltype(t)>(y)); });
  }
  void LayerNorm(Type type, const void* x, const float* gamma, const float* beta, int64_t rows, int64_t columns,
                 float epsilon, void* y) override {
    Typed(type, [&](auto t) {
      cpu::LayerNorm(pool_, As<decltype(t)>(x), gamma, beta, rows, columns, epsilon, As<decltype(t)>(y));
    });
  }
  void Gemm(Type type, const void* a, const void* b, void* c, int64_t m, int64_t n, int64_t k, float alpha,
            float beta) override {
    Typed(type, [&](auto t) {
      cpu::Gemm(pool_, As<decltype(t)>(a), As<decltype(t)>(b), As<decltype(t)>(c), m, n, k, alpha, beta);
    });
  }
  void Rotary(Pairing pairing, Type type, const void* x, const int32_t* positions, const float* cosines,
              const float* sines, int64_t tokens, int64_t heads, int64_t width, void* y) override {
    Typed(type, [&](auto t) {
      cpu::Rotary(pool_, pairing, As<decltype(t)>(x), positions, cosines, sines, tokens, heads, width,
                  As<decltype(t)>(y));
    });
  }
  void Quantise(Type type, const void* x, int64_t rows, int64_t columns, int64_t group, int8_t* q,
                float* scales) override {
    Typed(type, [&](auto t) { cpu::Quantise(pool_, As<decltype(t)>(x), rows, columns, group, q, scales); });
  }
  void Dequantise(Type type, const int8_t* q, const float* scales, int64_t rows, int64_t columns, int64_t group,
                  void* y) override {
    Typed(type, [&](auto t) { cpu::Dequantise(pool_, q, scales, rows, columns, group, As<decltype(t)>(y)); });
  }

  double Seconds(const std::function<void()>& calls) override {
    const double begin = Now();
    calls();
    return Now() - begin;
  }
  std::string TimingMethod() const override { return "steady_clock"; }

  double MeasureBandwidth() override {
    const std::vector<char> from(kBandwidthBytes, 1);
    std::vector<char> to(kBandwidthBytes);
    double best = 0;
    for (int round = 0; round < 5; ++round) {
      const double seconds = Seconds([&] {
        pool_.For(static_cast<int64_t>(kBandwidthBytes), int64_t{1} << 20, [&](int64_t begin, int64_t end) {
          std::memcpy(to.data() + begin, from.data() + begin, static_cast<size_t>(end - begin));
        });
      });
      best = std::max(best, 2.0 * static_cast<double>(kBandwidthBytes) / seconds);
    }
    return best;
  }

  double MeasurePeak() override {
    constexpr int kChains = 12;  // more than a multiply-add's latency times its throughput
    constexpr int64_t kRounds = 4'000'000;
    double best = 0;
    for (int round = 0; round < 3; ++round) {
      const double seconds = Seconds([&] {
        pool_.For(pool_.threads(), 1, [&](int64_t begin, int64_t end) {
          for (int64_t thread = begin; thread < end; ++thread) {
            Vector sums[kChains];
            const float start = 1e-3F * static_cast<float>(thread + 1);
            for (Vector& sum : sums) sum = Vector{} + start;
            const Vector factor = Vector{} + 0.999F;
            const Vector step = Vector{} + 1e-6F;
            for (int64_t i = 0; i < kRounds; ++i) {
              for (Vector& sum : sums) sum = sum * factor + step;
            }
            float total = 0;
            for (const Vector& sum : sums) total += sum[0];
            // Seen from outside, so that it is computed.
            sink_.store(total, std::memory_order_relaxed);
          }
        });
      });
      best = std::max(best, 2.0 * kChains * 8 * static_cast<double>(kRounds) * pool_.threads() / seconds);
    }
    return best;
  }

 private:
  Pool pool_;
  std::atomic<float> sink_{0};
};

}  // namespace
}  // namespace kernels

extern "C" __attribute__((visibility("default"))) kernels::Backend* MakeKernelBackend(std::string& /*error*/) {
  return new kernels::CpuBackend();
}
