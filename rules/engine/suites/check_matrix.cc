#include "rules/engine/suites/check_matrix.h"

#include <re2/re2.h>

#include <cstddef>
#include <optional>
#include <set>
#include <string_view>

#include "absl/algorithm/container.h"
#include "rules/suites/cells.h"

namespace yardmaster::rules {
namespace {

constexpr size_t kMaxValueBytes = 100;

const std::vector<std::string>* ValuesOf(const SuiteModel& suite, std::string_view axis) {
  for (const auto& [name, values] : suite.matrix.axes) {
    if (name == axis) return &values;
  }
  return nullptr;
}

std::vector<std::string_view> AxisNames(const SuiteModel& suite) {
  std::vector<std::string_view> names;
  names.reserve(suite.matrix.axes.size());
  for (const auto& [name, values] : suite.matrix.axes) names.push_back(name);
  return names;
}

bool IsAxisName(std::string_view name) {
  static const RE2 kName("[a-z][a-z0-9_]*");
  return name.size() <= kMaxValueBytes && RE2::FullMatch(name, kName);
}

// Values become parts of file names and of the names of steps.
bool IsAxisValue(std::string_view value) {
  static const RE2 kValue("[a-zA-Z0-9_+][a-zA-Z0-9_.+-]*");
  return value.size() <= kMaxValueBytes && RE2::FullMatch(value, kValue);
}

bool IsUsed(const SuiteModel& suite, const std::string& axis) {
  return absl::c_any_of(suite.layers, [&](const SuiteLayer& layer) {
    return absl::c_any_of(layer.steps, [&](const SuiteStep& step) { return absl::c_linear_search(step.axes, axis); });
  });
}

void AddUnknownAxis(const SuiteModel& suite, std::string_view axis, const Place& place) {
  place.AddUnknown("expected an axis of the matrix, got " + Quoted(axis), axis, AxisNames(suite));
}

// The devices that a step has in a cell, by what asks for them; nothing where their number is no number.
struct Asked {
  DeviceKind kind = DeviceKind::kCpu;
  size_t count = 1;
};

}  // namespace

void CheckMatrix(const SuiteModel& suite, const Place& place) {
  for (const auto& [name, values] : suite.matrix.axes) {
    const Place axis = place / "axes" / name;
    if (!IsAxisName(name)) {
      axis.Add("expected a name of small letters, digits and \"_\" that begins with a letter, got " + Quoted(name));
    }
    if (!IsUsed(suite, name)) axis.Add("no step is repeated over the axis " + Quoted(name));
    std::set<std::string_view> seen;
    for (size_t i = 0; i < values.size(); ++i) {
      if (!IsAxisValue(values[i])) {
        (axis / i).Add(
            "expected letters, digits, \"_\", \".\", \"+\" and \"-\", not beginning with \".\" or \"-\"; "
            "got " +
            Quoted(values[i]));
      }
      if (!seen.insert(values[i]).second) (axis / i).Add("the value " + Quoted(values[i]) + " is there already");
    }
  }
  for (size_t i = 0; i < suite.matrix.exclude.size(); ++i) {
    CheckWanted(suite, {}, suite.matrix.exclude[i], place / "exclude" / i);
  }
}

void CheckAxes(const SuiteModel& suite, const SuiteStep& step, bool cells, const Place& place) {
  bool known = true;
  std::set<std::string_view> seen;
  for (size_t i = 0; i < step.axes.size(); ++i) {
    const Place axis = place / "axes" / i;
    if (ValuesOf(suite, step.axes[i]) == nullptr) {
      AddUnknownAxis(suite, step.axes[i], axis);
      known = false;
    } else if (!seen.insert(step.axes[i]).second) {
      axis.Add("the axis " + Quoted(step.axes[i]) + " is there already");
      known = false;
    }
  }
  if (!known || !cells) return;
  if (HasTooManyCells(suite, step)) {
    (place / "axes")
        .Add("expected at most " + std::to_string(kMaxCells) + " cells of a step, of at most " +
             std::to_string(kMaxCombinations) + " combinations");
  } else if (ExpandCells(suite, step).empty()) {
    (place / "axes").Add("all cells of the step are excluded");
  }
}

void CheckWanted(const SuiteModel& suite, const std::vector<std::string>& axes,
                 const std::map<std::string, std::string>& wanted, const Place& place) {
  for (const auto& [axis, value] : wanted) {
    const std::vector<std::string>* values = ValuesOf(suite, axis);
    if (values == nullptr) {
      AddUnknownAxis(suite, axis, place / axis);
    } else if (!absl::c_linear_search(*values, value)) {
      const std::vector<std::string_view> known(values->begin(), values->end());
      (place / axis)
          .AddUnknown("expected a value of the axis " + Quoted(axis) + ", got " + Quoted(value), value, known);
    } else if (!axes.empty() && !absl::c_linear_search(axes, axis)) {
      (place / axis).Add("the step is not repeated over the axis " + Quoted(axis) + ", so this never holds");
    }
  }
}

void CheckCounts(const SuiteModel& suite, const SuiteStep& step, const std::vector<const Requirement*>& requirements,
                 const Place& place) {
  const Place world_size = place / "launcher" / "world_size";
  for (const Cell& cell : ExpandCells(suite, step)) {
    const std::string where = cell.empty() ? std::string() : " in the cell " + CellText(cell);
    std::string error;
    const std::optional<size_t> ranks = ResolveCount(step.launcher.world_size, cell, error);
    if (!ranks) {
      world_size.Add(error + where);
      return;
    }
    std::vector<Asked> asked;
    const auto ask = [&](const DeviceRequest& request) {
      const std::optional<size_t> count = ResolveCount(request.count, cell, error);
      if (count) asked.push_back({request.kind, *count});
      return count.has_value();
    };
    bool all = ask(suite.devices);
    for (const Requirement* requirement : requirements) {
      if (requirement->kind != Requirement::Kind::kDevice || !CellHas(cell, requirement->when)) continue;
      all = ask(requirement->device) && all;
    }
    if (!all) {
      place.Add("the number of devices that this step needs: " + error + where);
      return;
    }
    if (!step.launcher.has_ranks() || step.launcher.oversubscribe) continue;
    for (const Asked& devices : asked) {
      if (devices.kind == DeviceKind::kCpu || *ranks <= devices.count) continue;
      world_size.Add("expected a device for each rank, got " + std::to_string(*ranks) + " ranks on " +
                     std::to_string(devices.count) + (devices.count == 1 ? " device" : " devices") + where +
                     "; \"oversubscribe\" allows that");
      return;
    }
  }
}

}  // namespace yardmaster::rules
