#include "services/core/messages/device_override.h"

#include "rules/suites/suite_names.h"

namespace yardmaster {

rules::DeviceOverride DeviceOverrideOf(const v1::DeviceDemand& devices) {
  rules::DeviceOverride out;
  for (const rules::DeviceKindEntry& kind : rules::kDeviceKinds) {
    if (devices.kind() == kind.word) out.kind = kind.value;
  }
  out.models = {devices.models().begin(), devices.models().end()};
  out.capability = {devices.capability().begin(), devices.capability().end()};
  out.memory_mb = devices.memory_mib();
  out.count = devices.count();
  return out;
}

}  // namespace yardmaster
