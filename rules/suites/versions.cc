#include "rules/suites/versions.h"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "absl/algorithm/container.h"

namespace yardmaster::rules {
namespace {

using Version = std::vector<uint32_t>;

// Numbers and parts of a version that are read.
constexpr size_t kMaxParts = 8;

std::string_view Trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

// Takes the numbers from the front of `text`.
std::optional<Version> TakeNumbers(std::string_view& text) {
  Version version;
  while (version.size() < kMaxParts) {
    uint32_t number = 0;
    const auto [rest, failure] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (failure != std::errc()) return std::nullopt;
    version.push_back(number);
    text.remove_prefix(static_cast<size_t>(rest - text.data()));
    const bool more = text.size() > 1 && text[0] == '.' && text[1] >= '0' && text[1] <= '9';
    if (!more) break;
    text.remove_prefix(1);
  }
  return version;
}

struct Condition {
  std::string_view op;
  Version version;
};

// Nothing if the text is malformed.
std::optional<std::vector<Condition>> ParseConditions(std::string_view text) {
  std::vector<Condition> conditions;
  for (bool more = true; more;) {
    const size_t comma = text.find(',');
    more = comma != std::string_view::npos;
    std::string_view one = Trimmed(text.substr(0, comma));
    if (more) text.remove_prefix(comma + 1);
    Condition condition;
    for (const std::string_view op : {">=", "<=", "==", "!=", ">", "<"}) {
      if (!one.starts_with(op)) continue;
      condition.op = op;
      break;
    }
    if (condition.op.empty()) return std::nullopt;
    one = Trimmed(one.substr(condition.op.size()));
    std::optional<Version> version = TakeNumbers(one);
    if (!version || !one.empty()) return std::nullopt;
    condition.version = *std::move(version);
    conditions.push_back(std::move(condition));
  }
  return conditions;
}

bool Holds(const Condition& condition, const Version& version) {
  const int order = CompareVersions(version, condition.version);
  if (condition.op == ">=") return order >= 0;
  if (condition.op == "<=") return order <= 0;
  if (condition.op == "==") return order == 0;
  if (condition.op == "!=") return order != 0;
  return condition.op == ">" ? order > 0 : order < 0;
}

}  // namespace

std::optional<std::vector<uint32_t>> ParseVersion(std::string_view text) {
  text = Trimmed(text);
  if (text.starts_with('v') || text.starts_with('V')) text.remove_prefix(1);
  return TakeNumbers(text);
}

int CompareVersions(std::vector<uint32_t> a, std::vector<uint32_t> b) {
  const size_t parts = std::max(a.size(), b.size());
  a.resize(parts, 0);
  b.resize(parts, 0);
  if (a == b) return 0;
  return a < b ? -1 : 1;
}

bool IsVersionCondition(std::string_view text) { return ParseConditions(text).has_value(); }

bool VersionMeets(std::string_view version, std::string_view condition) {
  if (Trimmed(condition).empty()) return true;
  const std::optional<std::vector<Condition>> conditions = ParseConditions(condition);
  const std::optional<Version> numbers = ParseVersion(version);
  if (!conditions || !numbers) return false;
  return absl::c_all_of(*conditions, [&](const Condition& one) { return Holds(one, *numbers); });
}

}  // namespace yardmaster::rules
