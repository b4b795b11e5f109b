// What all tests stand on: the backend under test, calls that take and give vectors, comparison with the reference.
#ifndef KERNELS_TEST_FIXTURE_H_
#define KERNELS_TEST_FIXTURE_H_

#include <gtest/gtest.h>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

#include "kernels.h"
#include "reference/reference.h"

namespace kernels {

// As GoogleTest names a parameter.
void PrintTo(Type type, std::ostream* out);

}  // namespace kernels

namespace kernels::testing {

using reference::Values;

// The shared object of $KERNELS_BACKEND, loaded once. Ends the program where it can't be had: a test that needs no
// backend does not call it.
Backend& TheBackend();
// The file, as given.
std::string BackendPath();

const char* NameOf(Type type);
inline std::string TypeName(const ::testing::TestParamInfo<Type>& info) { return NameOf(info.param); }
inline const Type kTypes[] = {Type::kFloat32, Type::kFloat16, Type::kBFloat16};

// Pseudo-random values in [-1, 1], rounded to what `type` holds, so that the reference sees the same numbers.
Values Draw(Type type, int64_t count, uint64_t seed, double scale = 1);
Values RoundTo(Type type, Values values);

// Calls by value. Each fails the test if the backend reports an error or writes beyond the end of its result.
Values Reduce(Type type, Reduction reduction, const Values& x, int64_t rows, int64_t columns);
Values Softmax(Type type, const Values& x, int64_t rows, int64_t columns);
Values LayerNorm(Type type, const Values& x, const Values& gamma, const Values& beta, int64_t rows, int64_t columns,
                 double epsilon = 1e-5);
Values Gemm(Type type, const Values& a, const Values& b, int64_t m, int64_t n, int64_t k, double alpha = 1,
            double beta = 0, const Values& c = {});
Values Rotary(Type type, Pairing pairing, const Values& x, const std::vector<int32_t>& positions, double base,
              int64_t tokens, int64_t heads, int64_t width);
struct Quantised {
  std::vector<int8_t> q;
  Values scales;
};
Quantised Quantise(Type type, const Values& x, int64_t rows, int64_t columns, int64_t group);
Values Dequantise(Type type, const Quantised& quantised, int64_t rows, int64_t columns, int64_t group);

struct Tolerance {
  double relative = 0;
  double absolute = 0;
  // The suite's manifest knows it: tensors that it is used for are left behind for whoever compares again.
  bool known = false;
};
// float32 is strict; 16 bits have what they hold.
Tolerance ToleranceOf(Type type);
// For chains of several kernels.
inline constexpr Tolerance kOfChains = {1e-4, 1e-5, true};

// |actual - expected| <= absolute + relative |expected| for all; NaN only where NaN is expected, and there it must be.
// `expected` is rounded to `type` first. With a tolerance that the manifest knows both are left in $TENSORS, where that
// is set, as NAME@type.{actual,expected}.npy, unless there are many or one is NaN.
::testing::AssertionResult Near(Type type, const std::string& name, const Values& actual, const Values& expected,
                                const Tolerance& tolerance);
inline ::testing::AssertionResult Near(Type type, const std::string& name, const Values& actual,
                                       const Values& expected) {
  return Near(type, name, actual, expected, ToleranceOf(type));
}

class KernelTest : public ::testing::TestWithParam<Type> {
 protected:
  Type type() const { return GetParam(); }
};

}  // namespace kernels::testing

#endif  // KERNELS_TEST_FIXTURE_H_
