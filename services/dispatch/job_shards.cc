#include "services/dispatch/job_shards.h"

#include <cmath>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/algorithm/container.h"
#include "rules/suites/cells.h"
#include "rules/suites/selection.h"
#include "services/core/messages/device_override.h"
#include "services/core/status_macros.h"
#include "services/dispatch/job_messages.h"
#include "services/dispatch/shard_split.h"

namespace yardmaster::dispatch {
namespace {

std::vector<std::string> NamesOfCells(const rules::SuiteModel& suite, const rules::SuiteStep& step) {
  std::vector<std::string> names;
  for (const rules::Cell& cell : rules::ExpandCells(suite, step)) {
    for (size_t shard = 0; shard < step.shards; ++shard) names.push_back(rules::CellName(step, cell, shard));
  }
  return names;
}

// A step in one cell, of which one shard alone has it.
struct OwnedCell {
  std::string layer;
  v1::StepChoice choice;
};

// What of a suite a job runs.
class PartToShare {
 public:
  static absl::StatusOr<PartToShare> Of(const rules::SuiteModel& suite, const v1::JobSpec& spec) {
    PartToShare part;
    ASSIGN_OR_RETURN(const rules::Selection select,
                     rules::ParseSelection({spec.select().begin(), spec.select().end()}));
    ASSIGN_OR_RETURN(part.suite_, rules::SelectPart(suite, select, {spec.layers().begin(), spec.layers().end()}));
    rules::OverrideDevices(DeviceOverrideOf(spec.devices()), part.suite_);
    RETURN_IF_ERROR(part.FindCells(spec));
    return part;
  }

  const std::vector<OwnedCell>& cells() const { return cells_; }

  // What is built in a job that has steps of these layers.
  absl::StatusOr<std::vector<std::string>> BuildsFor(const std::vector<std::string>& layers) const {
    // The values of the axes are those that were selected already.
    ASSIGN_OR_RETURN(const rules::SuiteModel shard,
                     rules::SelectPart(suite_, {}, layers, rules::LayersBefore::kBuilds));
    std::vector<std::string> names;
    const auto add = [&](const std::vector<rules::SuiteStep>& steps) {
      for (const rules::SuiteStep& step : steps) absl::c_move(NamesOfCells(shard, step), std::back_inserter(names));
    };
    add(shard.build);
    for (const rules::SuiteLayer& layer : shard.layers) {
      if (!absl::c_linear_search(layers, layer.id)) add(layer.steps);
    }
    return names;
  }

 private:
  absl::Status FindCells(const v1::JobSpec& spec) {
    std::vector<std::string> known;
    std::vector<std::vector<OwnedCell>> by_layer;
    for (const rules::SuiteLayer& layer : suite_.layers) {
      const bool narrowed = spec.steps_size() > 0 && absl::c_linear_search(spec.layers(), layer.id);
      std::vector<OwnedCell>& cells = by_layer.emplace_back();
      for (const rules::SuiteStep& step : layer.steps) {
        for (std::string& name : NamesOfCells(suite_, step)) {
          OwnedCell cell{layer.id, {}};
          if (narrowed) {
            const auto choice =
                absl::c_find_if(spec.steps(), [&](const v1::StepChoice& one) { return one.step() == name; });
            known.push_back(name);
            if (choice == spec.steps().end()) continue;
            cell.choice = *choice;
          }
          cell.choice.set_step(std::move(name));
          cells.push_back(std::move(cell));
        }
      }
    }
    for (const v1::StepChoice& choice : spec.steps()) {
      if (!absl::c_linear_search(known, choice.step())) return rules::StepUnknown(choice.step(), known);
    }
    // From the last on: what builds for a layer with steps is built in each shard that has one of them.
    std::set<std::string> before;
    for (size_t i = suite_.layers.size(); i-- > 0;) {
      const rules::SuiteLayer& layer = suite_.layers[i];
      const bool is_before = before.contains(layer.id);
      if (is_before || !by_layer[i].empty()) before.insert(layer.after.begin(), layer.after.end());
      if (is_before && layer.kind == rules::LayerKind::kBuild) by_layer[i].clear();
    }
    for (std::vector<OwnedCell>& cells : by_layer) absl::c_move(cells, std::back_inserter(cells_));
    return absl::OkStatus();
  }

  rules::SuiteModel suite_;
  std::vector<OwnedCell> cells_;
};

std::optional<double> TimeOf(const StepTimes& times, const std::string& step) {
  const auto known = times.find(step);
  return known == times.end() ? std::nullopt : std::optional(known->second);
}

}  // namespace

absl::StatusOr<std::vector<v1::JobSpec>> PlanShards(const rules::SuiteModel& suite, const v1::JobSpec& spec,
                                                    uint32_t shards, const std::string& group,
                                                    const TimesOf& times_of) {
  ASSIGN_OR_RETURN(const PartToShare part, PartToShare::Of(suite, spec));
  const std::vector<OwnedCell>& cells = part.cells();
  if (shards < 2 || cells.size() < 2) return std::vector<v1::JobSpec>{spec};
  std::set<std::string> wanted;
  for (const OwnedCell& cell : cells) wanted.insert(cell.choice.step());
  const StepTimes times = times_of(wanted);
  std::vector<std::optional<double>> seconds;
  seconds.reserve(cells.size());
  for (const OwnedCell& cell : cells) seconds.push_back(TimeOf(times, cell.choice.step()));
  const std::vector<std::vector<size_t>> split = SplitBySeconds(seconds, shards);
  std::vector<v1::JobSpec> specs;
  specs.reserve(split.size());
  for (const std::vector<size_t>& pieces : split) {
    v1::JobSpec& one = specs.emplace_back(spec);
    one.clear_layers();
    one.clear_steps();
    double expected = 0;
    for (const size_t piece : pieces) {
      const OwnedCell& cell = cells[piece];
      *one.add_steps() = cell.choice;
      if (!absl::c_linear_search(one.layers(), cell.layer)) one.add_layers(cell.layer);
      expected += seconds[piece].value_or(0);
    }
    ASSIGN_OR_RETURN(const std::vector<std::string> builds, part.BuildsFor({one.layers().begin(), one.layers().end()}));
    if (expected > 0) {
      for (const std::string& step : builds) expected += TimeOf(times, step).value_or(0);
    }
    v1::JobShard& shard = *one.mutable_shard();
    shard.set_index(static_cast<uint32_t>(specs.size()));
    shard.set_count(static_cast<uint32_t>(split.size()));
    shard.set_group(group);
    shard.set_expected_seconds(static_cast<uint64_t>(std::ceil(expected)));
  }
  return specs;
}

absl::StatusOr<std::vector<v1::JobSpec>> ShardsOf(Dispatch& dispatch, const v1::JobSpec& spec, uint32_t shards,
                                                  const std::string& group) {
  if (shards < 2) return std::vector<v1::JobSpec>{spec};
  RETURN_IF_ERROR(CheckSpec(spec));
  ASSIGN_OR_RETURN(const ShelvedSuite suite, dispatch.suites().Find(spec.suite()));
  ASSIGN_OR_RETURN(const Demand demand, DemandFor(DemandOfSuite(*suite.suite), spec));
  return PlanShards(*suite.suite, spec, shards, group, [&](const std::set<std::string>& wanted) {
    return TimesOfSteps(dispatch, suite.name, demand, wanted);
  });
}

std::string ShardJobId(const std::string& group, uint32_t index) {
  if (index <= 1) return group;
  return JobIdFor(group, std::to_string(index));
}

}  // namespace yardmaster::dispatch
