// Six kernels behind one interface: processors and CUDA implement it, tests and the benchmark know nothing else.
//
// Matrices are dense and row-major. Values are stored as `type` says and computed in float. Pointers belong to the
// backend (Allocate), except where a comment says otherwise. Calls may be asynchronous: Finish() waits and tells the
// first error. A kernel may write its result over its first input (y == x) unless a comment says otherwise.
//
// What is no number: NaN in gives NaN out, never something that looks like a number. Details at each kernel.
#ifndef KERNELS_KERNELS_H_
#define KERNELS_KERNELS_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace kernels {

enum class Type { kFloat32, kFloat16, kBFloat16 };

enum class Reduction { kSum, kMax };

// Which elements of a head of `width` are turned together.
enum class Pairing {
  kHalves,       // i and i + width / 2
  kInterleaved,  // 2 i and 2 i + 1
};

class Backend {
 public:
  virtual ~Backend() = default;

  // "cpu", "cuda", "emulated".
  virtual std::string Name() const = 0;
  // The machine: model and number of processors or multiprocessors.
  virtual std::string Device() const = 0;

  // Null if there is not enough memory; 0 bytes are allowed.
  virtual void* Allocate(size_t bytes) = 0;
  virtual void Free(void* memory) = 0;
  // `host` is ordinary memory.
  virtual void CopyIn(void* memory, const void* host, size_t bytes) = 0;
  virtual void CopyOut(void* host, const void* memory, size_t bytes) = 0;
  // Waits for everything. Empty, or the first error since the last call.
  virtual std::string Finish() = 0;
  // Worker threads of processors, 1 or more; others ignore it. Results don't depend on it.
  virtual void SetThreads(int threads) = 0;

  // out[row] = sum or maximum of a row, in float. Of no columns: 0, minus infinity. NaN in a row gives NaN, for the
  // maximum as well.
  virtual void Reduce(Reduction reduction, Type type, const void* x, int64_t rows, int64_t columns, float* out) = 0;

  // Softmax of each row. A row with NaN or plus infinity, or with nothing but minus infinity, is NaN throughout; minus
  // infinity among others becomes 0.
  virtual void Softmax(Type type, const void* x, int64_t rows, int64_t columns, void* y) = 0;

  // (x - mean) / sqrt(variance + epsilon) * gamma + beta of each row; gamma and beta are float. A row with NaN or
  // infinity is NaN throughout.
  virtual void LayerNorm(Type type, const void* x, const float* gamma, const float* beta, int64_t rows, int64_t columns,
                         float epsilon, void* y) = 0;

  // c = alpha a b + beta c; a is [m, k], b [k, n], c [m, n]. With beta 0 c is not read: what was no number there does
  // not stay. k may be 0. c must not overlap a or b.
  virtual void Gemm(Type type, const void* a, const void* b, void* c, int64_t m, int64_t n, int64_t k, float alpha,
                    float beta) = 0;

  // Turns each pair of a head by the angle of its token's position. x is [tokens, heads, width], width even; cosines
  // and sines are [any, width / 2], rows by position, made by the caller in double precision.
  virtual void Rotary(Pairing pairing, Type type, const void* x, const int32_t* positions, const float* cosines,
                      const float* sines, int64_t tokens, int64_t heads, int64_t width, void* y) = 0;

  // Symmetric 8 bits, groups of `group` columns (the last of a row may be shorter): scale = largest magnitude / 127,
  // q = x / scale to the nearest, ties to even. A group of zeros, or smaller than kSmallestMagnitude, has scale 0 and
  // q 0. A group with NaN or infinity has scale NaN and q 0: it comes back as NaN. scales is [rows, groups of a row].
  virtual void Quantise(Type type, const void* x, int64_t rows, int64_t columns, int64_t group, int8_t* q,
                        float* scales) = 0;
  // y = q * scale.
  virtual void Dequantise(Type type, const int8_t* q, const float* scales, int64_t rows, int64_t columns, int64_t group,
                          void* y) = 0;

  // Seconds that `calls` takes until all of it is done, and how that was measured.
  virtual double Seconds(const std::function<void()>& calls) = 0;
  virtual std::string TimingMethod() const = 0;
  // What this machine reaches: bytes a second of a large copy (read and written), and float operations a second of
  // independent multiply-adds. Measured when called.
  virtual double MeasureBandwidth() = 0;
  virtual double MeasurePeak() = 0;
};

// Below it the scale of a group would not be a normal float.
inline constexpr float kSmallestMagnitude = 1.5e-36F;

inline size_t SizeOf(Type type) { return type == Type::kFloat32 ? 4 : 2; }

// What a backend's shared object exports as "MakeKernelBackend". Null and `error` where there is no such device.
// Nothing happens before it is called: loading the object starts no thread and touches no device.
using MakeBackendFunction = Backend* (*)(std::string& error);

}  // namespace kernels

#endif  // KERNELS_KERNELS_H_
