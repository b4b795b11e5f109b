#include "services/worker/devices/device_health.h"

#include <algorithm>

#include "services/worker/text.h"

namespace yardmaster::worker {
void Worsen(Device& device, DeviceHealth health, std::string_view reason) {
  if (health == DeviceHealth::kOk) return;
  device.health = std::max(device.health, health);
  if (Contains(device.health_reason, reason)) return;
  if (!device.health_reason.empty()) device.health_reason += "; ";
  device.health_reason += reason;
}

void WorsenByFacts(Device& gpu, const GpuFacts& facts) {
  if (facts.lost) Worsen(gpu, DeviceHealth::kBad, "it is lost: it does not answer its driver any more");
  if (gpu.uncorrected_errors.value_or(0) > 0) {
    Worsen(gpu, DeviceHealth::kWarning,
           Concat(*gpu.uncorrected_errors, " memory errors could not be corrected since the driver was loaded"));
  }
  if (facts.remap_failed) Worsen(gpu, DeviceHealth::kBad, "damaged rows of its memory could not be remapped");
  if (facts.memory_pending) {
    Worsen(gpu, DeviceHealth::kWarning, "damaged memory waits to be taken out of use at the next reset");
  }
  if (facts.mode == GpuFacts::Mode::kProhibited) {
    Worsen(gpu, DeviceHealth::kBad, "its compute mode prohibits all work");
  } else if (facts.mode == GpuFacts::Mode::kExclusive) {
    Worsen(gpu, DeviceHealth::kWarning, "its compute mode allows one process at a time");
  }
}

}  // namespace yardmaster::worker
