#include "services/worker/run/selection.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
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

// A choice of tests that is longer than that would not fit into a variable.
constexpr size_t kMaxChoiceBytes = 60'000;
constexpr std::string_view kPytestVariable = "PYTEST_ADDOPTS";
constexpr std::string_view kGoogleTestFilter = "GTEST_FILTER";

bool IsWord(std::string_view text) {
  return !text.empty() &&
         absl::c_all_of(text, [](char c) { return absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_'; });
}

// "a or b": the functions of tests "path::Class::name[param]". Empty: one of them has no such name.
std::string PytestExpression(const std::vector<std::string>& tests) {
  std::set<std::string> names;
  for (const std::string& test : tests) {
    const size_t colons = test.rfind("::");
    const std::string name = test.substr(colons == std::string::npos ? 0 : colons + 2);
    const std::string function = name.substr(0, name.find('['));
    if (!IsWord(function)) return {};
    names.insert(function);
  }
  return absl::StrJoin(names, " or ");
}

// "A.one:B/A.two/0". Empty: one of them has a name that a filter would read in another way.
std::string GoogleTestFilter(const std::vector<std::string>& tests) {
  for (const std::string& test : tests) {
    if (test.find('.') == std::string::npos || test.find_first_of(":-*? ") != std::string::npos) return {};
  }
  return absl::StrJoin(tests, ":");
}

}  // namespace

void OverrideDevices(const DeviceOverride& devices, rules::SuiteModel& suite) {
  rules::DeviceRequest& asked = suite.devices;
  if (devices.kind.has_value() && *devices.kind != asked.kind) {
    asked.kind = *devices.kind;
    // What the suite says of models is about its own kind.
    asked.models.clear();
    asked.capability.clear();
    if (asked.kind == rules::DeviceKind::kCpu) asked.memory_mb = 0;
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
  for (rules::SuiteLayer& layer : suite.layers) {
    for (rules::SuiteStep& step : layer.steps) {
      if (step.launcher.has_ranks() && step.launcher.world_size == asked.count) step.launcher.world_size = count;
    }
  }
  asked.count = count;
}

void ChooseTests(const std::vector<std::string>& tests, rules::SuiteStep& step) {
  if (tests.empty()) return;
  const auto reads = [&](rules::ReportFormat format) {
    return absl::c_any_of(step.reports, [&](const rules::ReportModel& report) { return report.format == format; });
  };
  std::string name;
  std::string value;
  if (reads(rules::ReportFormat::kGoogleTest)) {
    name = kGoogleTestFilter;
    value = GoogleTestFilter(tests);
  } else if (reads(rules::ReportFormat::kJunit)) {
    // What the suite says there stays: launching joins all that is said of this variable.
    name = kPytestVariable;
    value = PytestExpression(tests);
    if (!value.empty()) value = "-k '" + value + "'";
  }
  if (value.empty() || value.size() > kMaxChoiceBytes) return;
  step.variables.emplace_back(name, value);
  step.tests_at_least = std::min<size_t>(step.tests_at_least, 1);
}

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
