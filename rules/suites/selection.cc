#include "rules/suites/selection.h"

#include <algorithm>
#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "services/core/absl_view.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"

namespace yardmaster::rules {
namespace {

std::string KnownOnes(const std::vector<std::string>& known) {
  return known.empty() ? "; there are none" : absl::StrCat("; there are ", absl::StrJoin(known, ", "));
}

absl::Status AxisUnknown(const std::string& axis, const std::vector<std::string>& known) {
  return absl::InvalidArgumentError(absl::StrCat("the suite has no axis \"", axis, "\"", KnownOnes(known)));
}

absl::Status AxisValueUnknown(const std::string& axis, const std::string& value,
                              const std::vector<std::string>& known) {
  return absl::InvalidArgumentError(
      absl::StrCat("the axis \"", axis, "\" has no value \"", value, "\"", KnownOnes(known)));
}

absl::Status LayerUnknown(const std::string& layer, const std::vector<std::string>& known) {
  return absl::InvalidArgumentError(absl::StrCat("the suite has no layer \"", layer, "\"", KnownOnes(known)));
}

bool Has(const std::vector<std::string>& list, const std::string& word) { return absl::c_linear_search(list, word); }

absl::Status SelectValues(const Selection& select, MatrixModel& matrix) {
  std::vector<std::string> names;
  names.reserve(matrix.axes.size());
  for (const auto& axis : matrix.axes) names.push_back(axis.first);
  for (const auto& [name, wanted] : select) {
    const auto axis = absl::c_find_if(matrix.axes, [&, &key = name](const auto& entry) { return entry.first == key; });
    if (axis == matrix.axes.end()) return AxisUnknown(name, names);
    for (const std::string& value : wanted) {
      if (!Has(axis->second, value)) return AxisValueUnknown(name, value, axis->second);
    }
    if (wanted.empty()) continue;
    std::vector<std::string> kept;
    for (const std::string& value : axis->second) {
      if (Has(wanted, value)) kept.push_back(value);
    }
    axis->second = std::move(kept);
  }
  return absl::OkStatus();
}

// Layers by what they come after; the order of the manifest where that leaves a choice. A circle, which loading has
// excluded, would leave its layers out.
std::vector<SuiteLayer> InOrder(std::vector<SuiteLayer> layers) {
  std::vector<SuiteLayer> out;
  std::set<std::string> done;
  while (!layers.empty()) {
    const auto next = absl::c_find_if(layers, [&](const SuiteLayer& layer) {
      return absl::c_all_of(layer.after, [&](const std::string& before) { return done.contains(before); });
    });
    if (next == layers.end()) break;
    done.insert(next->id);
    out.push_back(std::move(*next));
    layers.erase(next);
  }
  return out;
}

const SuiteLayer* LayerOf(const SuiteModel& suite, const std::string& id) {
  const auto layer = absl::c_find_if(suite.layers, [&](const SuiteLayer& entry) { return entry.id == id; });
  return layer == suite.layers.end() ? nullptr : &*layer;
}

// Of the layers that those of `ids` come after, and those themselves, the nearest that are kept.
std::vector<std::string> NearestKept(const SuiteModel& suite, const std::vector<std::string>& ids,
                                     const std::set<std::string>& kept) {
  std::vector<std::string> nearest;
  std::set<std::string> seen;
  std::vector<std::string> open(ids.rbegin(), ids.rend());
  while (!open.empty()) {
    const std::string id = std::move(open.back());
    open.pop_back();
    if (!seen.insert(id).second) continue;
    if (kept.contains(id)) {
      nearest.push_back(id);
    } else if (const SuiteLayer* const layer = LayerOf(suite, id); layer != nullptr) {
      open.insert(open.end(), layer->after.rbegin(), layer->after.rend());
    }
  }
  return nearest;
}

}  // namespace

absl::StatusOr<Selection> ParseSelection(const std::vector<std::string>& texts) {
  Selection select;
  for (const std::string& text : texts) {
    std::string axis;
    for (absl::string_view word : absl::StrSplit(text, ',')) {
      if (const size_t equals = word.find('='); equals != absl::string_view::npos) {
        axis = std::string(word.substr(0, equals));
        word.remove_prefix(equals + 1);
      }
      if (axis.empty() || word.empty()) {
        return absl::InvalidArgumentError(absl::StrCat(Quoted(text), ": expected AXIS=VALUE,…"));
      }
      select[axis].emplace_back(word);
    }
  }
  return select;
}

absl::StatusOr<SuiteModel> SelectPart(const SuiteModel& suite, const Selection& select,
                                      const std::vector<std::string>& layers, LayersBefore before) {
  SuiteModel part = suite;
  RETURN_IF_ERROR(SelectValues(select, part.matrix));
  if (!layers.empty()) {
    std::vector<std::string> known;
    known.reserve(suite.layers.size());
    for (const SuiteLayer& layer : suite.layers) known.push_back(layer.id);
    std::set<std::string> seen;
    std::set<std::string> wanted;
    std::vector<std::string> open = layers;
    while (!open.empty()) {
      const std::string id = std::move(open.back());
      open.pop_back();
      const SuiteLayer* const layer = LayerOf(suite, id);
      if (layer == nullptr) return LayerUnknown(id, known);
      if (!seen.insert(id).second) continue;
      if (before == LayersBefore::kAll || layer->kind == LayerKind::kBuild || Has(layers, id)) wanted.insert(id);
      open.insert(open.end(), layer->after.begin(), layer->after.end());
    }
    std::erase_if(part.layers, [&](const SuiteLayer& layer) { return !wanted.contains(layer.id); });
    if (before == LayersBefore::kBuilds) {
      for (SuiteLayer& layer : part.layers) layer.after = NearestKept(suite, layer.after, wanted);
    }
  }
  part.layers = InOrder(std::move(part.layers));
  return part;
}

absl::Status StepUnknown(std::string_view step, const std::vector<std::string>& known) {
  return absl::InvalidArgumentError(
      absl::StrCat("the layers that were asked for have no step \"", Abs(step), "\"", KnownOnes(known)));
}

void OverrideDevices(const DeviceOverride& devices, SuiteModel& suite) {
  DeviceRequest& asked = suite.devices;
  if (devices.kind.has_value() && *devices.kind != asked.kind) {
    asked.kind = *devices.kind;
    // What the suite says of models is about its own kind.
    asked.models.clear();
    asked.capability.clear();
    if (asked.kind == DeviceKind::kCpu) asked.memory_mb = 0;
  }
  if (!devices.models.empty()) asked.models = devices.models;
  if (!devices.capability.empty()) asked.capability = devices.capability;
  if (devices.memory_mb > 0) asked.memory_mb = devices.memory_mb;
  if (devices.count == 0) return;
  const std::string count = std::to_string(devices.count);
  for (auto& [axis, values] : suite.matrix.axes) {
    if (asked.count == "${matrix." + axis + "}") {
      values = {count};
      return;
    }
  }
  for (SuiteLayer& layer : suite.layers) {
    for (SuiteStep& step : layer.steps) {
      if (step.launcher.has_ranks() && step.launcher.world_size == asked.count) step.launcher.world_size = count;
    }
  }
  asked.count = count;
}

}  // namespace yardmaster::rules
