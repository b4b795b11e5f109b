#include "services/dispatch/suite_times.h"

#include <algorithm>

#include "rules/suites/cells.h"

namespace yardmaster::dispatch {
namespace {

// Looking at devices and tools, comparing, judging.
constexpr std::chrono::minutes kAroundSteps{10};

}  // namespace

std::chrono::seconds LimitOfSuite(const rules::SuiteModel& suite) {
  const rules::LimitsModel& limits = suite.limits;
  // Fetching is a step of the build.
  std::chrono::seconds sum = kAroundSteps + limits.build + limits.grace;
  std::chrono::seconds longest = limits.build + limits.grace;
  const auto add = [&](const rules::SuiteStep& step, std::chrono::seconds usual) {
    const std::chrono::seconds once = step.timeout.value_or(usual) + limits.grace;
    sum += once * (rules::ExpandCells(suite, step).size() * step.shards * (1 + step.retries));
    longest = std::max(longest, once);
  };
  for (const rules::SuiteStep& step : suite.build) add(step, limits.build);
  for (const rules::SuiteLayer& layer : suite.layers) {
    const bool builds = layer.kind == rules::LayerKind::kBuild;
    for (const rules::SuiteStep& step : layer.steps) add(step, builds ? limits.build : limits.step);
  }
  // Each recipe is applied once, and the step is run again.
  return sum + longest * suite.recipes.size();
}

}  // namespace yardmaster::dispatch
