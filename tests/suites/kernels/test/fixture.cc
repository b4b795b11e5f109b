#include "test/fixture.h"

#include <dlfcn.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>

#include "typed.h"

namespace kernels {

void PrintTo(Type type, std::ostream* out) { *out << testing::NameOf(type); }

}  // namespace kernels

namespace kernels::testing {
namespace {

// Behind each result lie so many bytes that nobody may touch.
constexpr size_t kGuard = 64;
constexpr unsigned char kUntouched = 0xa5;
// Larger tensors are compared here only.
constexpr size_t kMostWritten = 20'000;

// Memory of the backend with a guard behind it.
class Buffer {
 public:
  explicit Buffer(size_t bytes) : bytes_(bytes), memory_(TheBackend().Allocate(bytes + kGuard)) {
    if (memory_ == nullptr) {
      std::cerr << "no " << bytes << " bytes on " << TheBackend().Name() << ": " << TheBackend().Finish() << std::endl;
      std::abort();
    }
    const std::vector<unsigned char> fill(bytes + kGuard, kUntouched);
    TheBackend().CopyIn(memory_, fill.data(), fill.size());
  }
  ~Buffer() { TheBackend().Free(memory_); }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;

  void* get() const { return memory_; }
  template <typename T>
  T* as() const {
    return static_cast<T*>(memory_);
  }

  void Set(const void* host) { TheBackend().CopyIn(memory_, host, bytes_); }
  // Waits, and tells what went wrong on the way.
  void Get(void* host) const {
    EXPECT_EQ(TheBackend().Finish(), "");
    std::vector<unsigned char> all(bytes_ + kGuard);
    TheBackend().CopyOut(all.data(), memory_, all.size());
    EXPECT_EQ(TheBackend().Finish(), "");
    for (size_t i = bytes_; i < all.size(); ++i) {
      ASSERT_EQ(all[i], kUntouched) << "written " << i - bytes_ << " bytes beyond the end";
    }
    if (bytes_ > 0) std::memcpy(host, all.data(), bytes_);
  }

 private:
  size_t bytes_;
  void* memory_;
};

std::vector<char> Encode(Type type, const Values& values) {
  std::vector<char> bytes(values.size() * SizeOf(type));
  Typed(type, [&](auto t) {
    using T = decltype(t);
    for (size_t i = 0; i < values.size(); ++i) {
      const T element = FromFloat<T>(static_cast<float>(values[i]));
      std::memcpy(bytes.data() + i * sizeof(T), &element, sizeof(T));
    }
  });
  return bytes;
}

Values Decode(Type type, const std::vector<char>& bytes) {
  Values values(bytes.size() / SizeOf(type));
  Typed(type, [&](auto t) {
    using T = decltype(t);
    for (size_t i = 0; i < values.size(); ++i) {
      T element;
      std::memcpy(&element, bytes.data() + i * sizeof(T), sizeof(T));
      values[i] = ToFloat(element);
    }
  });
  return values;
}

// A buffer that holds `values` as `type`.
class Input : public Buffer {
 public:
  Input(Type type, const Values& values) : Buffer(values.size() * SizeOf(type)) { Set(Encode(type, values).data()); }
};

class Output : public Buffer {
 public:
  Output(Type type, int64_t count)
      : Buffer(static_cast<size_t>(count) * SizeOf(type)), type_(type), count_(static_cast<size_t>(count)) {}
  Values Take() const {
    std::vector<char> bytes(count_ * SizeOf(type_));
    Get(bytes.data());
    return Decode(type_, bytes);
  }

 private:
  Type type_;
  size_t count_;
};

// NumPy's format 1.0, one dimension, float32: it holds all three types exactly.
void WriteArray(const std::filesystem::path& path, const Values& values) {
  std::ostringstream header;
  header << "{'descr': '<f4', 'fortran_order': False, 'shape': (" << values.size() << ",), }";
  std::string text = header.str();
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::ofstream file(path, std::ios::binary);
  file.write("\x93NUMPY\x01\x00", 8);
  file.put(static_cast<char>(text.size() & 0xff));
  file.put(static_cast<char>(text.size() >> 8));
  file << text;
  for (const double value : values) {
    const auto element = static_cast<float>(value);
    file.write(reinterpret_cast<const char*>(&element), sizeof element);
  }
}

void WriteTensors(Type type, const std::string& name, const Values& actual, const Values& expected) {
  const char* folder = std::getenv("TENSORS");
  if (folder == nullptr || *folder == '\0') return;
  for (size_t i = 0; i < expected.size(); ++i) {
    if (std::isnan(expected[i])) return;
  }
  std::filesystem::create_directories(folder);
  const ::testing::TestInfo* test = ::testing::UnitTest::GetInstance()->current_test_info();
  std::string stem = std::string(test->test_suite_name()) + "." + test->name() + "." + name + "@" + NameOf(type);
  for (char& c : stem) {
    if (c == '/') c = '.';
  }
  WriteArray(std::filesystem::path(folder) / (stem + ".actual.npy"), actual);
  WriteArray(std::filesystem::path(folder) / (stem + ".expected.npy"), expected);
}

Backend* Load() {
  void* const object = dlopen(BackendPath().c_str(), RTLD_NOW | RTLD_LOCAL);
  if (object == nullptr) {
    std::cerr << "can't load the backend: " << dlerror() << std::endl;
    std::exit(2);
  }
  const auto make = reinterpret_cast<MakeBackendFunction>(dlsym(object, "MakeKernelBackend"));
  std::string error = "it has no MakeKernelBackend";
  Backend* const backend = make == nullptr ? nullptr : make(error);
  if (backend == nullptr) {
    std::cerr << BackendPath() << ": " << error << std::endl;
    std::exit(2);
  }
  std::cout << "backend: " << backend->Name() << ", " << backend->Device() << std::endl;
  return backend;
}

}  // namespace

std::string BackendPath() {
  const char* path = std::getenv("KERNELS_BACKEND");
  return path == nullptr ? "libkernels_cpu.so" : path;
}

Backend& TheBackend() {
  static const std::unique_ptr<Backend> backend(Load());
  return *backend;
}

const char* NameOf(Type type) {
  return type == Type::kFloat32 ? "float32" : type == Type::kFloat16 ? "float16" : "bfloat16";
}

Values Draw(Type type, int64_t count, uint64_t seed, double scale) {
  Values values;
  uint64_t state = seed * 0x9e3779b97f4a7c15u + 1;
  for (int64_t i = 0; i < count; ++i) {
    // xorshift*
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    const auto high = static_cast<double>((state * 0x2545f4914f6cdd1du) >> 40);
    values.push_back((high / (1 << 23) - 1) * scale);
  }
  return RoundTo(type, std::move(values));
}

Values RoundTo(Type type, Values values) {
  Typed(type, [&](auto t) {
    for (double& value : values) value = ToFloat(FromFloat<decltype(t)>(static_cast<float>(value)));
  });
  return values;
}

Values Reduce(Type type, Reduction reduction, const Values& x, int64_t rows, int64_t columns) {
  const Input input(type, x);
  const Output output(Type::kFloat32, rows);
  TheBackend().Reduce(reduction, type, input.get(), rows, columns, output.as<float>());
  return output.Take();
}

Values Softmax(Type type, const Values& x, int64_t rows, int64_t columns) {
  const Input input(type, x);
  const Output output(type, rows * columns);
  TheBackend().Softmax(type, input.get(), rows, columns, output.get());
  return output.Take();
}

Values LayerNorm(Type type, const Values& x, const Values& gamma, const Values& beta, int64_t rows, int64_t columns,
                 double epsilon) {
  const Input input(type, x);
  const Input scale(Type::kFloat32, gamma);
  const Input shift(Type::kFloat32, beta);
  const Output output(type, rows * columns);
  TheBackend().LayerNorm(type, input.get(), scale.as<float>(), shift.as<float>(), rows, columns,
                         static_cast<float>(epsilon), output.get());
  return output.Take();
}

Values Gemm(Type type, const Values& a, const Values& b, int64_t m, int64_t n, int64_t k, double alpha, double beta,
            const Values& c) {
  const Input left(type, a);
  const Input right(type, b);
  Output output(type, m * n);
  if (!c.empty()) output.Set(Encode(type, c).data());
  TheBackend().Gemm(type, left.get(), right.get(), output.get(), m, n, k, static_cast<float>(alpha),
                    static_cast<float>(beta));
  return output.Take();
}

Values Rotary(Type type, Pairing pairing, const Values& x, const std::vector<int32_t>& positions, double base,
              int64_t tokens, int64_t heads, int64_t width) {
  int32_t last = 0;
  for (const int32_t position : positions) last = std::max(last, position);
  Values cosines;
  Values sines;
  for (int32_t position = 0; position <= last; ++position) {
    for (int64_t i = 0; i < width / 2; ++i) {
      const double angle = position * std::pow(base, -2.0 * static_cast<double>(i) / static_cast<double>(width));
      cosines.push_back(std::cos(angle));
      sines.push_back(std::sin(angle));
    }
  }
  const Input input(type, x);
  const Input cosine(Type::kFloat32, cosines);
  const Input sine(Type::kFloat32, sines);
  Buffer where(positions.size() * sizeof(int32_t));
  where.Set(positions.data());
  const Output output(type, tokens * heads * width);
  TheBackend().Rotary(pairing, type, input.get(), where.as<int32_t>(), cosine.as<float>(), sine.as<float>(), tokens,
                      heads, width, output.get());
  return output.Take();
}

Quantised Quantise(Type type, const Values& x, int64_t rows, int64_t columns, int64_t group) {
  const Input input(type, x);
  const Buffer small(static_cast<size_t>(rows * columns));
  const Output scales(Type::kFloat32, rows * ((columns + group - 1) / group));
  TheBackend().Quantise(type, input.get(), rows, columns, group, small.as<int8_t>(), scales.as<float>());
  Quantised result;
  result.q.resize(static_cast<size_t>(rows * columns));
  small.Get(result.q.data());
  result.scales = scales.Take();
  return result;
}

Values Dequantise(Type type, const Quantised& quantised, int64_t rows, int64_t columns, int64_t group) {
  Buffer small(quantised.q.size());
  small.Set(quantised.q.data());
  const Input scales(Type::kFloat32, quantised.scales);
  const Output output(type, rows * columns);
  TheBackend().Dequantise(type, small.as<int8_t>(), scales.as<float>(), rows, columns, group, output.get());
  return output.Take();
}

Tolerance ToleranceOf(Type type) {
  switch (type) {
    case Type::kFloat16:
      return {1e-3, 1e-3, true};
    case Type::kBFloat16:
      return {1e-2, 1e-2, true};
    case Type::kFloat32:
      break;
  }
  return {1e-5, 1e-6, true};
}

::testing::AssertionResult Near(Type type, const std::string& name, const Values& actual, const Values& expected,
                                const Tolerance& tolerance) {
  const Values rounded = RoundTo(type, expected);
  if (tolerance.known && actual.size() <= kMostWritten) WriteTensors(type, name, actual, rounded);
  if (actual.size() != rounded.size()) {
    return ::testing::AssertionFailure() << name << " has " << actual.size() << " elements, not " << rounded.size();
  }
  size_t off = 0;
  size_t first = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    if (actual[i] == rounded[i] || (std::isnan(actual[i]) && std::isnan(rounded[i]))) continue;
    // Written so that a NaN on one side is off.
    if (std::abs(actual[i] - rounded[i]) <= tolerance.absolute + tolerance.relative * std::abs(rounded[i])) continue;
    if (off++ == 0) first = i;
  }
  if (off == 0) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << name << ": " << off << " of " << actual.size() << " elements are off; ["
                                       << first << "] is " << actual[first] << ", not " << rounded[first];
}

}  // namespace kernels::testing
