// The tensors that a step left in its folder.
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "services/core/readable.h"
#include "services/worker/reports/mapped_file.h"
#include "services/worker/reports/npy.h"
#include "services/worker/reports/tensors.h"

namespace yardmaster::worker {
namespace {

constexpr std::string_view kActual = ".actual.npy";
constexpr std::string_view kExpected = ".expected.npy";
constexpr size_t kMaxNameBytes = 200;

bool TakeSuffix(std::string_view& name, std::string_view suffix) {
  if (name.size() <= suffix.size() || name.substr(name.size() - suffix.size()) != suffix) return false;
  name.remove_suffix(suffix.size());
  return true;
}

// Which halves of a pair are there.
struct Halves {
  bool actual = false;
  bool expected = false;
};

std::string QuotedName(std::string_view name) { return Quoted(name, kMaxNameBytes); }

// "w@bfloat16" was computed in bfloat16, whatever it was saved as; else what it was saved as counts.
std::string ComputedType(std::string_view name, const NpyArray& array) {
  const size_t at = name.rfind('@');
  return at == std::string_view::npos ? array.dtype : std::string(name.substr(at + 1));
}

// A result, or the reason why there is none.
std::optional<std::string> ComparePair(const std::filesystem::path& folder, const std::string& name,
                                       const rules::ComparisonModel& model, TensorResult& result) {
  const absl::StatusOr<MappedFile> actual = MappedFile::Open(folder / (name + std::string(kActual)), kMaxTensorBytes);
  if (!actual.ok()) return "the actual tensor: " + std::string(actual.status().message());
  const absl::StatusOr<MappedFile> expected =
      MappedFile::Open(folder / (name + std::string(kExpected)), kMaxTensorBytes);
  if (!expected.ok()) return "the expected tensor: " + std::string(expected.status().message());
  const absl::StatusOr<NpyArray> header = ParseNpy(actual->bytes());
  if (!header.ok()) return "the actual tensor: " + std::string(header.status().message());
  const std::string dtype = ComputedType(name, *header);
  rules::Tolerance tolerance;
  if (header->kind == ElementKind::kFloat) {
    const auto known = model.tolerances.find(dtype);
    if (known == model.tolerances.end()) return "the manifest has no tolerance for " + Readable(dtype);
    tolerance = known->second;
  }
  absl::StatusOr<TensorResult> compared = CompareTensors(actual->bytes(), expected->bytes(), tolerance);
  if (!compared.ok()) return std::string(compared.status().message());
  result = *std::move(compared);
  result.name = name;
  result.dtype = dtype;
  return std::nullopt;
}

}  // namespace

TensorComparison CompareTensorFolder(const std::filesystem::path& folder, const rules::ComparisonModel& model) {
  TensorComparison comparison;
  std::error_code error;
  // Tests that write no tensors need not make the folder.
  if (!std::filesystem::exists(folder, error)) return comparison;
  std::map<std::string, Halves> pairs;
  for (std::filesystem::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string file = entry->path().filename().string();
    std::string_view name = file;
    bool Halves::*half = nullptr;
    if (TakeSuffix(name, kActual)) {
      half = &Halves::actual;
    } else if (TakeSuffix(name, kExpected)) {
      half = &Halves::expected;
    } else {
      continue;
    }
    if (pairs.size() >= kMaxTensorsOfStep && pairs.find(std::string(name)) == pairs.end()) {
      comparison.problems.push_back("there are more than " + std::to_string(kMaxTensorsOfStep) +
                                    " tensors; not all of them were compared");
      break;
    }
    pairs[std::string(name)].*half = true;
  }
  if (error) comparison.problems.push_back("the folder of tensors can't be read: " + error.message());
  for (const auto& [name, pair] : pairs) {
    std::optional<std::string> problem;
    TensorResult result;
    if (!pair.actual) {
      problem = "there is no actual tensor";
    } else if (!pair.expected) {
      problem = "there is no expected tensor";
    } else {
      problem = ComparePair(folder, name, model, result);
    }
    if (problem.has_value()) {
      comparison.problems.push_back(QuotedName(name) + ": " + *problem);
    } else {
      comparison.tensors.push_back(std::move(result));
    }
  }
  return comparison;
}

}  // namespace yardmaster::worker
