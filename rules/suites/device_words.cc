#include "rules/suites/device_words.h"

#include <cstddef>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "rules/suites/suite_names.h"
#include "services/core/absl_view.h"

namespace yardmaster::rules {
namespace {

// What the servers Atlas A2 and A3 are built from.
constexpr std::string_view kAtlasA2[] = {"*910B*"};
constexpr std::string_view kAtlasA3[] = {"*910_93*", "*910C*"};

struct Architecture {
  std::string_view word;
  std::string_view name;
};
constexpr Architecture kArchitectures[] = {{"x86", "x86_64"},     {"x64", "x86_64"},  {"x86_64", "x86_64"},
                                           {"amd64", "x86_64"},   {"arm", "aarch64"}, {"arm64", "aarch64"},
                                           {"aarch64", "aarch64"}};

// Begins like models of NVIDIA: a letter or two and a number of two digits or more, or a word of theirs.
bool LooksLikeGpu(std::string_view word) {
  for (const std::string_view begin : {"nvidia", "rtx", "gtx", "tesla", "geforce", "quadro", "gb"}) {
    if (absl::StartsWith(Abs(word), Abs(begin))) return true;
  }
  size_t letters = 0;
  while (letters < word.size() && absl::ascii_isalpha(static_cast<unsigned char>(word[letters]))) ++letters;
  size_t digits = letters;
  while (digits < word.size() && absl::ascii_isdigit(static_cast<unsigned char>(word[digits]))) ++digits;
  return (letters == 1 || letters == 2) && (digits - letters >= 2 || word == "t4" || word == "l4");
}

// "910b", "310p": what Ascend calls its models.
bool LooksLikeNpu(std::string_view word) {
  return absl::StartsWith(Abs(word), "ascend") || absl::StartsWith(Abs(word), "910") ||
         absl::StartsWith(Abs(word), "310") || absl::StartsWith(Abs(word), "950");
}

template <typename Models>
DeviceWord NpuOf(const Models& models) {
  DeviceWord out{DeviceKind::kNpu, {}, {}};
  for (const std::string_view model : models) out.models.emplace_back(model);
  return out;
}

}  // namespace

std::optional<DeviceWord> ReadDeviceWord(std::string_view given, DeviceKind needed) {
  const std::string word = absl::AsciiStrToLower(Abs(given));
  if (word.empty()) return std::nullopt;
  for (const DeviceKindEntry& entry : kDeviceKinds) {
    if (word == entry.word) return DeviceWord{entry.value, {}, {}};
  }
  for (const Architecture& one : kArchitectures) {
    for (const std::string_view join : {"", "cpu_", "cpu-", "cpu"}) {
      if (word == absl::StrCat(Abs(join), Abs(one.word)))
        return DeviceWord{DeviceKind::kCpu, {}, std::string(one.name)};
    }
  }
  if (absl::StartsWith(word, "cpu")) {
    const size_t begin = word.find_first_not_of("-_", 3);
    return DeviceWord{DeviceKind::kCpu, {}, begin == std::string::npos ? "" : word.substr(begin)};
  }
  if (word == "ascend") return DeviceWord{DeviceKind::kNpu, {}, {}};
  if (word == "nvidia" || word == "cuda") return DeviceWord{DeviceKind::kGpu, {}, {}};
  if (word == "a2" || word == "ascenda2") return NpuOf(kAtlasA2);
  if (word == "a3" || word == "ascenda3") return NpuOf(kAtlasA3);
  const DeviceKind other = needed == DeviceKind::kCpu ? DeviceKind::kGpu : needed;
  const DeviceKind kind = LooksLikeNpu(word) ? DeviceKind::kNpu : LooksLikeGpu(word) ? DeviceKind::kGpu : other;
  return DeviceWord{kind, {absl::StrCat("*", Abs(given), "*")}, {}};
}

}  // namespace yardmaster::rules
