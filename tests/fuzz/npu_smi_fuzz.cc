// Any bytes as what npu-smi prints: no crash, readable texts, and ids that are each once where the table is read.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "services/core/readable.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/npu_smi.h"
#include "tests/fuzz/check.h"
#include "tests/support/smi_devices.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace yardmaster;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<std::vector<worker::Device>> devices = worker::ParseNpuSmiInfo(text);
  if (devices.ok()) {
    for (const worker::Device& device : *devices) {
      Check(device.kind == rules::DeviceKind::kNpu && !device.id.empty() && !device.visible_as.empty(), "no identity");
      Check(IsValidUtf8(device.model) && IsValidUtf8(device.health_reason), "a text that is not UTF-8");
      Check(device.health == worker::DeviceHealth::kOk || !device.health_reason.empty(), "bad without a reason");
    }
    worker::VisibleDeviceVariables(*devices);
  } else {
    Check(devices.status().code() == absl::StatusCode::kUnavailable, "an unexpected code");
    const std::string_view message(devices.status().message().data(), devices.status().message().size());
    Check(!message.empty() && message.size() < 2'000 && IsValidUtf8(message), "a message nobody can read");
  }
  worker::ParseNpuSmiCount(text);
  worker::ParseNpuSmiMapping(text);
  Check(IsValidUtf8(worker::ParseNpuSmiHealth(text)), "a text that is not UTF-8");
  return 0;
}
