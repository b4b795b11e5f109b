// The devices that a run may use, and no others of its machine.
#ifndef YARDMASTER_SERVICES_YARDWORKER_LEASED_DEVICES_H_
#define YARDMASTER_SERVICES_YARDWORKER_LEASED_DEVICES_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/gpu_faults.h"
#include "services/yardworker/device_check.h"

namespace yardmaster::yardworker {

// Only the devices of the lease.
class LeasedProbe final : public worker::DeviceProbe {
 public:
  LeasedProbe(std::unique_ptr<worker::DeviceProbe> all, std::set<std::string> ids)
      : all_(std::move(all)), ids_(std::move(ids)) {}
  // From now on these have to be there: one that goes away is a fault of the machine, not a device that it never had.
  void Expect(const std::vector<worker::Device>& devices);

  rules::DeviceKind kind() const override { return all_->kind(); }
  absl::StatusOr<worker::Discovery> Discover() override;

 private:
  const std::unique_ptr<worker::DeviceProbe> all_;
  const std::set<std::string> ids_;
  std::set<std::string> expected_;
};

// The devices of one lease, as this machine has them.
class LeasedDevices {
 public:
  // `kernel_log_since`: as GpuFaults has it. A check ends early once `cancel` is true; it outlives this object.
  LeasedDevices(std::set<std::string> ids, uint64_t kernel_log_since, const std::atomic<bool>& cancel);

  std::vector<worker::DeviceProbe*> probes() { return {cpu_.get(), &nvidia_, &ascend_}; }
  // See LeasedProbe.
  void Expect(const std::vector<worker::Device>& devices);
  // Without a device of a kind its probe need not answer.
  DeviceCheck Check(const DevicePatience& patience);

 private:
  const std::set<std::string> ids_;
  const size_t processors_;
  const std::atomic<bool>& cancel_;
  const std::shared_ptr<worker::ToolRunner> tools_;
  worker::GpuFaults faults_;
  const std::unique_ptr<worker::DeviceProbe> cpu_;
  LeasedProbe nvidia_;
  LeasedProbe ascend_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_LEASED_DEVICES_H_
