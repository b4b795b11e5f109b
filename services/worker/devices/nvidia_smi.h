// What nvidia-smi prints as CSV. Columns are known by the header, so that a newer one may have more of them.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_NVIDIA_SMI_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_NVIDIA_SMI_H_

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/worker/devices/device_probe.h"

namespace yardmaster::worker {

inline constexpr size_t kMaxToolOutputBytes = 4 * 1024 * 1024;
inline constexpr unsigned kMaxGpus = 1024;

// Asked for in one go, `name` last: names may have commas, and nothing is quoted.
inline constexpr std::string_view kNvidiaSmiFields =
    "index,uuid,pci.bus_id,driver_version,memory.total,memory.used,utilization.gpu,compute_mode";
// One that the driver does not know makes the whole query fail; then they are asked for one by one.
inline constexpr std::string_view kNvidiaSmiOptionalFields[] = {
    "compute_cap",           "mig.mode.current",      "ecc.errors.uncorrected.volatile.total",
    "retired_pages.pending", "remapped_rows.pending", "remapped_rows.failure"};

// Values by column, one map a GPU. UNAVAILABLE names the line.
using SmiRow = std::map<std::string, std::string, std::less<>>;
absl::StatusOr<std::vector<SmiRow>> ParseNvidiaSmiRows(std::string_view csv);
absl::StatusOr<std::vector<Device>> DevicesOfNvidiaSmi(const std::vector<SmiRow>& rows);

// "GPU-…, 4242, 512, python3": pids by UUID. Other lines are skipped: their form is not documented.
std::map<std::string, std::vector<int64_t>> ParseNvidiaSmiProcesses(std::string_view csv);

// "12.4" of "CUDA Version : 12.4" in `nvidia-smi -q`; empty if it does not say.
std::string ParseNvidiaSmiCuda(std::string_view text);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_NVIDIA_SMI_H_
