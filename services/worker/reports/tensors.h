// Tensors that tests leave behind, compared by the worker: NAME.actual.npy with NAME.expected.npy (NumPy's format 1.0
// to 3.0, C order, little-endian floats of 2, 4 and 8 bytes, integers and booleans). A comparison that a test makes and
// then forgets can't pass this one. An element is off where |actual - expected| > atol + rtol * |expected|, where one
// of both is NaN, or where only one is infinite or they are infinite with other signs.
#ifndef YARDMASTER_SERVICES_WORKER_REPORTS_TENSORS_H_
#define YARDMASTER_SERVICES_WORKER_REPORTS_TENSORS_H_

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"
#include "services/worker/results/run_result.h"

namespace yardmaster::worker {

inline constexpr uint64_t kMaxTensorBytes = uint64_t{2} << 30;  // one file; they are mapped, not read
inline constexpr size_t kMaxTensorsOfStep = 20'000;

// Compares two tensors in memory (whole .npy files). INVALID_ARGUMENT where one is damaged, or shapes or kinds differ;
// floats of other widths are compared as they are. Integers and booleans must be equal whatever the tolerance. Mean and
// rms are over the elements whose error is finite, the largest relative error over those that are not expected to be 0;
// the worst element is that with the largest error in units of its tolerance. The result has no name, step and rank
// yet.
absl::StatusOr<TensorResult> CompareTensors(std::string_view actual, std::string_view expected,
                                            const rules::Tolerance& tolerance);

struct TensorComparison {
  std::vector<TensorResult> tensors;
  // Pairs that can't be compared, with the reason: half a pair, other shapes, a dtype without tolerance.
  std::vector<std::string> problems;
};
// All pairs in `folder` (not below it), sorted by name. A folder that does not exist has none. The tolerance is that of
// the dtype in the name ("w@bfloat16"), else of the actual tensor's.
TensorComparison CompareTensorFolder(const std::filesystem::path& folder, const rules::ComparisonModel& model);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_REPORTS_TENSORS_H_
