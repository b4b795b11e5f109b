// The cells of a suite's matrix: the combinations of values over which a step is repeated.
#ifndef YARDMASTER_RULES_SUITES_CELLS_H_
#define YARDMASTER_RULES_SUITES_CELLS_H_

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "rules/suites/placeholders.h"
#include "rules/suites/suite_model.h"

namespace yardmaster::rules {

// Limits of one step.
inline constexpr size_t kMaxCells = 1000;
inline constexpr size_t kMaxCombinations = 100'000;  // of values, before some are excluded; also of all steps together
inline constexpr size_t kMaxRanks = 4096;

// Axis → value.
using Cell = std::map<std::string, std::string>;

// The cells of a step in the order of the manifest, the last axis of the step changing first, without the excluded
// ones. A step without axes has one empty cell. At most kMaxCells: a manifest with more is refused when it is loaded.
std::vector<Cell> ExpandCells(const SuiteModel& suite, const SuiteStep& step);

// Combinations of the values of the step's axes; above the limit just more than it.
size_t Combinations(const SuiteModel& suite, const SuiteStep& step);

// Whether a step passes one of the limits.
bool HasTooManyCells(const SuiteModel& suite, const SuiteStep& step);

// Whether `cell` has all values that `wanted` names, as "when" and "exclude" ask it. Nothing wanted: true.
bool CellHas(const Cell& cell, const std::map<std::string, std::string>& wanted);

// "dtype=float32,world_size=8", sorted by axis; empty for the empty cell.
std::string CellText(const Cell& cell);

// What people call a step in a cell of the matrix, and of several shards in one: "all_reduce[dtype=float32]",
// "slow[shard=2/4]". `shard` counts from 0.
std::string CellName(const SuiteStep& step, const Cell& cell, size_t shard);

// Adds "matrix.AXIS" for each axis of the cell.
void AddCellValues(const Cell& cell, PlaceholderValues& values);

// A world size or a number of devices in a cell: empty is 1. Nothing, and in `error` what is wrong, if it is not a
// number from 1 to kMaxRanks.
std::optional<size_t> ResolveCount(std::string_view text, const Cell& cell, std::string& error);

}  // namespace yardmaster::rules

#endif  // YARDMASTER_RULES_SUITES_CELLS_H_
