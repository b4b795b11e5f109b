// Whether a device may be given to a job, and whether it is still good afterwards.
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "rules/suites/versions.h"
#include "services/worker/devices/device_probe.h"

namespace yardmaster::worker {
namespace {

// What is not known counts as nothing: many boards can't say all of it.
std::optional<std::string> Busy(const Device& device, uint64_t floor_mb) {
  if (!device.processes.empty()) {
    return device.name + " is used by process " + std::to_string(device.processes.front()) +
           (device.processes.size() > 1 ? " and " + std::to_string(device.processes.size() - 1) + " more" : "");
  }
  if (device.memory_used_mb.value_or(0) > floor_mb) {
    return device.name + " has " + std::to_string(*device.memory_used_mb) + " MiB of its memory in use";
  }
  if (device.utilization.value_or(0) > kIdleUtilization) {
    return device.name + " is " + std::to_string(*device.utilization) + " % busy";
  }
  return std::nullopt;
}

std::string HealthReason(const Device& device) {
  return device.health_reason.empty() ? std::string("its health is not known") : device.health_reason;
}

}  // namespace

std::optional<std::string> IdleReason(const Device& device) {
  switch (device.kind) {
    case rules::DeviceKind::kCpu:
      return std::nullopt;
    case rules::DeviceKind::kGpu:
      // What GPUs warn of (rows of memory to be remapped, exclusive mode) does not keep a job from running.
      if (device.health != DeviceHealth::kOk && device.health != DeviceHealth::kWarning) {
        return device.name + ": " + HealthReason(device);
      }
      return Busy(device, kIdleGpuMemoryMb);
    case rules::DeviceKind::kNpu:
      if (device.health != DeviceHealth::kOk) return device.name + ": " + HealthReason(device);
      return Busy(device, kIdleNpuMemoryMb);
  }
  return std::nullopt;
}

bool DeviceStillUsable(DeviceProbe& probe, const Device& device, std::string& reason) {
  reason.clear();
  const absl::StatusOr<Discovery> now = probe.Discover();
  if (!now.ok()) {
    reason = device.name + " can't be looked at any more: " + std::string(now.status().message());
    return false;
  }
  const auto found =
      absl::c_find_if(now->devices, [&device](const Device& candidate) { return candidate.id == device.id; });
  if (found == now->devices.end()) {
    // A device that is lost may not even say its name: the driver then knows only its place.
    const auto place = absl::c_find_if(now->devices, [&device](const Device& candidate) {
      return candidate.health == DeviceHealth::kBad && candidate.name == device.name;
    });
    reason = device.name + " is gone" + (place == now->devices.end() ? "" : ": " + HealthReason(*place));
    return false;
  }
  if (found->health == DeviceHealth::kBad ||
      (found->health == DeviceHealth::kUnknown && device.health != found->health)) {
    reason = device.name + ": " + HealthReason(*found);
    return false;
  }
  if (found->uncorrected_errors.value_or(0) > device.uncorrected_errors.value_or(0)) {
    reason = device.name + " has had " +
             std::to_string(*found->uncorrected_errors - device.uncorrected_errors.value_or(0)) +
             " memory errors that could not be corrected";
    return false;
  }
  for (size_t i = device.incidents.size(); i < found->incidents.size(); ++i) {
    const DeviceIncident& incident = found->incidents[i];
    if (incident.action != FaultAction::kProgram && incident.action != FaultAction::kRunElsewhere) continue;
    reason = device.name + ": " + incident.text;
    if (incident.action == FaultAction::kRunElsewhere) return false;
  }
  return true;
}

std::optional<std::string> DriverTooOld(const Device& device, std::string_view toolkit) {
  const std::optional<std::vector<uint32_t>> serves = rules::ParseVersion(device.runtime);
  const std::optional<std::vector<uint32_t>> wants = rules::ParseVersion(toolkit);
  if (!serves.has_value() || !wants.has_value()) return std::nullopt;
  // Since CUDA 11 a driver runs what was built with any minor version of its major one.
  constexpr uint32_t kFirstCompatible = 11;
  const bool major_only = wants->front() >= kFirstCompatible;
  const bool too_old = major_only ? serves->front() < wants->front() : rules::CompareVersions(*serves, *wants) < 0;
  if (!too_old) return std::nullopt;
  return "the driver" + (device.driver.empty() ? "" : " " + device.driver) + " of " + device.name +
         " serves CUDA up to " + device.runtime + ", and the toolkit is CUDA " + std::string(toolkit) +
         ": install a newer driver or an older toolkit";
}

}  // namespace yardmaster::worker
