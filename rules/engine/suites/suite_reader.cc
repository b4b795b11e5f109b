#include "rules/engine/suites/suite_reader.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/engine/pack/pack_reader.h"
#include "rules/suites/suite_names.h"
#include "services/core/sha256.h"

namespace yardmaster::rules {
namespace {

using nlohmann::json;

using rules::Take;

// The schema allows no other words than those of the table.
template <typename Table, typename Value>
void Take(const json& object, const char* key, const Table& words, Value& out) {
  const auto it = object.find(key);
  if (it == object.end()) return;
  for (const auto& word : words) {
    if (it->template get_ref<const std::string&>() == word.word) out = word.value;
  }
}

void Take(const json& object, const char* key, std::chrono::seconds& out) {
  if (const auto it = object.find(key); it != object.end()) out = std::chrono::seconds(it->get<int64_t>());
}

// A text, or a number as its text.
std::string TextOf(const json& value) { return value.is_string() ? value.get<std::string>() : value.dump(); }

void TakeText(const json& object, const char* key, std::string& out) {
  if (const auto it = object.find(key); it != object.end()) out = TextOf(*it);
}

std::map<std::string, std::string> Texts(const json& object) {
  std::map<std::string, std::string> out;
  for (const auto& [key, value] : object.items()) out[key] = TextOf(value);
  return out;
}

class Reader {
 public:
  explicit Reader(const JsonDocument& document) : document_(document) {}

  SuiteModel Suite(const json& value, const std::string& pointer) const {
    SuiteModel suite;
    Take(value, "id", suite.id);
    Take(value, "title", suite.title);
    Take(value, "description", suite.description);
    const json& source = value.at("source");
    Take(source, "own", suite.source.own);
    Take(source, "repository", suite.source.repository);
    Take(source, "ref", suite.source.ref);
    Take(source, "submodules", suite.source.submodules);
    Take(source, "path", suite.source.path);
    if (const auto environment = value.find("environment"); environment != value.end()) {
      Take(*environment, "interpreter", suite.environment.interpreter);
      Take(*environment, "scripts", suite.environment.scripts);
      TakeVariables(*environment, PointerJoin(pointer, "environment"), suite.environment.variables);
      Take(*environment, "unset", suite.environment.unset);
      Take(*environment, "pass", suite.environment.pass);
    }
    if (const auto devices = value.find("devices"); devices != value.end()) suite.devices = Devices(*devices);
    if (const auto matrix = value.find("matrix"); matrix != value.end()) {
      suite.matrix = Matrix(*matrix, PointerJoin(pointer, "matrix"));
    }
    if (const auto limits = value.find("limits"); limits != value.end()) {
      Take(*limits, "build_s", suite.limits.build);
      Take(*limits, "step_s", suite.limits.step);
      Take(*limits, "silence_s", suite.limits.silence);
      Take(*limits, "grace_s", suite.limits.grace);
      Take(*limits, "memory_mb", suite.limits.memory_mb);
      Take(*limits, "disk_mb", suite.limits.disk_mb);
    }
    Take(value, "network", suite.network);
    suite.requirements = Requirements(value);
    if (const auto install = value.find("install"); install != value.end()) {
      Take(*install, "by", suite.install.by);
      Take(*install, "brings", suite.install.brings);
    }
    if (const auto gate = value.find("gate"); gate != value.end()) {
      Take(*gate, "kind", suite.gate.kind);
      Take(*gate, "tests", suite.gate.tests);
      Take(*gate, "variable", suite.gate.variable);
    }
    if (const auto commands = value.find("commands"); commands != value.end()) {
      suite.commands = Commands(*commands, PointerJoin(pointer, "commands"));
    }
    suite.build = Steps(value, "build", pointer);
    const std::string layers = PointerJoin(pointer, "layers");
    const json& list = value.at("layers");
    for (size_t i = 0; i < list.size(); ++i) suite.layers.push_back(Layer(list[i], PointerJoin(layers, i)));
    Take(value, "recipes", suite.recipes);
    suite.digest = Sha256Hex(value.dump());
    return suite;
  }

  SuiteCommands Commands(const json& value, const std::string& pointer) const {
    SuiteCommands commands;
    Take(value, "kind", commands.kind);
    Take(value, "usual", commands.usual);
    const auto names = value.find("names");
    if (names == value.end()) return commands;
    for (size_t i = 0; i < names->size(); ++i) {
      SuiteName& name = commands.names.emplace_back();
      Take((*names)[i], "name", name.name);
      Take((*names)[i], "layers", name.layers);
      TakeVariables((*names)[i], PointerJoin(PointerJoin(pointer, "names"), i), name.variables);
    }
    return commands;
  }

  // In the order in which they are written: an object of the library has them by name.
  void TakeVariables(const json& object, const std::string& pointer, Variables& out) const {
    const auto variables = object.find("variables");
    if (variables == object.end()) return;
    const std::string inner = PointerJoin(pointer, "variables");
    for (const std::string& name : InOrder(*variables, inner)) {
      out.emplace_back(name, variables->at(name).get<std::string>());
    }
  }

  static CommandLine Command(const json& value) {
    CommandLine command;
    Take(value, "run", command.words);
    Take(value, "shell", command.shell);
    return command;
  }

 private:
  std::vector<std::string> InOrder(const json& object, const std::string& pointer) const {
    struct Placed {
      std::string name;
      JsonPosition position;
    };
    std::vector<Placed> keys;
    for (const auto& [name, value] : object.items()) {
      keys.push_back({name, document_.PositionOf(PointerJoin(pointer, name))});
    }
    absl::c_sort(keys, [](const Placed& a, const Placed& b) {
      return std::pair(a.position.line, a.position.column) < std::pair(b.position.line, b.position.column);
    });
    std::vector<std::string> names;
    names.reserve(keys.size());
    for (Placed& key : keys) names.push_back(std::move(key.name));
    return names;
  }

  static DeviceRequest Devices(const json& value) {
    DeviceRequest devices;
    Take(value, "kind", kDeviceKinds, devices.kind);
    TakeText(value, "count", devices.count);
    Take(value, "models", devices.models);
    Take(value, "capability", devices.capability);
    Take(value, "memory_mb", devices.memory_mb);
    Take(value, "same_group", devices.same_group);
    return devices;
  }

  MatrixModel Matrix(const json& value, const std::string& pointer) const {
    MatrixModel matrix;
    const json& axes = value.at("axes");
    for (const std::string& name : InOrder(axes, PointerJoin(pointer, "axes"))) {
      std::vector<std::string> values;
      values.reserve(axes.at(name).size());
      for (const json& item : axes.at(name)) values.push_back(TextOf(item));
      matrix.axes.emplace_back(name, std::move(values));
    }
    if (const auto exclude = value.find("exclude"); exclude != value.end()) {
      for (const json& item : *exclude) matrix.exclude.push_back(Texts(item));
    }
    return matrix;
  }

  static std::vector<Requirement> Requirements(const json& object) {
    std::vector<Requirement> requirements;
    const auto list = object.find("requires");
    if (list == object.end()) return requirements;
    for (const json& item : *list) {
      Requirement requirement;
      requirement.kind = Requirement::Kind::kDevice;
      for (const Word<Requirement::Kind>& kind : kRequirementKinds) {
        const auto name = item.find(kind.word);
        if (name == item.end()) continue;
        requirement.kind = kind.value;
        requirement.name = name->get<std::string>();
      }
      if (const auto device = item.find("device"); device != item.end()) requirement.device = Devices(*device);
      Take(item, "version", requirement.version);
      if (const auto when = item.find("when"); when != item.end()) requirement.when = Texts(*when);
      requirements.push_back(std::move(requirement));
    }
    return requirements;
  }

  static ReportModel Report(const json& value) {
    ReportModel report;
    Take(value, "format", kReportFormats, report.format);
    Take(value, "file", report.file);
    Take(value, "pass", report.pass);
    Take(value, "fail", report.fail);
    Take(value, "line", report.line);
    Take(value, "summary", report.summary);
    Take(value, "number", report.number);
    return report;
  }

  static ComparisonModel Comparison(const json& value) {
    ComparisonModel comparison;
    for (const auto& [dtype, tolerance] : value.at("tolerances").items()) {
      comparison.tolerances[dtype] = {tolerance.at("rtol").get<double>(), tolerance.at("atol").get<double>()};
    }
    Take(value, "required", comparison.required);
    return comparison;
  }

  SuiteStep Step(const json& value, const std::string& pointer) const {
    SuiteStep step;
    Take(value, "id", step.id);
    Take(value, "title", step.title);
    step.command = Command(value);
    Take(value, "directory", step.directory);
    TakeVariables(value, pointer, step.variables);
    if (const auto launcher = value.find("launcher"); launcher != value.end()) {
      Take(*launcher, "kind", step.launcher.kind);
      TakeText(*launcher, "world_size", step.launcher.world_size);
      Take(*launcher, "oversubscribe", step.launcher.oversubscribe);
    }
    Take(value, "axes", step.axes);
    Take(value, "shards", step.shards);
    if (const auto reports = value.find("reports"); reports != value.end()) {
      for (const json& report : *reports) step.reports.push_back(Report(report));
    }
    if (const auto comparison = value.find("comparison"); comparison != value.end()) {
      step.comparison = Comparison(*comparison);
    }
    step.requirements = Requirements(value);
    Take(value, "artifacts", step.artifacts);
    // Markers without lines name no tests.
    step.tests_at_least = absl::c_any_of(step.reports, [](const ReportModel& report) {
      return report.format != ReportFormat::kMarkers || !report.line.empty();
    });
    Take(value, "tests_at_least", step.tests_at_least);
    Take(value, "skip_codes", step.skip_codes);
    Take(value, "retries", step.retries);
    if (const auto limit = value.find("timeout_s"); limit != value.end()) {
      step.timeout = std::chrono::seconds(limit->get<int64_t>());
    }
    Take(value, "memory_mb", step.memory_mb);
    return step;
  }

  std::vector<SuiteStep> Steps(const json& object, const char* key, const std::string& pointer) const {
    std::vector<SuiteStep> steps;
    const auto list = object.find(key);
    if (list == object.end()) return steps;
    const std::string inner = PointerJoin(pointer, key);
    for (size_t i = 0; i < list->size(); ++i) steps.push_back(Step((*list)[i], PointerJoin(inner, i)));
    return steps;
  }

  SuiteLayer Layer(const json& value, const std::string& pointer) const {
    SuiteLayer layer;
    Take(value, "id", layer.id);
    Take(value, "title", layer.title);
    Take(value, "kind", kLayerKinds, layer.kind);
    Take(value, "after", layer.after);
    Take(value, "required", layer.required);
    layer.requirements = Requirements(value);
    layer.steps = Steps(value, "steps", pointer);
    return layer;
  }

  const JsonDocument& document_;
};

const json& ValueAt(const JsonDocument& document, const std::string& pointer) {
  return document.value().at(json::json_pointer(pointer));
}

}  // namespace

SuiteModel ReadSuite(const JsonDocument& document, const std::string& pointer, std::string_view pack) {
  SuiteModel suite = Reader(document).Suite(ValueAt(document, pointer), pointer);
  suite.pack = pack;
  return suite;
}

FailureSignature ReadSignature(const json& value) {
  FailureSignature signature;
  Take(value, "id", signature.id);
  Take(value, "title", signature.title);
  Take(value, "class", kFailureClasses, signature.cls);
  Take(value, "patterns", signature.patterns);
  Take(value, "priority", signature.priority);
  Take(value, "device_fatal", signature.device_fatal);
  Take(value, "time_limit", signature.time_limit);
  Take(value, "reason_only", signature.reason_only);
  Take(value, "phase", signature.phase);
  Take(value, "advice", signature.advice);
  Take(value, "source", signature.source);
  return signature;
}

RecoveryRecipe ReadRecipe(const JsonDocument& document, const std::string& pointer) {
  const json& value = ValueAt(document, pointer);
  RecoveryRecipe recipe;
  Take(value, "id", recipe.id);
  Take(value, "title", recipe.title);
  Take(value, "symptoms", recipe.symptoms);
  Take(value, "cause", recipe.cause);
  Take(value, "steps", recipe.steps);
  const auto apply = value.find("apply");
  if (apply == value.end()) return recipe;
  recipe.applicable = true;
  Reader(document).TakeVariables(*apply, PointerJoin(pointer, "apply"), recipe.variables);
  Take(*apply, "unset", recipe.unset);
  Take(*apply, "scripts", recipe.scripts);
  if (const auto run = apply->find("run"); run != apply->end()) {
    for (const json& command : *run) {
      CommandLine line;
      if (command.is_string()) {
        line.shell = command.get<std::string>();
      } else {
        line.words = command.get<std::vector<std::string>>();
      }
      recipe.commands.push_back(std::move(line));
    }
  }
  return recipe;
}

}  // namespace yardmaster::rules
