#include "services/worker/run/foresight.h"

#include <iterator>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/suites/versions.h"
#include "services/worker/run/installs.h"

namespace yardmaster::worker {
namespace {

// From here on setuptools makes wheels by itself; up to there pip does without.
constexpr std::string_view kMakesWheels = ">=70.1";
constexpr std::string_view kNeedsNoWheels = "<23.1";

bool AsksFor(const std::vector<rules::Requirement>& requirements, const std::string& module) {
  return absl::c_any_of(requirements, [&](const rules::Requirement& requirement) {
    return requirement.kind == rules::Requirement::Kind::kModule &&
           requirement.name.substr(0, requirement.name.find('.')) == module;
  });
}

}  // namespace

Foresight::Foresight(const rules::SuiteModel& suite, Requirements& requirements)
    : suite_(suite), requirements_(requirements) {
  const auto expect = [&](const rules::SuiteStep& step) {
    for (const ImpliedModule& implied : ImpliedModules(step.command, step.variables)) {
      requirements_.ExpectModule(implied.module, false);
    }
    if (!BuildsWithoutIsolation(step.command)) return;
    for (const std::string& module : KnownBackends()) requirements_.ExpectModule(module, false);
    for (const char* module : {"setuptools", "pip"}) requirements_.ExpectModule(module, true);
  };
  for (const rules::SuiteStep& step : suite.build) expect(step);
  for (const rules::SuiteLayer& layer : suite.layers) {
    for (const rules::SuiteStep& step : layer.steps) expect(step);
  }
}

std::optional<ForeseenLack> Foresight::WhyNot(const rules::SuiteStep& step, const ImpliedModule& implied) const {
  std::optional<std::string> why = requirements_.WhyNoModule(implied.module);
  if (!why.has_value()) return std::nullopt;
  return ForeseenLack{step.id, implied.module, implied.because, *std::move(why), implied.signature};
}

std::optional<ForeseenLack> Foresight::MissingForTests(
    const std::filesystem::path& source, const std::function<bool(const std::string&)>& build_may_bring) const {
  for (const rules::SuiteLayer& layer : suite_.layers) {
    for (const rules::SuiteStep& step : layer.steps) {
      for (const ImpliedModule& implied : ImpliedModules(step.command, step.variables)) {
        const std::string& module = implied.module;
        const bool asked = AsksFor(suite_.requirements, module) || AsksFor(layer.requirements, module) ||
                           AsksFor(step.requirements, module);
        if (asked || build_may_bring(module)) continue;
        auto lack = WhyNot(step, implied);
        if (!lack.has_value()) continue;
        if (!implied.option.empty() && !source.empty() && ProjectDefines(source, implied.option)) continue;
        return lack;
      }
    }
  }
  return std::nullopt;
}

bool Foresight::WheelIsNeeded() const {
  return !rules::VersionMeets(requirements_.ModuleVersion("setuptools"), kMakesWheels) &&
         !rules::VersionMeets(requirements_.ModuleVersion("pip"), kNeedsNoWheels);
}

std::optional<ForeseenLack> Foresight::MissingForBuild(const std::filesystem::path& source) const {
  std::vector<const rules::CommandLine*> before;
  for (const rules::SuiteStep& step : suite_.build) {
    std::vector<ImpliedModule> needed = ImpliedModules(step.command, step.variables);
    if (BuildsWithoutIsolation(step.command)) absl::c_move(BuildBackend(source), std::back_inserter(needed));
    for (const ImpliedModule& implied : needed) {
      const std::string& module = implied.module;
      const bool brought =
          absl::c_any_of(before, [&](const rules::CommandLine* earlier) { return MayInstall(*earlier, module); });
      if (brought || AsksFor(step.requirements, module)) continue;
      if (module == "wheel" && !WheelIsNeeded()) continue;
      if (auto lack = WhyNot(step, implied); lack.has_value()) return lack;
    }
    before.push_back(&step.command);
  }
  return std::nullopt;
}

}  // namespace yardmaster::worker
