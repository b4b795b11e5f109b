// Whether programs can compute on the GPUs of a run. A tool of the driver answers also where no program could start on
// a device: only a program knows, and only where the run's own will be, in its sandbox.
#ifndef YARDMASTER_SERVICES_YARDWORKER_GPU_PROBE_H_
#define YARDMASTER_SERVICES_YARDWORKER_GPU_PROBE_H_

#include <filesystem>
#include <vector>

#include "absl/status/status.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/process/process.h"

namespace yardmaster::yardworker {

// The program itself: `yard-worker --probe-gpus`. It starts the driver's CUDA, runs a kernel of a few instructions on
// each GPU that it is shown, and compares what came back. Needs no toolkit: the driver compiles it. Says on stdout what
// failed. The exit code: 0 all compute, 1 one does not, 3 there is no driver library.
int ProbeGpus();

// Runs the program by `processes`, which contain it as they do a run. Fine where no GPU is among `devices`, and where
// there is no library to try it with. UNAVAILABLE: it failed; the message says how.
absl::Status TryGpus(worker::ProcessStarter& processes, const std::filesystem::path& executable,
                     const std::vector<worker::Device>& devices);

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_GPU_PROBE_H_
