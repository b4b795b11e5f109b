// Tensors that tests leave behind, compared by the worker: NAME.actual.npy with NAME.expected.npy (NumPy's format 1.0
// to 3.0, C order, little-endian floats of 2, 4 and 8 bytes, integers and booleans). A comparison that a test makes and
// then forgets can't pass this one.
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_TENSORS_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_TENSORS_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/engine/suites/suite_model.h"
#include "services/worker/results/run_result.h"

namespace yardmaster::worker {

inline constexpr uint64_t kMaxTensorBytes = uint64_t{2} << 30;  // one file; they are mapped, not read
inline constexpr size_t kMaxTensorsOfStep = 20'000;

// Compares two tensors in memory (whole .npy files). INVALID_ARGUMENT where one is damaged, or shapes or kinds differ.
// Integers and booleans must be equal whatever the tolerance. `dtype`: whose tolerance holds.
absl::StatusOr<TensorResult> CompareTensors(std::string_view actual, std::string_view expected,
                                            const rules::Tolerance& tolerance);

struct TensorComparison {
  std::vector<TensorResult> tensors;
  // Pairs that can't be compared, with the reason: half a pair, other shapes, a dtype without tolerance.
  std::vector<std::string> problems;
};
// All pairs in `folder` (not below it), sorted by name.
TensorComparison CompareTensorFolder(const std::filesystem::path& folder, const rules::ComparisonModel& model);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_TENSORS_H_
