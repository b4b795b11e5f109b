// Devices straight from what the vendors' tools print.
#ifndef YARDMASTER_TESTS_SUPPORT_SMI_DEVICES_H_
#define YARDMASTER_TESTS_SUPPORT_SMI_DEVICES_H_

#include <string_view>
#include <utility>
#include <vector>

#include "services/core/status_macros.h"
#include "services/worker/devices/npu_smi.h"
#include "services/worker/devices/nvidia_smi.h"

namespace yardmaster::worker {

inline absl::StatusOr<std::vector<Device>> ParseNvidiaSmi(std::string_view csv) {
  ASSIGN_OR_RETURN(const std::vector<SmiRow> rows, ParseNvidiaSmiRows(csv));
  return DevicesOfNvidiaSmi(rows);
}

inline absl::StatusOr<std::vector<Device>> ParseNpuSmiInfo(std::string_view text) {
  ASSIGN_OR_RETURN(NpuTable table, ParseNpuSmiTable(text));
  std::vector<Device> devices;
  for (NpuChip& chip : table.chips) devices.push_back(std::move(chip.device));
  return devices;
}

}  // namespace yardmaster::worker

#endif  // YARDMASTER_TESTS_SUPPORT_SMI_DEVICES_H_
