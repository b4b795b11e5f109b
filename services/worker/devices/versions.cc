#include "services/worker/devices/versions.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

namespace yardmaster::worker {

std::vector<uint64_t> VersionNumbers(std::string_view version) {
  std::vector<uint64_t> numbers;
  if (!version.empty() && (version[0] == 'v' || version[0] == 'V')) version.remove_prefix(1);
  while (numbers.size() < 8) {
    uint64_t number = 0;
    const auto [end, error] = std::from_chars(version.data(), version.data() + version.size(), number);
    if (error != std::errc()) break;
    numbers.push_back(number);
    version.remove_prefix(static_cast<size_t>(end - version.data()));
    if (version.empty() || version[0] != '.') break;
    version.remove_prefix(1);
  }
  return numbers;
}

int CompareVersions(std::string_view a, std::string_view b) {
  const std::vector<uint64_t> first = VersionNumbers(a);
  const std::vector<uint64_t> second = VersionNumbers(b);
  for (size_t i = 0; i < std::max(first.size(), second.size()); ++i) {
    const uint64_t left = i < first.size() ? first[i] : 0;
    const uint64_t right = i < second.size() ? second[i] : 0;
    if (left != right) return left < right ? -1 : 1;
  }
  return 0;
}

std::optional<bool> VersionMeets(std::string_view version, std::string_view condition) {
  const size_t digits = condition.find_first_not_of("<>=! ");
  if (digits == std::string_view::npos || VersionNumbers(version).empty()) return std::nullopt;
  const std::string_view wanted = condition.substr(digits);
  if (VersionNumbers(wanted).empty()) return std::nullopt;
  std::string_view sign = condition.substr(0, digits);
  while (!sign.empty() && sign.front() == ' ') sign.remove_prefix(1);
  while (!sign.empty() && sign.back() == ' ') sign.remove_suffix(1);
  const int order = CompareVersions(version, wanted);
  if (sign == ">=") return order >= 0;
  if (sign == "<=") return order <= 0;
  if (sign == ">") return order > 0;
  if (sign == "<") return order < 0;
  if (sign == "!=") return order != 0;
  if (sign.empty() || sign == "==" || sign == "=") return order == 0;
  return std::nullopt;
}

}  // namespace yardmaster::worker
