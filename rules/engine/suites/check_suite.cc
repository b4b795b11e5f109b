#include "rules/engine/suites/check_suite.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "rules/engine/suites/check_matrix.h"
#include "rules/engine/suites/check_steps.h"
#include "rules/engine/suites/check_texts.h"
#include "rules/engine/suites/suite_places.h"
#include "rules/suites/cells.h"
#include "services/core/public_forges.h"
#include "services/core/readable.h"

namespace yardmaster::rules {
namespace {

// Reports ids that occur twice.
class Ids {
 public:
  explicit Ids(const char* what) : what_(what) {}
  void Add(const std::string& id, const Place& place) {
    const auto [it, inserted] = first_.emplace(id, place.Text());
    if (inserted) return;
    (place / "id")
        .Add("the " + what_ + " " + Quoted(id) + " is there already: " + it->second +
             "; expected each once in a suite");
  }

 private:
  const std::string what_;
  std::map<std::string, std::string, std::less<>> first_;
};

void CheckIds(const SuiteModel& suite, const Place& place) {
  Ids layers("layer");
  Ids steps("step");
  for (size_t i = 0; i < suite.build.size(); ++i) steps.Add(suite.build[i].id, place / "build" / i);
  for (size_t i = 0; i < suite.layers.size(); ++i) {
    const Place layer = place / "layers" / i;
    layers.Add(suite.layers[i].id, layer);
    for (size_t k = 0; k < suite.layers[i].steps.size(); ++k) {
      steps.Add(suite.layers[i].steps[k].id, layer / "steps" / k);
    }
  }
}

// A layer comes after layers that stand before it, so that there is no circle and the order of the manifest is that of
// the run.
void CheckAfter(const SuiteModel& suite, const Place& place) {
  std::vector<std::string_view> before;
  for (size_t i = 0; i < suite.layers.size(); ++i) {
    const SuiteLayer& layer = suite.layers[i];
    for (size_t k = 0; k < layer.after.size(); ++k) {
      const std::string& name = layer.after[k];
      if (absl::c_linear_search(before, name)) continue;
      const Place at = place / "layers" / i / "after" / k;
      const bool later = absl::c_any_of(suite.layers, [&](const SuiteLayer& other) { return other.id == name; });
      if (later) {
        at.Add("expected a layer that stands before this one, got " + Quoted(name));
      } else {
        at.AddUnknown("expected the id of another layer, got " + Quoted(name), name, before);
      }
    }
    before.push_back(layer.id);
  }
}

void CheckEnvironment(const EnvironmentModel& environment, const Place& place) {
  if (environment.interpreter.find("${") != std::string::npos) {
    (place / "interpreter").Add("expected a path or the name of a program, without placeholders");
  }
  for (size_t i = 0; i < environment.scripts.size(); ++i) {
    CheckPlaceholders(environment.scripts[i], {}, place / "scripts" / i);
  }
  CheckVariables(environment.variables, {}, true, place / "variables");
  CheckVariableNames(environment.unset, false, place / "unset");
  CheckVariableNames(environment.pass, true, place / "pass");
}

void CheckGate(const SuiteGate& gate, const Place& place) {
  if (gate.kind.empty()) return;
  CheckVariables({{gate.variable, ""}}, {}, true, place / "variable");
}

void CheckCommands(const SuiteModel& suite, const Place& place) {
  std::vector<std::string_view> layers;
  for (const SuiteLayer& layer : suite.layers) layers.push_back(layer.id);
  for (size_t i = 0; i < suite.commands.names.size(); ++i) {
    const SuiteName& name = suite.commands.names[i];
    const Place at = place / "names" / i;
    for (size_t k = 0; k < name.layers.size(); ++k) {
      if (absl::c_linear_search(layers, name.layers[k])) continue;
      (at / "layers" / k)
          .AddUnknown("expected the id of a layer, got " + Quoted(name.layers[k]), name.layers[k], layers);
    }
    CheckVariables(name.variables, {}, true, at / "variables");
    for (size_t k = 0; k < i; ++k) {
      if (suite.commands.names[k].name == name.name) (at / "name").Add("the name is there already; expected each once");
    }
  }
}

void CheckLimits(const SuiteModel& suite, const Place& place) {
  if (suite.limits.silence > std::max(suite.limits.build, suite.limits.step)) {
    (place / "limits" / "silence_s").Add("expected at most the limit of a step, which would come first");
  }
}

// Whether all steps together have so few combinations of values that going through them takes no time.
bool CheckCombinations(const SuiteModel& suite, const Place& place) {
  size_t combinations = 0;
  for (const SuiteLayer& layer : suite.layers) {
    for (const SuiteStep& step : layer.steps) combinations += Combinations(suite, step);
  }
  if (combinations <= kMaxCombinations) return true;
  place.Add("expected at most " + std::to_string(kMaxCombinations) + " combinations of values in all steps together");
  return false;
}

void CheckSource(const SourceModel& source, const Place& place) {
  if (source.repository.empty()) {
    if (!source.ref.empty()) (place / "ref").Add("only a repository has one");
    if (source.submodules) (place / "submodules").Add("only a repository has them");
  } else if (PublicGitUrl(source.repository).empty()) {
    std::vector<std::string_view> names;
    for (const PublicForge& forge : kPublicForges) names.push_back(forge.name);
    const std::string name = source.repository.substr(0, source.repository.find(':'));
    const std::string known =
        absl::StrJoin(names, ", ", [](std::string* out, std::string_view forge) { out->append(forge); });
    (place / "repository").AddUnknown("expected one of the forges " + known + ", got " + Quoted(name), name, names);
  }
}

// Everything that the installation is said to bring must be asked for somewhere: else its name is misspelt.
void CheckInstall(const SuiteModel& suite, const Place& place) {
  std::vector<std::string_view> required;
  const auto add = [&](const std::vector<Requirement>& requirements) {
    for (const Requirement& requirement : requirements) required.push_back(requirement.name);
  };
  add(suite.requirements);
  for (const SuiteStep& step : suite.build) add(step.requirements);
  for (const SuiteLayer& layer : suite.layers) {
    add(layer.requirements);
    for (const SuiteStep& step : layer.steps) add(step.requirements);
  }
  for (size_t i = 0; i < suite.install.brings.size(); ++i) {
    const std::string& name = suite.install.brings[i];
    if (absl::c_linear_search(required, name)) continue;
    (place / i).AddUnknown("expected a tool or a module that the suite requires, got " + Quoted(name), name, required);
  }
}

}  // namespace

void CheckSuite(const SuiteModel& suite, const JsonDocument& document, const std::string& pointer, Problems& problems) {
  const Place place(document, pointer, problems);
  CheckIds(suite, place);
  CheckAfter(suite, place);
  CheckSource(suite.source, place / "source");
  CheckEnvironment(suite.environment, place / "environment");
  CheckDevices(suite.devices, place / "devices");
  CheckMatrix(suite, place / "matrix");
  CheckGate(suite.gate, place / "gate");
  CheckCommands(suite, place / "commands");
  CheckLimits(suite, place);
  CheckRequirements(suite, nullptr, suite.requirements, place / "requires");
  CheckInstall(suite, place / "install" / "brings");
  for (size_t i = 0; i < suite.build.size(); ++i) {
    CheckBuildStep(suite.build[i], place / "build" / i);
    const std::vector<Requirement>& requirements = suite.build[i].requirements;
    CheckRequirements(suite, &suite.build[i], requirements, place / "build" / i / "requires");
  }
  const bool cells = CheckCombinations(suite, place / "matrix");
  for (size_t i = 0; i < suite.layers.size(); ++i) {
    const SuiteLayer& layer = suite.layers[i];
    const Place at = place / "layers" / i;
    CheckRequirements(suite, nullptr, layer.requirements, at / "requires");
    for (size_t k = 0; k < layer.steps.size(); ++k) {
      CheckTestStep(suite, layer, layer.steps[k], cells, at / "steps" / k);
    }
  }
}

}  // namespace yardmaster::rules
