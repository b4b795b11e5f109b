#include "services/yardworker/leased_devices.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "services/core/status_macros.h"
#include "services/worker/devices/kernel_log.h"

namespace yardmaster::yardworker {

void LeasedProbe::Expect(const std::vector<worker::Device>& devices) {
  expected_.clear();
  for (const worker::Device& device : devices) {
    if (device.kind == kind()) expected_.insert(device.id);
  }
}

absl::StatusOr<worker::Discovery> LeasedProbe::Discover() {
  ASSIGN_OR_RETURN(worker::Discovery found, all_->Discover());
  std::erase_if(found.devices, [this](const worker::Device& device) { return !ids_.contains(device.id); });
  for (const std::string& id : expected_) {
    const bool there = absl::c_any_of(found.devices, [&](const worker::Device& device) { return device.id == id; });
    if (!there) return absl::UnavailableError(absl::StrCat("the device ", id, " of this run is gone"));
  }
  return found;
}

LeasedDevices::LeasedDevices(std::set<std::string> ids, uint64_t kernel_log_since, const std::atomic<bool>& cancel)
    : ids_(std::move(ids)),
      processors_(static_cast<size_t>(
          absl::c_count_if(ids_, [](const std::string& id) { return absl::StartsWith(id, "cpu:"); }))),
      cancel_(cancel),
      tools_(worker::MakeToolRunner()),
      faults_(worker::MakeKernelLog(tools_), kernel_log_since),
      cpu_(worker::MakeCpuProbe(std::max<size_t>(processors_, 1))),
      nvidia_(worker::WithFaults(worker::MakeNvidiaProbe(tools_), faults_), ids_),
      ascend_(worker::MakeAscendProbe(tools_), ids_) {}

void LeasedDevices::Expect(const std::vector<worker::Device>& devices) {
  nvidia_.Expect(devices);
  ascend_.Expect(devices);
}

DeviceCheck LeasedDevices::Check(const DevicePatience& patience) {
  if (processors_ == ids_.size()) return {};
  return CheckDevices({&nvidia_, &ascend_}, ids_, patience, [this](std::chrono::milliseconds pause) {
    std::this_thread::sleep_for(pause);
    return !cancel_.load();
  });
}

}  // namespace yardmaster::yardworker
