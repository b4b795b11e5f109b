#include "services/dispatch/queue/fit.h"

#include <algorithm>
#include <map>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "rules/suites/device_models.h"
#include "rules/suites/versions.h"

namespace yardmaster::dispatch {
namespace {

// The same for devices one after the other: those of a host are mostly alike, and names are slow to compare.
class ModelFilter {
 public:
  explicit ModelFilter(const Demand& demand) : demand_(demand) {}
  bool operator()(const Device* device) {
    if (last_ == nullptr || last_->model != device->model) {
      fits_ = rules::ModelFits(demand_.models, device->model);
      last_ = device;
    }
    return fits_;
  }

 private:
  const Demand& demand_;
  const Device* last_ = nullptr;
  bool fits_ = false;
};

bool CapabilityFits(const Demand& demand, const Device& device) {
  return absl::c_all_of(demand.capability, [&](const std::string& condition) {
    return !device.capability.empty() && rules::VersionMeets(device.capability, condition);
  });
}

// The largest number of them in one group. Devices whose group is not known are no group.
size_t LargestGroup(const std::vector<const Device*>& devices) {
  std::map<std::string, size_t> groups;
  size_t largest = devices.empty() ? 0 : 1;
  for (const Device* device : devices) {
    if (!device->group.empty()) largest = std::max(largest, ++groups[device->group]);
  }
  return largest;
}

}  // namespace

bool DeviceFits(const Demand& demand, const Device& device) {
  return device.kind == demand.kind && device.memory_mib >= demand.memory_mib &&
         rules::ModelFits(demand.models, device.model) && CapabilityFits(demand, device);
}

std::vector<std::string> Missing(const Demand& demand, const Runner& runner) {
  std::vector<std::string> missing;
  if (runner.pool != demand.pool) {
    missing.push_back(absl::StrCat("it is in the pool \"", runner.pool, "\", not \"", demand.pool, "\""));
  }
  for (const std::string& label : demand.labels) {
    if (!absl::c_linear_search(runner.labels, label)) missing.push_back(absl::StrCat("the label \"", label, "\""));
  }
  // Narrowed step by step, so that the answer names the first condition that leaves too few.
  std::vector<const Device*> left;
  const auto narrow = [&](auto&& keep) {
    std::vector<const Device*> kept;
    absl::c_copy_if(left, std::back_inserter(kept), keep);
    left = std::move(kept);
    return left.size() >= demand.count;
  };
  for (const Device& device : runner.devices) {
    if (device.kind == demand.kind) left.push_back(&device);
  }
  if (left.size() < demand.count) {
    missing.push_back(absl::StrCat(demand.count - left.size(), " more of kind ", demand.kind, " (", left.size(),
                                   " there, ", demand.count, " asked for)"));
  } else if (!narrow(ModelFilter(demand))) {
    missing.push_back(
        absl::StrCat(demand.count - left.size(), " more of the model ", absl::StrJoin(demand.models, " or ")));
  } else if (!narrow([&](const Device* device) { return CapabilityFits(demand, *device); })) {
    missing.push_back(absl::StrCat(demand.count - left.size(), " more of compute capability ",
                                   absl::StrJoin(demand.capability, " and ")));
  } else if (!narrow([&](const Device* device) { return device->memory_mib >= demand.memory_mib; })) {
    missing.push_back(
        absl::StrCat(demand.count - left.size(), " more with ", demand.memory_mib, " MiB of memory or more"));
  } else if (demand.same_group && LargestGroup(left) < demand.count) {
    missing.push_back(absl::StrCat(demand.count, " in one group (the largest has ", LargestGroup(left), ")"));
  }
  return missing;
}

std::vector<size_t> ChooseDevices(const Demand& demand, const Runner& runner,
                                  const std::function<bool(size_t)>& usable) {
  std::vector<size_t> free;
  std::map<std::string, std::vector<size_t>> groups;
  for (size_t i = 0; i < runner.devices.size(); ++i) {
    if (!DeviceFits(demand, runner.devices[i]) || !usable(i)) continue;
    free.push_back(i);
    if (!runner.devices[i].group.empty()) groups[runner.devices[i].group].push_back(i);
  }
  if (free.size() < demand.count) return {};
  const std::vector<size_t>* best = nullptr;
  for (const auto& [group, members] : groups) {
    if (members.size() >= demand.count && (best == nullptr || members.size() < best->size())) best = &members;
  }
  // One device is a group by itself.
  if (best == nullptr && demand.same_group && demand.count > 1) return {};
  std::vector<size_t> chosen = best != nullptr ? *best : free;
  chosen.resize(demand.count);
  return chosen;
}

}  // namespace yardmaster::dispatch
