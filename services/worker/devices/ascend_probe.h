// Ascend's NPUs, by npu-smi.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_ASCEND_PROBE_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_ASCEND_PROBE_H_

#include <memory>

#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/system_devices.h"

namespace yardmaster::worker {

// As MakeAscendProbe(tools), with the kernel's folders that are looked at.
std::unique_ptr<DeviceProbe> MakeAscendProbe(std::shared_ptr<ToolRunner> tools, SystemPaths paths);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_ASCEND_PROBE_H_
