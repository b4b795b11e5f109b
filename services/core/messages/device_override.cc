#include "services/core/messages/device_override.h"

namespace yardmaster {

rules::DeviceOverride DeviceOverrideOf(const v1::DeviceDemand& devices) {
  rules::DeviceOverride out;
  if (devices.kind() == "cpu") out.kind = rules::DeviceKind::kCpu;
  if (devices.kind() == "gpu") out.kind = rules::DeviceKind::kGpu;
  if (devices.kind() == "npu") out.kind = rules::DeviceKind::kNpu;
  out.models = {devices.models().begin(), devices.models().end()};
  out.capability = {devices.capability().begin(), devices.capability().end()};
  out.memory_mb = devices.memory_mib();
  out.count = devices.count();
  return out;
}

}  // namespace yardmaster
