// Any bytes as two .npy files (cut at "|NPY|", else twice the same): no crash, no element outside of the files, and
// statistics that add up.
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <string_view>

#include "services/worker/reports/npy.h"
#include "services/worker/reports/tensors.h"
#include "tests/fuzz/check.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace yardmaster::worker;
  using yardmaster::Check;
  constexpr std::string_view kBetween = "|NPY|";
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t between = all.find(kBetween);
  const std::string_view actual = all.substr(0, between);
  const std::string_view expected = between == std::string_view::npos ? actual : all.substr(between + kBetween.size());
  if (const absl::StatusOr<NpyArray> array = ParseNpy(actual); array.ok()) {
    Check(array->elements * array->element_bytes == array->data.size(), "elements outside of the file");
  }
  for (const yardmaster::rules::Tolerance tolerance : {yardmaster::rules::Tolerance{}, {1e-3, 1e-3}}) {
    const absl::StatusOr<TensorResult> result = CompareTensors(actual, expected, tolerance);
    if (!result.ok()) {
      Check(result.status().message().size() < 2'000, "a long message");
      continue;
    }
    const std::vector<uint64_t>& bins = result->histogram;
    Check(bins.size() == 7, "bins");
    Check(std::accumulate(bins.begin(), bins.end(), uint64_t{0}) == result->elements, "bins that do not add up");
    Check(bins[4] + bins[5] + bins[6] == result->off, "bins that disagree with what is off");
    Check(result->not_a_number <= result->off && result->off <= result->elements, "counts");
    Check(result->elements == 0 || (result->worst < result->elements && result->first_off < result->elements),
          "an element outside of the tensor");
  }
  return 0;
}
