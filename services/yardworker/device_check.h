// The leased devices of a run, right before it and right after it: are all of them there, well, and nobody else's?
#ifndef YARDMASTER_SERVICES_YARDWORKER_DEVICE_CHECK_H_
#define YARDMASTER_SERVICES_YARDWORKER_DEVICE_CHECK_H_

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "services/worker/devices/device_probe.h"

namespace yardmaster::yardworker {

// By the device's id, for people; those without a fault are not in it.
using DeviceFaults = std::map<std::string, std::string>;

struct DeviceCheck {
  std::vector<worker::Device> devices;  // those of the lease that were found
  DeviceFaults faults;
};

// How long devices that are still in use are looked at again. A driver needs a moment to give back what a process had,
// an NPU up to a minute.
struct DevicePatience {
  std::chrono::milliseconds gpu{10'000};
  std::chrono::milliseconds npu{60'000};
  std::chrono::milliseconds pause{500};
};

// Looks at the devices `ids` (processors, "cpu:N", left out) until all are idle or the patience has ended. A device
// that no probe finds is gone; one that can't be asked about is a fault of its own. `wait` sleeps; it answers false to
// stop waiting.
DeviceCheck CheckDevices(const std::vector<worker::DeviceProbe*>& probes, const std::set<std::string>& ids,
                         const DevicePatience& patience, const std::function<bool(std::chrono::milliseconds)>& wait);

// "gpu0 is used by process 4242; gpu1 is gone".
std::string TextOf(const DeviceFaults& faults);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_DEVICE_CHECK_H_
