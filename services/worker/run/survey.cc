#include "services/worker/run/survey.h"

#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/suites/cells.h"
#include "rules/suites/placeholders.h"
#include "rules/suites/suite_names.h"
#include "services/worker/run/foresight.h"
#include "services/worker/run/installs.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

bool IsPlain(std::string_view text) { return text.find("${") == std::string_view::npos; }

std::string_view KindWord(rules::Requirement::Kind kind) {
  switch (kind) {
    case rules::Requirement::Kind::kTool:
      return "program";
    case rules::Requirement::Kind::kModule:
      return "module";
    case rules::Requirement::Kind::kFile:
      return "file";
    case rules::Requirement::Kind::kVariable:
      return "variable";
    case rules::Requirement::Kind::kDevice:
      break;
  }
  return "device";
}

// What each cell needs of the suite as a whole, of its build, and of each layer and its steps.
template <typename Visit>
void EachRequirement(const rules::SuiteModel& suite, const Visit& visit) {
  const auto each = [&](const std::vector<rules::Requirement>& requirements, std::string_view layer) {
    for (const rules::Requirement& requirement : requirements) {
      if (requirement.when.empty() && IsPlain(requirement.name)) visit(requirement, layer);
    }
  };
  each(suite.requirements, "");
  for (const rules::SuiteStep& step : suite.build) each(step.requirements, "");
  for (const rules::SuiteLayer& layer : suite.layers) {
    each(layer.requirements, layer.id);
    for (const rules::SuiteStep& step : layer.steps) each(step.requirements, layer.id);
  }
}

}  // namespace

std::string Survey::WhyNoDevice(const rules::DeviceRequest& request) {
  const auto probe = absl::c_find_if(probes_, [&](DeviceProbe* one) { return one->kind() == request.kind; });
  if (probe == probes_.end()) return {};
  const auto known = discovered_.find(request.kind);
  const absl::StatusOr<Discovery>& found = known != discovered_.end()
                                               ? known->second
                                               : discovered_.emplace(request.kind, (*probe)->Discover()).first->second;
  const std::string kind(rules::DeviceKindName(request.kind));
  if (!found.ok()) return Concat("the ", kind, "s can't be asked about: ", std::string(found.status().message()));
  std::string error;
  const size_t wanted = IsPlain(request.count) ? rules::ResolveCount(request.count, {}, error).value_or(1) : 1;
  size_t fitting = 0;
  std::string why;
  for (const Device& device : found->devices) {
    std::string reason;
    if (Fits(device, request, reason)) {
      ++fitting;
    } else if (why.empty()) {
      why = Concat("; ", device.name, ": ", reason);
    }
  }
  if (fitting >= wanted) return {};
  if (found->devices.empty()) return Concat("there is no ", kind, " on this machine");
  return Concat(wanted, " ", kind, wanted == 1 ? "" : "s", " are asked for, and ", fitting, " would do", why);
}

RequirementContext Survey::ContextOf(const rules::SuiteModel& suite) const {
  RequirementContext context;
  context.processes = &processes_;
  context.unset = suite.environment.unset;
  context.python = suite.environment.interpreter.empty() ? "python3" : suite.environment.interpreter;
  context.empty = "/";
  context.environment = {{"PATH", variable_("PATH")}, {"HOME", "/"}};
  for (const std::string& name : suite.environment.pass) {
    if (std::string value = variable_(name.c_str()); !value.empty()) context.environment[name] = std::move(value);
  }
  for (const auto& [name, value] : suite.environment.variables) {
    if (IsPlain(value)) context.environment[name] = value;
  }
  std::error_code error;
  for (const std::string& script : suite.environment.scripts) {
    if (IsPlain(script) && std::filesystem::exists(script, error)) context.scripts.push_back(script);
  }
  for (const std::string& name : suite.environment.unset) context.environment.erase(name);
  return context;
}

std::vector<std::string> Survey::Missing(const rules::SuiteModel& suite) {
  Requirements requirements(ContextOf(suite));
  requirements.ExpectModules(suite);
  const Foresight foresight(suite, requirements);
  std::error_code error;
  // Of a folder of this machine it is known what lies there.
  const std::filesystem::path source =
      IsPlain(suite.source.path) && std::filesystem::is_directory(suite.source.path, error) ? suite.source.path : "";

  std::vector<std::string> missing;
  const auto add = [&](std::string_view what, std::string_view name, std::string_view why) {
    std::string clause = Concat("the ", what, " \"", name, "\"", why.empty() ? "" : ": ", why);
    if (!absl::c_linear_search(missing, clause)) missing.push_back(std::move(clause));
  };
  const std::string& python = suite.environment.interpreter;
  if (!python.empty() && IsPlain(python) && !requirements.HasTool(python)) add("interpreter", python, "");
  for (const std::string& script : suite.environment.scripts) {
    if (IsPlain(script) && !std::filesystem::exists(script, error)) add("script", script, "");
  }
  // Layers that want the same are named together; one of the whole suite needs no names.
  std::map<std::string, std::vector<std::string>> devices;
  const auto may_come = [&](const std::string& module) { return BuildMayBring(suite, source, module); };
  EachRequirement(suite, [&](const rules::Requirement& requirement, std::string_view layer) {
    if (requirement.kind == rules::Requirement::Kind::kDevice) {
      const std::string why = WhyNoDevice(requirement.device);
      if (!why.empty() && !absl::c_linear_search(devices[why], layer)) devices[why].emplace_back(layer);
      return;
    }
    // A file of the source or of the build is there or comes.
    if (requirement.kind == rules::Requirement::Kind::kFile && !requirement.name.starts_with("/")) return;
    const std::optional<std::string> why = requirements.WhyNot(requirement, {});
    if (!why.has_value()) return;
    const bool module = requirement.kind == rules::Requirement::Kind::kModule;
    add(KindWord(requirement.kind), requirement.name,
        Concat(*why, module && may_come(requirement.name) ? "; unless the build brings it" : ""));
  });
  const auto add_lack = [&](const std::optional<ForeseenLack>& lack) {
    if (lack.has_value())
      add("module", lack->module, Concat(lack->why, "; in the step ", lack->step, " ", lack->because));
  };
  add_lack(foresight.MissingForTests(source, may_come));
  if (!source.empty()) add_lack(foresight.MissingForBuild(source));
  for (const auto& [why, layers] : devices) {
    std::string names;
    if (!absl::c_linear_search(layers, "")) {
      for (const std::string& layer : layers) names += (names.empty() ? " for the layers " : ", ") + layer;
    }
    missing.push_back(Concat("a device", names, ": ", why));
  }
  return missing;
}

}  // namespace yardmaster::worker
