// The half of a backend that launches the CUDA kernels: the same for a GPU and for emulated warps.
#ifndef KERNELS_CUDA_LAUNCHING_BACKEND_H_
#define KERNELS_CUDA_LAUNCHING_BACKEND_H_

#include "cuda/elements.cuh"
#include "cuda/gemm.cuh"
#include "cuda/rows.cuh"
#include "typed.h"

namespace kernels::cuda {

class LaunchingBackend : public Backend {
 public:
  void SetThreads(int /*threads*/) override {}

  void Reduce(Reduction reduction, Type type, const void* x, int64_t rows, int64_t columns, float* out) override {
    float* const parts = Parts(rows * PartsOf(rows, columns));
    Typed(type, [&](auto t) { LaunchReduce(reduction, As<decltype(t)>(x), rows, columns, parts, out); });
    Launched();
  }
  void Softmax(Type type, const void* x, int64_t rows, int64_t columns, void* y) override {
    Typed(type, [&](auto t) { LaunchSoftmax(As<decltype(t)>(x), rows, columns, As<decltype(t)>(y)); });
    Launched();
  }
  void LayerNorm(Type type, const void* x, const float* gamma, const float* beta, int64_t rows, int64_t columns,
                 float epsilon, void* y) override {
    Typed(type, [&](auto t) {
      LaunchLayerNorm(As<decltype(t)>(x), gamma, beta, rows, columns, epsilon, As<decltype(t)>(y));
    });
    Launched();
  }
  void Gemm(Type type, const void* a, const void* b, void* c, int64_t m, int64_t n, int64_t k, float alpha,
            float beta) override {
    Typed(type, [&](auto t) {
      LaunchGemm(As<decltype(t)>(a), As<decltype(t)>(b), As<decltype(t)>(c), m, n, k, alpha, beta);
    });
    Launched();
  }
  void Rotary(Pairing pairing, Type type, const void* x, const int32_t* positions, const float* cosines,
              const float* sines, int64_t tokens, int64_t heads, int64_t width, void* y) override {
    Typed(type, [&](auto t) {
      LaunchRotary(pairing, As<decltype(t)>(x), positions, cosines, sines, tokens, heads, width, As<decltype(t)>(y));
    });
    Launched();
  }
  void Quantise(Type type, const void* x, int64_t rows, int64_t columns, int64_t group, int8_t* q,
                float* scales) override {
    Typed(type, [&](auto t) { LaunchQuantise(As<decltype(t)>(x), rows, columns, group, q, scales); });
    Launched();
  }
  void Dequantise(Type type, const int8_t* q, const float* scales, int64_t rows, int64_t columns, int64_t group,
                  void* y) override {
    Typed(type, [&](auto t) { LaunchDequantise(q, scales, rows, columns, group, As<decltype(t)>(y)); });
    Launched();
  }

 protected:
  // Room for so many floats, valid until the next call.
  virtual float* Parts(int64_t count) = 0;
  // After each launch.
  virtual void Launched() = 0;
};

}  // namespace kernels::cuda

#endif  // KERNELS_CUDA_LAUNCHING_BACKEND_H_
