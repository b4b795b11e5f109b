// What npu-smi prints. Its table of devices has three shapes, which its header tells apart; a header that is none of
// them is an error, since taking a column for another one would lease a device that is not there.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_NPU_SMI_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_NPU_SMI_H_

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "services/worker/devices/device_probe.h"

namespace yardmaster::worker {

// One die: what npu-smi calls a chip, on the card that it calls an NPU.
struct NpuChip {
  uint64_t npu = 0;
  uint64_t chip = 0;
  Device device;
};

struct NpuTable {
  std::string shape;    // "A2", "A3", "310"
  std::string version;  // of the driver, from the banner
  std::vector<NpuChip> chips;
};

// `npu-smi info`. UNAVAILABLE names the line. Logical ids are not known yet: devices are visible as their place.
absl::StatusOr<NpuTable> ParseNpuSmiTable(std::string_view text);

// Cards that `npu-smi info -l` counts; nothing if it does not say.
std::optional<uint64_t> ParseNpuSmiCount(std::string_view text);

// `npu-smi info -m`: (NPU, chip) → logical id, without the controllers beside the chips. Empty if it can't be read.
std::map<std::pair<uint64_t, uint64_t>, uint64_t> ParseNpuSmiMapping(std::string_view text);

// `npu-smi info -t health -i NPU -c CHIP`: what it says besides the health of the table: error codes, what is known of
// them, and its own words. Empty if it says nothing.
std::string ParseNpuSmiHealth(std::string_view text);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_NPU_SMI_H_
