#include "services/worker/run/survey.h"

#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/suites/cells.h"
#include "rules/suites/placeholders.h"
#include "rules/suites/suite_names.h"
#include "services/worker/run/requirements.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

bool IsPlain(std::string_view text) { return text.find("${") == std::string_view::npos; }

// What each cell needs of the suite as a whole, and of each layer.
template <typename Visit>
void EachRequirement(const rules::SuiteModel& suite, const Visit& visit) {
  for (const rules::Requirement& requirement : suite.requirements) {
    if (requirement.when.empty()) visit(requirement, "");
  }
  for (const rules::SuiteLayer& layer : suite.layers) {
    for (const rules::Requirement& requirement : layer.requirements) {
      if (requirement.when.empty()) visit(requirement, layer.id);
    }
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

std::vector<std::string> Survey::Missing(const rules::SuiteModel& suite) {
  RequirementContext context;
  context.processes = &processes_;
  context.unset = suite.environment.unset;
  context.python = suite.environment.interpreter.empty() ? "python3" : suite.environment.interpreter;
  context.empty = "/";
  context.environment = environment_;
  for (const auto& [name, value] : suite.environment.variables) {
    if (IsPlain(value)) context.environment[name] = value;
  }
  for (const std::string& script : suite.environment.scripts) {
    if (IsPlain(script)) context.scripts.push_back(script);
  }
  for (const std::string& name : suite.environment.unset) context.environment.erase(name);
  Requirements requirements(std::move(context));
  requirements.ExpectModules(suite);

  std::vector<std::string> missing;
  const auto add = [&](std::string clause) {
    if (!absl::c_linear_search(missing, clause)) missing.push_back(std::move(clause));
  };
  // Layers that want the same are named together; one of the whole suite needs no names.
  std::map<std::string, std::vector<std::string>> devices;
  const auto device = [&](const rules::DeviceRequest& request, std::string_view layer) {
    if (const std::string why = WhyNoDevice(request); !why.empty()) devices[why].emplace_back(layer);
  };
  const bool builds = !suite.build.empty();
  EachRequirement(suite, [&](const rules::Requirement& requirement, std::string_view layer) {
    if (requirement.kind == rules::Requirement::Kind::kDevice) return device(requirement.device, layer);
    if (requirement.kind != rules::Requirement::Kind::kModule) return;
    if (const std::optional<std::string> why = requirements.WhyNot(requirement, {}); why.has_value()) {
      add(Concat("the module \"", requirement.name, "\": ", *why, builds ? "; unless the build brings it" : ""));
    }
  });
  for (const auto& [why, layers] : devices) {
    std::string names;
    if (!absl::c_linear_search(layers, "")) {
      for (const std::string& layer : layers) names += (names.empty() ? " for the layers " : ", ") + layer;
    }
    add(Concat("a device", names, ": ", why));
  }
  return missing;
}

}  // namespace yardmaster::worker
