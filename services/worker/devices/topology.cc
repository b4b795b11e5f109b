#include "services/worker/devices/topology.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "services/core/lines.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMostDevices = 256;

// "GPU3", "NPU3", "Phy-ID3" → 3.
std::optional<int> IndexOf(std::string_view word) {
  for (const std::string_view prefix : {"GPU", "NPU", "Phy-ID"}) {
    if (!word.starts_with(prefix)) continue;
    const std::optional<uint64_t> number = NumberOf(word.substr(prefix.size()));
    if (number.has_value() && *number < kMostDevices) return static_cast<int>(*number);
  }
  return std::nullopt;
}

// Tools underline headers, by escape sequences.
std::string Plain(std::string_view text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain += text[i];
      continue;
    }
    i = std::min(text.find('m', i), text.size());
  }
  return plain;
}

bool IsLink(std::string_view word) {
  return word.starts_with("HCCS") || word == "SIO" || (word.starts_with("NV") && NumberOf(word.substr(2)).has_value());
}
bool IsSwitch(std::string_view word) { return word == "PIX" || word == "PXB"; }

struct Matrix {
  std::vector<int> columns;
  std::map<int, std::vector<std::string>> rows;
};

Matrix MatrixOf(std::string_view text) {
  Matrix matrix;
  for (const std::string_view line : LinesOf(text)) {
    const std::vector<std::string_view> words = SplitWords(line);
    if (words.empty() || !IndexOf(words[0]).has_value()) continue;
    if (matrix.columns.empty()) {
      // What else it tells of (network cards, affinity) comes behind.
      for (const std::string_view word : words) {
        const std::optional<int> index = IndexOf(word);
        if (!index.has_value() || matrix.columns.size() == kMostDevices) break;
        matrix.columns.push_back(*index);
      }
      continue;
    }
    if (words.size() <= matrix.columns.size()) continue;
    std::vector<std::string>& row = matrix.rows[*IndexOf(words[0])];
    row.assign(words.begin() + 1, words.begin() + 1 + static_cast<std::ptrdiff_t>(matrix.columns.size()));
  }
  return matrix;
}

}  // namespace

std::map<int, int> GroupsOfTopology(std::string_view text) {
  const std::string plain = Plain(text);
  const Matrix matrix = MatrixOf(plain);
  const auto any = [&](bool (*joins)(std::string_view)) {
    return std::any_of(matrix.rows.begin(), matrix.rows.end(),
                       [&](const auto& row) { return std::any_of(row.second.begin(), row.second.end(), joins); });
  };
  const auto joins = any(IsLink) ? IsLink : IsSwitch;
  // Each its own group first; then those that are joined get the lower number, until nothing changes.
  std::map<int, int> groups;
  for (const auto& [index, row] : matrix.rows) groups[index] = index;
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& [index, row] : matrix.rows) {
      for (size_t i = 0; i < row.size(); ++i) {
        const auto other = groups.find(matrix.columns[i]);
        if (other == groups.end() || !joins(row[i]) || groups[index] == other->second) continue;
        groups[index] = other->second = std::min(groups[index], other->second);
        changed = true;
      }
    }
  }
  std::map<int, int> numbers;
  for (auto& [index, group] : groups) {
    group = numbers.emplace(group, static_cast<int>(numbers.size())).first->second;
  }
  return groups;
}

}  // namespace yardmaster::worker
