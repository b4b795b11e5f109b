#include "services/worker/run/selection.h"

#include <set>
#include <utility>

#include "absl/algorithm/container.h"
#include "services/core/status_macros.h"
#include "services/worker/errors.h"

namespace yardmaster::worker {
namespace {

bool Has(const std::vector<std::string>& list, const std::string& word) { return absl::c_linear_search(list, word); }

absl::Status SelectValues(const std::map<std::string, std::vector<std::string>>& select, rules::MatrixModel& matrix) {
  std::vector<std::string> names;
  names.reserve(matrix.axes.size());
  for (const auto& axis : matrix.axes) names.push_back(axis.first);
  for (const auto& [name, wanted] : select) {
    const auto axis = absl::c_find_if(matrix.axes, [&, &key = name](const auto& entry) { return entry.first == key; });
    if (axis == matrix.axes.end()) return worker_errors::AxisUnknown(name, names);
    for (const std::string& value : wanted) {
      if (!Has(axis->second, value)) return worker_errors::AxisValueUnknown(name, value, axis->second);
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
std::vector<rules::SuiteLayer> InOrder(std::vector<rules::SuiteLayer> layers) {
  std::vector<rules::SuiteLayer> out;
  std::set<std::string> done;
  while (!layers.empty()) {
    const auto next = absl::c_find_if(layers, [&](const rules::SuiteLayer& layer) {
      return absl::c_all_of(layer.after, [&](const std::string& before) { return done.contains(before); });
    });
    if (next == layers.end()) break;
    done.insert(next->id);
    out.push_back(std::move(*next));
    layers.erase(next);
  }
  return out;
}

}  // namespace

absl::StatusOr<rules::SuiteModel> SelectPart(const rules::SuiteModel& suite,
                                             const std::map<std::string, std::vector<std::string>>& select,
                                             const std::vector<std::string>& layers) {
  rules::SuiteModel part = suite;
  RETURN_IF_ERROR(SelectValues(select, part.matrix));
  if (!layers.empty()) {
    std::vector<std::string> known;
    known.reserve(suite.layers.size());
    for (const rules::SuiteLayer& layer : suite.layers) known.push_back(layer.id);
    std::set<std::string> wanted;
    std::vector<std::string> open = layers;
    while (!open.empty()) {
      const std::string id = std::move(open.back());
      open.pop_back();
      const auto layer = absl::c_find_if(suite.layers, [&](const rules::SuiteLayer& entry) { return entry.id == id; });
      if (layer == suite.layers.end()) return worker_errors::LayerUnknown(id, known);
      if (!wanted.insert(id).second) continue;
      open.insert(open.end(), layer->after.begin(), layer->after.end());
    }
    std::erase_if(part.layers, [&](const rules::SuiteLayer& layer) { return !wanted.contains(layer.id); });
  }
  part.layers = InOrder(std::move(part.layers));
  return part;
}

}  // namespace yardmaster::worker
