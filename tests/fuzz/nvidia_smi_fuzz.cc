// Any bytes as what nvidia-smi prints: no crash, and readable texts.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "services/core/readable.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/nvidia_smi.h"
#include "tests/fuzz/check.h"
#include "tests/support/smi_devices.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace yardmaster;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<std::vector<worker::Device>> devices = worker::ParseNvidiaSmi(text);
  if (devices.ok()) {
    for (const worker::Device& device : *devices) {
      Check(device.kind == rules::DeviceKind::kGpu && !device.id.empty(), "no identity");
      Check(device.index >= 0 && device.utilization.value_or(0) <= 100, "a number out of its range");
      for (const std::string& said : {device.id, device.model, device.driver, device.capability, device.pci_address}) {
        Check(IsValidUtf8(said) && said.size() < 1'000, "a text that is not UTF-8 or long");
      }
      Check(device.health == worker::DeviceHealth::kOk || !device.health_reason.empty(), "bad without a reason");
      worker::DriverTooOld(device, "12.4");
      worker::IdleReason(device);
    }
  } else {
    Check(devices.status().code() == absl::StatusCode::kUnavailable, "an unexpected code");
    const std::string_view message(devices.status().message().data(), devices.status().message().size());
    Check(!message.empty() && message.size() < 2'000 && IsValidUtf8(message), "a message nobody can read");
  }
  worker::ParseNvidiaSmiProcesses(text);
  worker::ParseNvidiaSmiCuda(text);
  return 0;
}
