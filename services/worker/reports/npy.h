// The header of NumPy's files (.npy, formats 1.0 to 3.0).
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_NPY_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_NPY_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"

namespace yardmaster::worker {

// Most dimensions of a tensor, and most bytes of a header.
inline constexpr size_t kMaxNpyDimensions = 32;
inline constexpr size_t kMaxNpyHeaderBytes = 64 * 1024;

enum class ElementKind : uint8_t { kFloat, kInteger, kBoolean };

struct NpyArray {
  std::string dtype;  // "float32", "int64", "bool"
  ElementKind kind = ElementKind::kFloat;
  bool is_signed = true;     // of integers
  size_t element_bytes = 4;  // 1, 2, 4, 8
  std::vector<uint64_t> shape;
  uint64_t elements = 0;
  std::string_view data;  // of the file: elements * element_bytes, not aligned
};

// INVALID_ARGUMENT says what is wrong: no such file, cut off, another order, a dtype that is not read, a shape that the
// file does not have room for.
absl::StatusOr<NpyArray> ParseNpy(std::string_view file);

// "(2, 3)", as Python writes it.
std::string ShapeText(const std::vector<uint64_t>& shape);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_NPY_H_
