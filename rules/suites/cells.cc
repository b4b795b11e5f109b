#include "rules/suites/cells.h"

#include <charconv>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

const std::vector<std::string>* ValuesOf(const SuiteModel& suite, std::string_view axis) {
  for (const auto& [name, values] : suite.matrix.axes) {
    if (name == axis) return &values;
  }
  return nullptr;
}

// Calls `visit(cell)` for each cell that is not excluded, until it returns false. False if there are more combinations
// than the limit; the rest is not looked at.
template <typename Visit>
bool VisitCells(const SuiteModel& suite, const SuiteStep& step, Visit visit) {
  std::vector<const std::vector<std::string>*> axes;
  for (const std::string& name : step.axes) {
    const std::vector<std::string>* values = ValuesOf(suite, name);
    if (values == nullptr || values->empty()) return true;
    axes.push_back(values);
  }
  // Counts through all combinations, the last axis being the lowest digit.
  std::vector<size_t> digits(axes.size(), 0);
  for (size_t combinations = 0; combinations < kMaxCombinations; ++combinations) {
    Cell cell;
    for (size_t i = 0; i < axes.size(); ++i) cell[step.axes[i]] = (*axes[i])[digits[i]];
    const bool excluded =
        absl::c_any_of(suite.matrix.exclude, [&](const Cell& exclude) { return CellHas(cell, exclude); });
    if (!excluded && !visit(std::move(cell))) return true;
    size_t i = axes.size();
    while (i > 0 && ++digits[i - 1] == axes[i - 1]->size()) digits[--i] = 0;
    if (i == 0) return true;
  }
  return false;
}

}  // namespace

std::vector<Cell> ExpandCells(const SuiteModel& suite, const SuiteStep& step) {
  std::vector<Cell> cells;
  VisitCells(suite, step, [&](Cell cell) {
    cells.push_back(std::move(cell));
    return cells.size() < kMaxCells;
  });
  return cells;
}

size_t Combinations(const SuiteModel& suite, const SuiteStep& step) {
  size_t combinations = 1;
  for (const std::string& name : step.axes) {
    const std::vector<std::string>* values = ValuesOf(suite, name);
    combinations *= values == nullptr ? 0 : values->size();
    if (combinations > kMaxCombinations) return kMaxCombinations + 1;
  }
  return combinations;
}

bool HasTooManyCells(const SuiteModel& suite, const SuiteStep& step) {
  size_t cells = 0;
  const bool all_seen = VisitCells(suite, step, [&](const Cell&) { return ++cells <= kMaxCells; });
  return !all_seen || cells > kMaxCells;
}

bool CellHas(const Cell& cell, const std::map<std::string, std::string>& wanted) {
  return absl::c_all_of(wanted, [&](const auto& want) {
    const auto value = cell.find(want.first);
    return value != cell.end() && value->second == want.second;
  });
}

std::string CellText(const Cell& cell) {
  std::string out;
  for (const auto& [axis, value] : cell) {
    if (!out.empty()) out += ',';
    out.append(axis).append("=").append(value);
  }
  return out;
}

std::string CellName(const SuiteStep& step, const Cell& cell, size_t shard) {
  std::string inside = CellText(cell);
  if (step.shards > 1) {
    inside += (inside.empty() ? "shard=" : ",shard=") + std::to_string(shard + 1) + "/" + std::to_string(step.shards);
  }
  return step.id + (inside.empty() ? "" : "[" + inside + "]");
}

void AddCellValues(const Cell& cell, PlaceholderValues& values) {
  for (const auto& [axis, value] : cell) values[std::string(kMatrixPrefix) + axis] = value;
}

std::optional<size_t> ResolveCount(std::string_view text, const Cell& cell, std::string& error) {
  if (text.empty()) return 1;
  PlaceholderValues values;
  AddCellValues(cell, values);
  const std::optional<std::string> number = Substitute(text, values, error);
  if (!number) return std::nullopt;
  size_t count = 0;
  const char* end = number->data() + number->size();
  const auto [rest, failure] = std::from_chars(number->data(), end, count);
  if (failure == std::errc() && rest == end && count >= 1 && count <= kMaxRanks) return count;
  error = "expected a number from 1 to " + std::to_string(kMaxRanks) + ", got " + Quoted(*number);
  return std::nullopt;
}

}  // namespace yardmaster::rules
