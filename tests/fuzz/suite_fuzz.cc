// Any bytes as a manifest of suites: no crash, nothing is refused without a problem, and whatever is taken can be run
// without meeting an unknown placeholder, a number that is none, or more cells than the limit.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "rules/engine/suites/load_suites.h"
#include "rules/engine/suites/suite_file.h"
#include "rules/suites/cells.h"
#include "services/core/readable.h"
#include "tests/fuzz/check.h"

namespace {

using namespace yardmaster::rules;
using yardmaster::Check;

PlaceholderValues ValuesOf(const Cell& cell, bool of_steps) {
  PlaceholderValues values;
  for (const std::string_view name : kGeneralPlaceholders) values[std::string(name)] = "x";
  if (of_steps) {
    for (const std::string_view name : kStepPlaceholders) values[std::string(name)] = "x";
  }
  AddCellValues(cell, values);
  return values;
}

void CheckFills(std::string_view text, const PlaceholderValues& values) {
  std::string error;
  Check(Substitute(text, values, error).has_value(), "every placeholder of a suite that was taken is known");
}

void CheckStep(const SuiteStep& step, const PlaceholderValues& values) {
  for (const std::string& word : step.command.words) CheckFills(word, values);
  CheckFills(step.command.shell, values);
  CheckFills(step.directory, values);
  for (const auto& [name, value] : step.variables) CheckFills(value, values);
  for (const ReportModel& report : step.reports) CheckFills(report.file, values);
  Check(step.command.words.empty() != step.command.shell.empty(), "a step has words or a line");
}

void CheckSuiteModel(const SuiteModel& suite) {
  Check(suite.digest.size() == 64, "a suite has a digest");
  for (const SuiteStep& step : suite.build) CheckStep(step, ValuesOf({}, false));
  for (const SuiteLayer& layer : suite.layers) {
    for (const SuiteStep& step : layer.steps) {
      const std::vector<Cell> cells = ExpandCells(suite, step);
      Check(!cells.empty() && cells.size() <= kMaxCells, "a step has cells, and not too many");
      for (const Cell& cell : cells) {
        CheckStep(step, ValuesOf(cell, true));
        std::string error;
        Check(ResolveCount(step.launcher.world_size, cell, error).has_value(), "ranks are a number");
        Check(ResolveCount(suite.devices.count, cell, error).has_value(), "devices are a number");
      }
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  for (const SuiteFileKind kind : {SuiteFileKind::kSuites, SuiteFileKind::kSignatures, SuiteFileKind::kRecipes}) {
    yardmaster::Problems problems;
    const auto file = ReadSuiteFile(kind, "f.json", bytes, "p", problems);
    Check(file.has_value() == problems.empty(), "what is refused has a problem, and what is taken has none");
    for (const yardmaster::Problem& problem : problems)
      Check(yardmaster::IsValidUtf8(problem.ToString()), "a problem can be read");
    if (!file) continue;
    for (const auto& suite : file->suites) CheckSuiteModel(suite.model);
  }
  return 0;
}
