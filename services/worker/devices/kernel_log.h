// The kernel's log since the host was started: where drivers say what happened to devices.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_KERNEL_LOG_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_KERNEL_LOG_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "services/worker/devices/device_probe.h"

namespace yardmaster::worker {

struct KernelLine {
  uint64_t micros = 0;  // by the kernel's own clock, since the host was started
  std::string text;
};

class KernelLog {
 public:
  virtual ~KernelLog() = default;
  // As far as the kernel still has it, oldest first. UNAVAILABLE: it may not be read.
  virtual absl::StatusOr<std::vector<KernelLine>> Read() = 0;
};
// /dev/kmsg, or what `journalctl` has of it where only members of its group may read it.
std::unique_ptr<KernelLog> MakeKernelLog(std::shared_ptr<ToolRunner> tools);

// "4,1234,5678901234,-;text", as /dev/kmsg gives one line a read; further lines of it (" SUBSYSTEM=pci") are left out.
std::optional<KernelLine> ParseKmsgRecord(std::string_view record);
// `journalctl --output=short-monotonic`: "[ 5678.901234] host kernel: text". Lines of other forms are left out.
std::vector<KernelLine> ParseKernelJournal(std::string_view text);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_KERNEL_LOG_H_
