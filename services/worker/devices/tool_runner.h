// Tools of vendors, run with a limit on time and output.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_TOOL_RUNNER_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_TOOL_RUNNER_H_

#include <chrono>
#include <memory>

#include "services/worker/devices/device_probe.h"

namespace yardmaster::worker {

// npu-smi needs seconds on hosts with many cards; a driver that hangs never answers.
inline constexpr std::chrono::seconds kToolTimeout{30};

// As MakeToolRunner(), with another limit.
std::unique_ptr<ToolRunner> MakeToolRunner(std::chrono::milliseconds timeout);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_TOOL_RUNNER_H_
