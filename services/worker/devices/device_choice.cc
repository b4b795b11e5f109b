// Which devices a job may have, and how it comes to see them.
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_join.h"
#include "rules/suites/device_models.h"
#include "rules/suites/suite_names.h"
#include "rules/suites/versions.h"
#include "services/core/readable.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

// The number of an Ascend device for the runtime, for sorting.
uint64_t LogicalId(const Device& device) { return NumberOf(device.visible_as).value_or(0); }

}  // namespace

void SortDevices(std::vector<Device>& devices) {
  absl::c_sort(devices, [](const Device& a, const Device& b) {
    return std::pair(a.kind, a.index) < std::pair(b.kind, b.index);
  });
}

bool Fits(const Device& device, const rules::DeviceRequest& request, std::string& reason) {
  reason.clear();
  if (device.kind != request.kind) {
    reason = device.name + " is a " + std::string(rules::DeviceKindName(device.kind)) + ", not a " +
             std::string(rules::DeviceKindName(request.kind));
    return false;
  }
  // Processors have no model, capability or memory of their own.
  if (device.kind == rules::DeviceKind::kCpu) return true;
  if (!rules::ModelFits(request.models, device.model)) {
    reason =
        device.name + " is of the model " + Quoted(device.model) + ", not " + absl::StrJoin(request.models, " or ");
    return false;
  }
  for (const std::string& condition : request.capability) {
    if (device.capability.empty()) {
      reason = "the compute capability of " + device.name + " is not known, and " + condition + " is asked for";
      return false;
    }
    if (!rules::VersionMeets(device.capability, condition)) {
      reason = device.name + " has compute capability " + device.capability + ", not " + condition;
      return false;
    }
  }
  if (request.memory_mb > 0 && device.memory_mb.value_or(0) < request.memory_mb) {
    reason = device.name + " has " +
             (device.memory_mb.has_value() ? std::to_string(*device.memory_mb) : std::string("unknown")) +
             " MiB of memory, less than " + std::to_string(request.memory_mb);
    return false;
  }
  return true;
}

std::vector<std::string> VisibleDeviceVariables(const std::vector<Device>& leased) {
  std::vector<std::string> gpus;
  std::vector<Device> npus;
  for (const Device& device : leased) {
    if (device.kind == rules::DeviceKind::kGpu) gpus.push_back(device.visible_as);
    if (device.kind == rules::DeviceKind::kNpu) npus.push_back(device);
  }
  std::vector<std::string> variables;
  // Set but empty means none.
  variables.push_back("CUDA_VISIBLE_DEVICES=" + absl::StrJoin(gpus, ","));
  if (npus.empty()) {
    // The runtime stops at the first number that is none of a device: it sees none.
    variables.emplace_back("ASCEND_RT_VISIBLE_DEVICES=-1");
    return variables;
  }
  // The runtime wants them to ascend, and counts what it sees from 0.
  absl::c_sort(npus, [](const Device& a, const Device& b) { return LogicalId(a) < LogicalId(b); });
  std::vector<std::string> logical;
  std::vector<std::string> renumbered;
  renumbered.reserve(npus.size());
  for (const Device& npu : npus) {
    renumbered.push_back(std::to_string(renumbered.size()));
    logical.push_back(npu.visible_as);
  }
  variables.push_back("ASCEND_RT_VISIBLE_DEVICES=" + absl::StrJoin(logical, ","));
  variables.emplace_back("TILE_FWK_DEVICE_ID=0");
  variables.push_back("TILE_FWK_DEVICE_ID_LIST=" + absl::StrJoin(renumbered, ","));
  return variables;
}

}  // namespace yardmaster::worker
