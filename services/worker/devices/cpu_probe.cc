// Processors as devices: as many as the configuration says.
#include <cstddef>
#include <string>

#include "services/worker/devices/device_probe.h"

namespace yardmaster::worker {
namespace {

class CpuProbe : public DeviceProbe {
 public:
  explicit CpuProbe(size_t count) : count_(count) {}
  rules::DeviceKind kind() const override { return rules::DeviceKind::kCpu; }
  absl::StatusOr<Discovery> Discover() override {
    Discovery discovery;
    discovery.source = "configured";
    for (size_t i = 0; i < count_; ++i) {
      Device device;
      device.kind = rules::DeviceKind::kCpu;
      device.name = "cpu" + std::to_string(i);
      device.id = "cpu:" + std::to_string(i);
      device.index = static_cast<int>(i);
      device.health = DeviceHealth::kOk;
      discovery.devices.push_back(std::move(device));
    }
    return discovery;
  }

 private:
  size_t count_;
};

}  // namespace

std::unique_ptr<DeviceProbe> MakeCpuProbe(size_t count) { return std::make_unique<CpuProbe>(count); }

}  // namespace yardmaster::worker
