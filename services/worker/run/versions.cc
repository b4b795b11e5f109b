#include "services/worker/run/versions.h"

#include <algorithm>
#include <cctype>
#include <vector>

#include "re2/re2.h"

namespace yardmaster::worker {
namespace {

std::vector<uint64_t> NumbersOf(std::string_view version) {
  std::vector<uint64_t> numbers;
  while (!version.empty() && std::isdigit(static_cast<unsigned char>(version.front())) != 0) {
    uint64_t number = 0;
    while (!version.empty() && std::isdigit(static_cast<unsigned char>(version.front())) != 0) {
      number = std::min<uint64_t>(number * 10 + static_cast<uint64_t>(version.front() - '0'), 1'000'000'000);
      version.remove_prefix(1);
    }
    numbers.push_back(number);
    if (version.size() < 2 || version.front() != '.') break;
    version.remove_prefix(1);
  }
  return numbers;
}

bool MeetsOne(std::string_view version, std::string_view condition) {
  while (condition.starts_with(" ")) condition.remove_prefix(1);
  const size_t digits = condition.find_first_of("0123456789");
  if (digits == std::string_view::npos) return false;
  std::string_view sign = condition.substr(0, digits);
  while (sign.ends_with(" ")) sign.remove_suffix(1);
  const int order = CompareVersions(version, condition.substr(digits));
  if (sign == ">=") return order >= 0;
  if (sign == "<=") return order <= 0;
  if (sign == ">") return order > 0;
  if (sign == "<") return order < 0;
  if (sign == "!=") return order != 0;
  return sign == "==" && order == 0;
}

}  // namespace

std::string VersionIn(std::string_view printed) {
  static const RE2 kNamed(R"((?i)\b(?:release|version)[ :]+v?(\d+(?:\.\d+)+))");
  static const RE2 kFirst(R"((?:^|[^\d.])(\d+(?:\.\d+)+))");
  std::string version;
  const re2::StringPiece text(printed.data(), printed.size());
  if (!RE2::PartialMatch(text, kNamed, &version)) RE2::PartialMatch(text, kFirst, &version);
  return version;
}

int CompareVersions(std::string_view a, std::string_view b) {
  std::vector<uint64_t> left = NumbersOf(a);
  std::vector<uint64_t> right = NumbersOf(b);
  const size_t size = std::max(left.size(), right.size());
  left.resize(size);
  right.resize(size);
  if (left == right) return 0;
  return left < right ? -1 : 1;
}

bool MeetsVersion(std::string_view version, std::string_view conditions) {
  if (NumbersOf(version).empty()) return conditions.empty();
  while (!conditions.empty()) {
    const size_t comma = conditions.find(',');
    if (!MeetsOne(version, conditions.substr(0, comma))) return false;
    conditions.remove_prefix(comma == std::string_view::npos ? conditions.size() : comma + 1);
  }
  return true;
}

}  // namespace yardmaster::worker
