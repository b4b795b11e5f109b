// The probes of GPUs and NPUs, with what they ask the system.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_VENDOR_PROBES_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_VENDOR_PROBES_H_

#include <memory>

#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/nvml.h"
#include "services/worker/devices/system_devices.h"

namespace yardmaster::worker {

// `nvml` may be null: no library.
std::unique_ptr<DeviceProbe> MakeNvidiaProbe(std::unique_ptr<Nvml> nvml, std::shared_ptr<ToolRunner> tools,
                                             SystemPaths paths);
std::unique_ptr<DeviceProbe> MakeAscendProbe(std::shared_ptr<ToolRunner> tools, SystemPaths paths);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_VENDOR_PROBES_H_
