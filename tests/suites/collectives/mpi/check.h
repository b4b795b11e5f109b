// Compares with the reference, and leaves both behind as NAME.actual.npy and NAME.expected.npy in the folder $TENSORS
// (where it is set) for whoever wants to compare again.
#ifndef COLLECTIVES_MPI_CHECK_H_
#define COLLECTIVES_MPI_CHECK_H_

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "bfloat16.h"

struct Tolerance {
  double relative = 0;
  double absolute = 0;
};

template <typename T>
struct TypeFacts;
template <>
struct TypeFacts<float> {
  static constexpr const char* kName = "float32";
  static constexpr Tolerance kTolerance = {1e-5, 1e-6};
};
template <>
struct TypeFacts<double> {
  static constexpr const char* kName = "float64";
  static constexpr Tolerance kTolerance = {1e-10, 1e-12};
};
template <>
struct TypeFacts<BFloat16> {
  static constexpr const char* kName = "bfloat16";
  static constexpr Tolerance kTolerance = {1e-2, 1e-2};
};
template <>
struct TypeFacts<int64_t> {
  static constexpr const char* kName = "int64";
  static constexpr Tolerance kTolerance = {0, 0};
};

// `values` are compared after they were rounded to the dtype on both sides. `name` is unique within the test.
testing::AssertionResult CheckValues(const std::string& name, const std::vector<double>& actual,
                                     const std::vector<double>& expected, const std::string& dtype,
                                     const Tolerance& tolerance);

template <typename T>
testing::AssertionResult Check(const std::string& name, const std::vector<T>& actual,
                               const std::vector<double>& expected) {
  std::vector<double> left;
  std::vector<double> right;
  for (const T& value : actual) left.push_back(static_cast<double>(value));
  for (const double value : expected) {
    if constexpr (std::is_same_v<T, BFloat16>) {
      right.push_back(static_cast<double>(BFloat16(static_cast<float>(value))));
    } else {
      right.push_back(static_cast<double>(static_cast<T>(value)));
    }
  }
  return CheckValues(name, left, right, TypeFacts<T>::kName, TypeFacts<T>::kTolerance);
}

#endif  // COLLECTIVES_MPI_CHECK_H_
