// What devices a machine has, and in what state. One probe for each kind of device; what it asks the system goes
// through an interface, so that recorded answers can be played.
#ifndef YARDMASTER_SERVICES_WORKER_DEVICES_DEVICE_PROBE_H_
#define YARDMASTER_SERVICES_WORKER_DEVICES_DEVICE_PROBE_H_

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"
#include "services/worker/devices/fault_codes.h"

namespace yardmaster::worker {

// From the best to the worst: a warning does not keep a job off a device, not to know its health does.
enum class DeviceHealth : uint8_t { kOk, kWarning, kUnknown, kBad };

// What the kernel's log said of a device while it was watched.
struct DeviceIncident {
  FaultAction action = FaultAction::kNothing;
  std::string text;  // for people
};

struct Device {
  rules::DeviceKind kind = rules::DeviceKind::kCpu;
  // As people and logs name it: "gpu0", "npu3", "cpu0".
  std::string name;
  // A permanent identifier: UUID of a GPU, PCI address of an NPU; "cpu:0".
  std::string id;
  int index = 0;            // as the vendor's tool counts
  std::string model;        // "NVIDIA H100 80GB HBM3", "910B3"
  std::string pci_address;  // "0000:18:00.0", lower case, domain with 4 digits; empty if unknown
  std::string driver;       // version; empty if unknown
  std::string runtime;      // newest CUDA that the driver serves, "12.4"; empty if unknown
  std::string capability;   // compute capability, "9.0"; empty if unknown
  std::string group;        // devices of one group reach each other fast; empty: nobody asked, or not known
  std::optional<uint64_t> memory_mb;
  std::optional<uint64_t> memory_used_mb;
  std::optional<int> utilization;  // percent
  DeviceHealth health = DeviceHealth::kUnknown;
  std::string health_reason;       // where it is not kOk
  std::vector<int64_t> processes;  // that use it, as pids of the host
  // Memory errors that ECC could not correct, since the driver was loaded; none: not known.
  std::optional<uint64_t> uncorrected_errors;
  std::vector<DeviceIncident> incidents;  // oldest first
  // The value for the variable of visible devices (its UUID, or the logical id on Ascend).
  std::string visible_as;
};

struct Discovery {
  std::vector<Device> devices;
  // How it was found out: "nvml", "nvidia-smi", "npu-smi (A3)", "configured".
  std::string source;
};

class DeviceProbe {
 public:
  virtual ~DeviceProbe() = default;
  virtual rules::DeviceKind kind() const = 0;
  // No devices of this kind (no driver, no tool) is an empty list. UNAVAILABLE: there is something, but it can't be
  // understood or does not answer; "unknown header" is that, never "no devices".
  virtual absl::StatusOr<Discovery> Discover() = 0;
};

// Runs a tool of a vendor and gives its output. For recorded fakes.
struct ToolOutput {
  int exit_code = 0;
  std::string out;
  std::string err;
};
class ToolRunner {
 public:
  virtual ~ToolRunner() = default;
  // NOT_FOUND: no such program. DEADLINE_EXCEEDED: it did not answer in time.
  virtual absl::StatusOr<ToolOutput> Run(const std::vector<std::string>& argv) = 0;
};
// npu-smi needs seconds on hosts with many cards; a driver that hangs never answers.
std::unique_ptr<ToolRunner> MakeToolRunner(std::chrono::milliseconds timeout = std::chrono::seconds(30));

// `count` devices of kind CPU: how many ranks may run beside each other.
std::unique_ptr<DeviceProbe> MakeCpuProbe(size_t count);
// NVML by dlopen, else nvidia-smi.
std::unique_ptr<DeviceProbe> MakeNvidiaProbe(std::shared_ptr<ToolRunner> tools);
// npu-smi.
std::unique_ptr<DeviceProbe> MakeAscendProbe(std::shared_ptr<ToolRunner> tools);

// In the order in which people count them: by kind, then by index.
void SortDevices(std::vector<Device>& devices);

// True if the device is of the kind, model, capability and memory that are asked for; `reason` says why not.
bool Fits(const Device& device, const rules::DeviceRequest& request, std::string& reason);

// NAME=value pairs by which programs see exactly these devices: CUDA_VISIBLE_DEVICES by UUID, ASCEND_RT_VISIBLE_DEVICES
// in ascending order, TILE_FWK_DEVICE_ID and TILE_FWK_DEVICE_ID_LIST as renumbered from 0. Without devices of a kind
// its variables hide all of them.
std::vector<std::string> VisibleDeviceVariables(const std::vector<Device>& leased);

// A device with more memory in use or more load than this is in use by another. The driver itself holds a few hundred
// MiB of a GPU while anything keeps it open, and a few GiB of an NPU always.
inline constexpr uint64_t kIdleGpuMemoryMb = 600;
inline constexpr uint64_t kIdleNpuMemoryMb = 5'000;
inline constexpr int kIdleUtilization = 5;  // percent

// Why a job should not be given this device now: its health, a process on it, memory in use, load. Nothing: it is idle.
// One look can fall into a pause of another job: look twice.
std::optional<std::string> IdleReason(const Device& device);

// Looks again after a step. False where the device is gone, fails, or has counted memory errors or had an incident that
// spoils what runs on it since `device` was looked at; `reason` then says which. False, too, where the probe fails: a
// device that does not answer can't be used. True with a `reason`: an incident that was the program's doing.
bool DeviceStillUsable(DeviceProbe& probe, const Device& device, std::string& reason);

// One sentence where programs of this CUDA toolkit ("12.4", "13.0.1") can't run with the device's driver: its CUDA has
// a lower major number (below 11: a lower minor number). Newer minor versions do run. Nothing where a version is not
// known.
std::optional<std::string> DriverTooOld(const Device& device, std::string_view toolkit);

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_DEVICES_DEVICE_PROBE_H_
