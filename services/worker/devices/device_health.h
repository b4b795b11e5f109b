// The health of a device, from what several questions about it answer.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_DEVICE_HEALTH_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_DEVICE_HEALTH_H_

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "services/worker/devices/device_probe.h"

namespace yardmaster::worker {

// A text that a tool or a driver gave is cut to this many bytes.
inline constexpr size_t kMaxDeviceTextBytes = 200;

// Makes the health of a device worse, never better; the reasons are put together, each once.
void Worsen(Device& device, DeviceHealth health, std::string_view reason);

// What NVML and nvidia-smi say about a GPU besides its identity and use.
struct GpuFacts {
  enum class Mode : uint8_t { kDefault, kExclusive, kProhibited };
  bool lost = false;
  bool remap_failed = false;    // rows of its memory
  bool memory_pending = false;  // damaged memory is taken out of use at the next reset
  Mode mode = Mode::kDefault;
};

// Uncorrected errors of its memory are the device's own.
void WorsenByFacts(Device& gpu, const GpuFacts& facts);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_DEVICE_HEALTH_H_
