#include "services/yardworker/device_check.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace yardmaster::yardworker {
namespace {

// One look. What is busy may become idle; the rest stays as it is.
DeviceCheck LookOnce(const std::vector<worker::DeviceProbe*>& probes, const std::set<std::string>& ids) {
  DeviceCheck check;
  std::set<std::string> missing;
  for (const std::string& id : ids) {
    if (!absl::StartsWith(id, "cpu:")) missing.insert(id);
  }
  std::string unanswered;
  for (worker::DeviceProbe* probe : probes) {
    const absl::StatusOr<worker::Discovery> found = probe->Discover();
    if (!found.ok()) {
      unanswered = std::string(found.status().message());
      continue;
    }
    for (const worker::Device& device : found->devices) {
      if (missing.erase(device.id) == 0) continue;
      check.devices.push_back(device);
      if (const std::optional<std::string> why = worker::IdleReason(device)) check.faults[device.id] = *why;
    }
  }
  for (const std::string& id : missing) {
    check.faults[id] = unanswered.empty() ? absl::StrCat(id, " is gone: the driver does not list it any more")
                                          : absl::StrCat(id, " can't be looked at: ", unanswered);
  }
  return check;
}

}  // namespace

DeviceCheck CheckDevices(const std::vector<worker::DeviceProbe*>& probes, const std::set<std::string>& ids,
                         const DevicePatience& patience, const std::function<bool(std::chrono::milliseconds)>& wait) {
  std::chrono::milliseconds waited{0};
  while (true) {
    DeviceCheck check = LookOnce(probes, ids);
    // Only what is in use may come free.
    const bool all_found = std::all_of(check.faults.begin(), check.faults.end(), [&](const auto& fault) {
      return std::any_of(check.devices.begin(), check.devices.end(),
                         [&](const worker::Device& device) { return device.id == fault.first; });
    });
    if (check.faults.empty() || !all_found) return check;
    const bool npus = std::any_of(check.devices.begin(), check.devices.end(),
                                  [](const worker::Device& device) { return device.kind == rules::DeviceKind::kNpu; });
    if (waited >= (npus ? patience.npu : patience.gpu) || !wait(patience.pause)) return check;
    waited += patience.pause;
  }
}

std::string TextOf(const DeviceFaults& faults) {
  return absl::StrJoin(faults, "; ", [](std::string* out, const auto& fault) { *out += fault.second; });
}

}  // namespace yardmaster::yardworker
