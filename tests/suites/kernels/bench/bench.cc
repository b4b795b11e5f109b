// How close the kernels come to what this machine reaches: JSON lines on stdout.
//
//   KERNELS_BACKEND=libkernels_cpu.so kernels_bench [SECONDS [FILE]]
//
// SECONDS: about so long for each line, 0.2 without it. FILE gets the same lines.
//
// The first line is the machine's own speed, measured in the same run: a large copy, and independent multiply-adds in
// float. "share" is what a kernel reaches of the one that limits it.
#include <dlfcn.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "kernels.h"

namespace kernels {
namespace {

constexpr int kWarmUp = 2;
constexpr int kLeastIterations = 5;
constexpr int kMostIterations = 2000;

const char* NameOf(Type type) {
  return type == Type::kFloat32 ? "float32" : type == Type::kFloat16 ? "float16" : "bfloat16";
}

// One JSON object.
class Line {
 public:
  Line& Text(const char* key, const std::string& value) {
    Key(key) << '"';
    for (const char c : value) {
      if (c == '"' || c == '\\') out_ << '\\';
      if (static_cast<unsigned char>(c) >= ' ') out_ << c;
    }
    out_ << '"';
    return *this;
  }
  Line& Number(const char* key, double value) {
    Key(key) << value;
    return *this;
  }
  std::string Done() const { return out_.str() + "}"; }

 private:
  std::ostringstream& Key(const char* key) {
    out_ << (std::exchange(first_, false) ? "{\"" : ", \"") << key << "\": ";
    return out_;
  }

  std::ostringstream out_;
  bool first_ = true;
};

class Bench {
 public:
  // `file` may be null.
  Bench(Backend& backend, double seconds, std::FILE* file) : backend_(backend), seconds_(seconds), file_(file) {}

  void Machine() {
    bandwidth_ = backend_.MeasureBandwidth();
    peak_ = backend_.MeasurePeak();
    Print(Line()
              .Text("kernel", "machine")
              .Text("device", backend_.Device())
              .Text("timing", backend_.TimingMethod())
              .Number("bandwidth_gb_s", bandwidth_ / 1e9)
              .Number("peak_gflop_s", peak_ / 1e9));
  }

  // Each call moves `bytes` at least, or computes `operations`; the other is 0.
  void Measure(const std::string& kernel, const std::string& shape, Type type, double bytes, double operations,
               const std::function<void()>& call) {
    double once = 0;
    for (int i = 0; i < kWarmUp; ++i) once = backend_.Seconds(call);
    const int iterations =
        std::clamp(static_cast<int>(seconds_ / std::max(once, 1e-9)), kLeastIterations, kMostIterations);
    std::vector<double> times;
    for (int i = 0; i < iterations; ++i) times.push_back(backend_.Seconds(call));
    const std::string error = backend_.Finish();
    if (!error.empty()) {
      std::cerr << kernel << " " << shape << ": " << error << std::endl;
      std::exit(1);
    }
    std::sort(times.begin(), times.end());
    const double median = times[times.size() / 2];
    const bool by_memory = bytes > 0;
    const double rate = (by_memory ? bytes : operations) / median;
    Print(Line()
              .Text("kernel", kernel)
              .Text("shape", shape)
              .Text("dtype", NameOf(type))
              .Text("device", backend_.Device())
              .Number("warm_up", kWarmUp)
              .Number("iterations", iterations)
              .Text("timing", backend_.TimingMethod())
              .Number("median_us", median * 1e6)
              .Number("best_us", times.front() * 1e6)
              .Number(by_memory ? "gb_s" : "gflop_s", rate / 1e9)
              .Text("limit", by_memory ? "bandwidth" : "peak")
              .Number("share", rate / (by_memory ? bandwidth_ : peak_)));
  }

 private:
  Backend& backend_;
  void Print(const Line& line) {
    for (std::FILE* const to : {stdout, file_}) {
      if (to == nullptr) continue;
      std::fprintf(to, "%s\n", line.Done().c_str());
      std::fflush(to);
    }
  }

  const double seconds_;
  std::FILE* const file_;
  double bandwidth_ = 1;
  double peak_ = 1;
};

// Memory of the backend, filled with small positive values of `type`; freed at the end.
class Memory {
 public:
  Memory(Backend& backend, size_t bytes, Type type) : backend_(backend), memory_(backend.Allocate(bytes)) {
    if (memory_ == nullptr) {
      std::cerr << "no " << bytes << " bytes: " << backend.Finish() << std::endl;
      std::exit(1);
    }
    std::vector<char> host(bytes);
    for (size_t i = 0; i + 4 <= bytes; i += 4) {
      // 0.5 to 1 in each of the formats.
      const auto low = static_cast<uint32_t>(i * 2654435761u >> 10);
      const uint32_t bits = type == Type::kFloat32   ? 0x3f000000u | (low & 0x7fffffu)
                            : type == Type::kFloat16 ? 0x38003800u | (low & 0x03ff03ffu)
                                                     : 0x3f003f00u | (low & 0x007f007fu);
      std::copy_n(reinterpret_cast<const char*>(&bits), 4, host.begin() + static_cast<std::ptrdiff_t>(i));
    }
    backend.CopyIn(memory_, host.data(), bytes);
  }
  ~Memory() { backend_.Free(memory_); }
  Memory(const Memory&) = delete;
  Memory& operator=(const Memory&) = delete;
  void* get() const { return memory_; }
  float* floats() const { return static_cast<float*>(memory_); }

 private:
  Backend& backend_;
  void* memory_;
};

void RunAll(Backend& backend, double seconds, std::FILE* file) {
  Bench bench(backend, seconds, file);
  bench.Machine();
  // 16 Mi elements: beyond the caches of processors.
  constexpr int64_t kRows = 4096;
  constexpr int64_t kColumns = 4096;
  constexpr int64_t kCount = kRows * kColumns;
  constexpr int64_t kHeads = 32;
  constexpr int64_t kWidth = 128;
  constexpr int64_t kTokens = kCount / (kHeads * kWidth);
  constexpr int64_t kGroup = 128;
  const std::string rows = std::to_string(kRows) + "x" + std::to_string(kColumns);
  const Memory floats(backend, kCount * 4, Type::kFloat32);
  const Memory small(backend, kCount, Type::kFloat32);
  const Memory scales(backend, kCount / kGroup * 4, Type::kFloat32);
  const Memory positions(backend, kTokens * 4, Type::kFloat32);
  std::vector<int32_t> where(kTokens);
  for (int64_t i = 0; i < kTokens; ++i) where[static_cast<size_t>(i)] = static_cast<int32_t>(i);
  backend.CopyIn(positions.get(), where.data(), where.size() * sizeof(int32_t));
  for (const Type type : {Type::kFloat32, Type::kBFloat16, Type::kFloat16}) {
    const auto size = static_cast<double>(SizeOf(type));
    const Memory x(backend, static_cast<size_t>(kCount) * SizeOf(type), type);
    const Memory y(backend, static_cast<size_t>(kCount) * SizeOf(type), type);
    bench.Measure("reduce_sum", rows, type, kCount * size, 0,
                  [&] { backend.Reduce(Reduction::kSum, type, x.get(), kRows, kColumns, scales.floats()); });
    bench.Measure("reduce_max", "1x" + std::to_string(kCount), type, kCount * size, 0,
                  [&] { backend.Reduce(Reduction::kMax, type, x.get(), 1, kCount, scales.floats()); });
    bench.Measure("softmax", rows, type, 2 * kCount * size, 0,
                  [&] { backend.Softmax(type, x.get(), kRows, kColumns, y.get()); });
    bench.Measure("layer_norm", rows, type, 2 * kCount * size, 0, [&] {
      backend.LayerNorm(type, x.get(), floats.floats(), floats.floats(), kRows, kColumns, 1e-5F, y.get());
    });
    bench.Measure("rotary", std::to_string(kTokens) + "x" + std::to_string(kHeads) + "x" + std::to_string(kWidth), type,
                  2 * kCount * size, 0, [&] {
                    backend.Rotary(Pairing::kHalves, type, x.get(), static_cast<int32_t*>(positions.get()),
                                   floats.floats(), floats.floats(), kTokens, kHeads, kWidth, y.get());
                  });
    bench.Measure("quantise", rows + "/" + std::to_string(kGroup), type, kCount * (size + 1), 0, [&] {
      backend.Quantise(type, x.get(), kRows, kColumns, kGroup, static_cast<int8_t*>(small.get()), scales.floats());
    });
    bench.Measure("dequantise", rows + "/" + std::to_string(kGroup), type, kCount * (size + 1), 0, [&] {
      backend.Dequantise(type, static_cast<const int8_t*>(small.get()), scales.floats(), kRows, kColumns, kGroup,
                         y.get());
    });
    for (const int64_t side : {256, 1024}) {
      const auto n = static_cast<double>(side);
      const Memory c(backend, static_cast<size_t>(side * side) * SizeOf(type), type);
      const std::string shape = std::to_string(side);
      bench.Measure("gemm", shape + "x" + shape + "x" + shape, type, 0, 2 * n * n * n, [&] {
        backend.Gemm(type, x.get(), y.get(), c.get(), side, side, side, 1.0F / static_cast<float>(side), 0);
      });
    }
  }
}

int Main(int argc, char** argv) {
  const char* path = std::getenv("KERNELS_BACKEND");
  void* const object = dlopen(path == nullptr ? "libkernels_cpu.so" : path, RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    std::cerr << "can't load the backend: " << dlerror() << std::endl;
    return 2;
  }
  const auto make = reinterpret_cast<MakeBackendFunction>(dlsym(object, "MakeKernelBackend"));
  std::string error = "it has no MakeKernelBackend";
  const std::unique_ptr<Backend> backend(make == nullptr ? nullptr : make(error));
  if (!backend) {
    std::cerr << error << std::endl;
    return 2;
  }
  std::FILE* const file = argc > 2 ? std::fopen(argv[2], "w") : nullptr;
  if (argc > 2 && file == nullptr) {
    std::cerr << "can't write " << argv[2] << std::endl;
    return 2;
  }
  RunAll(*backend, argc > 1 ? std::atof(argv[1]) : 0.2, file);
  return file == nullptr || std::fclose(file) == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kernels

int main(int argc, char** argv) { return kernels::Main(argc, argv); }
