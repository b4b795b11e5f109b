// NVIDIA's GPUs: by NVML, else by nvidia-smi.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_NVIDIA_PROBE_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_NVIDIA_PROBE_H_

#include <memory>

#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/nvml.h"
#include "services/worker/devices/system_devices.h"

namespace yardmaster::worker {

// As MakeNvidiaProbe(tools), with what it asks: `nvml` may be null (no library).
std::unique_ptr<DeviceProbe> MakeNvidiaProbe(std::unique_ptr<Nvml> nvml, std::shared_ptr<ToolRunner> tools,
                                             SystemPaths paths);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_NVIDIA_PROBE_H_
