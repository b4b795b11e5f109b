// Two .npy files in memory, element by element.
#include <algorithm>
#include <array>
#include <cstring>
#include <string_view>

#include "services/worker/errors.h"
#include "services/worker/reports/half.h"
#include "services/worker/reports/npy.h"
#include "services/worker/reports/tensor_errors.h"
#include "services/worker/reports/tensors.h"

namespace yardmaster::worker {
namespace {

// Reads elements of a file, which are not aligned, as doubles.
using Reader = void (*)(const char* from, size_t count, double* to);

template <typename T>
void ReadAs(const char* from, size_t count, double* to) {
  for (size_t i = 0; i < count; ++i) {
    T value;
    std::memcpy(&value, from + i * sizeof(T), sizeof(T));
    to[i] = static_cast<double>(value);
  }
}

void ReadHalf(const char* from, size_t count, double* to) {
  for (size_t i = 0; i < count; ++i) {
    uint16_t value = 0;
    std::memcpy(&value, from + i * sizeof(value), sizeof(value));
    to[i] = HalfToFloat(value);
  }
}

Reader FloatReader(const NpyArray& array) {
  switch (array.element_bytes) {
    case 2:
      return ReadHalf;
    case 4:
      return ReadAs<float>;
    default:
      return ReadAs<double>;
  }
}

void CompareFloats(const NpyArray& actual, const NpyArray& expected, TensorErrors& errors) {
  const Reader read_actual = FloatReader(actual);
  const Reader read_expected = FloatReader(expected);
  alignas(16) std::array<double, kErrorBlock> left{};
  alignas(16) std::array<double, kErrorBlock> right{};
  for (uint64_t at = 0; at < actual.elements; at += kErrorBlock) {
    const auto count = static_cast<size_t>(std::min<uint64_t>(kErrorBlock, actual.elements - at));
    read_actual(actual.data.data() + at * actual.element_bytes, count, left.data());
    read_expected(expected.data.data() + at * expected.element_bytes, count, right.data());
    errors.AddBlock(left.data(), right.data(), count);
  }
}

// An integer of any width and sign: the value, and whether it is negative (then `bits` is its two's complement).
struct Integer {
  uint64_t bits = 0;
  bool negative = false;
  double AsDouble() const {
    return negative ? static_cast<double>(static_cast<int64_t>(bits)) : static_cast<double>(bits);
  }
  friend bool operator==(const Integer&, const Integer&) = default;
};

Integer ReadInteger(const NpyArray& array, uint64_t at) {
  uint64_t bits = 0;
  std::memcpy(&bits, array.data.data() + at * array.element_bytes, array.element_bytes);
  const size_t unused = 64 - 8 * array.element_bytes;
  if (!array.is_signed) return {bits, false};
  // Shifting back spreads the sign.
  const auto value = static_cast<int64_t>(bits << unused) >> unused;
  return {static_cast<uint64_t>(value), value < 0};
}

void CompareIntegers(const NpyArray& actual, const NpyArray& expected, TensorErrors& errors) {
  // Same bytes are same values; most tensors of integers are equal throughout.
  const bool same_type = actual.dtype == expected.dtype;
  for (uint64_t at = 0; at < actual.elements; at += kErrorBlock) {
    const uint64_t count = std::min<uint64_t>(kErrorBlock, actual.elements - at);
    const size_t offset = at * actual.element_bytes;
    if (same_type &&
        std::memcmp(actual.data.data() + offset, expected.data.data() + offset, count * actual.element_bytes) == 0) {
      errors.AddEqual(count, ReadInteger(actual, at).AsDouble());
      continue;
    }
    for (uint64_t i = at; i < at + count; ++i) {
      const Integer left = ReadInteger(actual, i);
      const Integer right = ReadInteger(expected, i);
      if (left == right) {
        errors.AddEqual(1, left.AsDouble());
      } else {
        errors.AddUnequal(left.AsDouble(), right.AsDouble());
      }
    }
  }
}

}  // namespace

absl::StatusOr<TensorResult> CompareTensors(std::string_view actual, std::string_view expected,
                                            const rules::Tolerance& tolerance) {
  const absl::StatusOr<NpyArray> left = ParseNpy(actual);
  if (!left.ok()) return worker_errors::BadTensorSide("actual", left.status());
  const absl::StatusOr<NpyArray> right = ParseNpy(expected);
  if (!right.ok()) return worker_errors::BadTensorSide("expected", right.status());
  // Floats of other widths may be compared: references are often computed in more bits.
  if (left->kind != right->kind) return worker_errors::TensorsDiffer("kinds of elements", left->dtype, right->dtype);
  if (left->shape != right->shape) {
    return worker_errors::TensorsDiffer("shapes", ShapeText(left->shape), ShapeText(right->shape));
  }
  TensorResult result;
  result.dtype = left->dtype;
  result.shape = left->shape;
  if (left->kind == ElementKind::kFloat) result.tolerance = tolerance;
  TensorErrors errors(result.tolerance);
  if (left->kind == ElementKind::kFloat) {
    CompareFloats(*left, *right, errors);
  } else {
    CompareIntegers(*left, *right, errors);
  }
  errors.Finish(result);
  return result;
}

}  // namespace yardmaster::worker
