// What the kernel's log says of GPUs while they are used: a driver's tools may call a GPU well whose driver has said
// that it must be reset.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_GPU_FAULTS_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_GPU_FAULTS_H_

#include <compare>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/kernel_log.h"

namespace yardmaster::worker {

// An error that NVIDIA's driver has written to the kernel's log.
struct Xid {
  uint64_t micros = 0;
  std::string pci_address;  // "0000:18:00": without a function
  uint32_t number = 0;
  std::string text;                              // what follows the number
  auto operator<=>(const Xid&) const = default;  // NOLINT(modernize-use-nullptr): it reads the 0
};
// "NVRM: Xid (PCI:0000:18:00): 95, pid=4242, name=python3, …"; nothing for other lines.
std::optional<Xid> XidOf(const KernelLine& line);

// Remembers what it has seen: the kernel does not keep its log for ever. Not thread-safe.
class GpuFaults {
 public:
  // So that nothing counts.
  static constexpr uint64_t kNever = std::numeric_limits<uint64_t>::max();

  // What the log has up to `since` does not count: it is about GPUs that somebody has seen to since. Nothing: up to
  // now.
  GpuFaults(std::unique_ptr<KernelLog> log, std::optional<uint64_t> since);

  // kNever: the log could not be read.
  uint64_t since() const { return since_; }
  // Reads what is new. Where the log can't be read any more, what was seen stays.
  void Look();
  // Makes the health of a GPU worse by what was seen of it, until the driver says that it has recovered; and fills its
  // incidents.
  void Apply(Device& gpu) const;

 private:
  const std::unique_ptr<KernelLog> log_;
  uint64_t since_ = kNever;
  std::set<Xid> seen_;  // oldest first
};

// Finds what `gpus` finds, each with what was seen of it. `faults` must outlive it.
std::unique_ptr<DeviceProbe> WithFaults(std::unique_ptr<DeviceProbe> gpus, GpuFaults& faults);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_GPU_FAULTS_H_
