#include <algorithm>
#include <iterator>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/cleanup/cleanup.h"
#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/worker/devices/device_health.h"
#include "services/worker/devices/nvidia_smi.h"
#include "services/worker/devices/vendor_probes.h"
#include "services/worker/errors.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr unsigned kMaxGpus = 1024;
constexpr unsigned kMaxMigSlots = 64;
constexpr uint64_t kMiB = 1024 * 1024;
constexpr size_t kMaxTextBytes = 200;

// True if the answer can be used. What a board can't say is left open; what means that it is broken is its health.
bool Answered(Nvml& nvml, int code, Device& device) {
  switch (code) {
    case kNvmlOk:
      return true;
    case kNvmlGpuLost:
    case kNvmlGpuNotFound:
      Worsen(device, DeviceHealth::kBad, "it is lost: it does not answer its driver any more");
      return false;
    case kNvmlResetRequired:
      Worsen(device, DeviceHealth::kBad, "it must be reset before it can be used");
      return false;
    case kNvmlNotReady:
    case kNvmlUnknown:
      Worsen(device, DeviceHealth::kBad, "it does not answer: " + Readable(nvml.ErrorText(code), kMaxTextBytes));
      return false;
    default:
      return false;
  }
}

void ReadIdentity(Nvml& nvml, Nvml::Handle handle, Device& device) {
  std::string text;
  if (Answered(nvml, nvml.Uuid(handle, text), device)) device.id = Readable(text, kMaxTextBytes);
  if (Answered(nvml, nvml.Name(handle, text), device)) device.model = Readable(text, kMaxTextBytes);
  device.visible_as = device.id;
}

void ReadUse(Nvml& nvml, Nvml::Handle handle, Device& device) {
  uint64_t total = 0;
  uint64_t used = 0;
  if (Answered(nvml, nvml.Memory(handle, total, used), device)) {
    device.memory_mb = total / kMiB;
    device.memory_used_mb = used / kMiB;
  }
  unsigned percent = 0;
  if (Answered(nvml, nvml.Utilization(handle, percent), device)) {
    device.utilization = static_cast<int>(std::min(percent, 100U));
  }
  if (!Answered(nvml, nvml.Processes(handle, device.processes), device)) device.processes.clear();
}

void ReadHealth(Nvml& nvml, Nvml::Handle handle, Device& device) {
  uint64_t errors = 0;
  if (Answered(nvml, nvml.UncorrectedErrors(handle, errors), device)) device.uncorrected_errors = errors;
  GpuFacts facts;
  bool pending = false;
  bool failed = false;
  if (Answered(nvml, nvml.RemappedRows(handle, pending, failed), device)) {
    facts.memory_pending = pending;
    facts.remap_failed = failed;
  }
  bool retired = false;
  if (Answered(nvml, nvml.RetiredPagesPending(handle, retired), device) && retired) facts.memory_pending = true;
  constexpr unsigned kProhibited = 2;
  unsigned mode = 0;
  if (Answered(nvml, nvml.ComputeMode(handle, mode), device) && mode != 0) {
    facts.mode = mode == kProhibited ? GpuFacts::Mode::kProhibited : GpuFacts::Mode::kExclusive;
  }
  WorsenByFacts(device, facts);
}

// What all devices of a host have in common.
struct Versions {
  std::string driver;
  std::string runtime;
};

Device GpuAt(unsigned index, const Versions& versions) {
  Device device;
  device.kind = rules::DeviceKind::kGpu;
  device.index = static_cast<int>(index);
  device.name = Concat("gpu", index);
  device.driver = versions.driver;
  device.runtime = versions.runtime;
  device.health = DeviceHealth::kOk;
  return device;
}

// The instances of a GPU that is split; each is leased like a device of its own.
std::vector<Device> ReadInstances(Nvml& nvml, Nvml::Handle handle, const Device& whole) {
  std::vector<Device> instances;
  unsigned slots = 0;
  if (nvml.MigSlots(handle, slots) != kNvmlOk) return instances;
  for (unsigned slot = 0; slot < std::min(slots, kMaxMigSlots); ++slot) {
    Nvml::Handle instance_handle = nullptr;
    if (nvml.MigDeviceAt(handle, slot, instance_handle) != kNvmlOk) continue;
    Device instance = whole;
    instance.name = whole.name + "mig" + std::to_string(slot);
    instance.processes.clear();
    instance.utilization.reset();
    ReadIdentity(nvml, instance_handle, instance);
    ReadUse(nvml, instance_handle, instance);
    if (instance.id.empty() || instance.id == whole.id) continue;
    instances.push_back(std::move(instance));
  }
  return instances;
}

// One GPU, or the instances that it is split into.
std::vector<Device> ReadDevice(Nvml& nvml, Nvml::Handle handle, const Versions& versions, unsigned index) {
  Device device = GpuAt(index, versions);
  ReadIdentity(nvml, handle, device);
  std::string address;
  if (Answered(nvml, nvml.PciAddress(handle, address), device)) device.pci_address = NormalPciAddress(address);
  int major = 0;
  int minor = 0;
  if (Answered(nvml, nvml.Capability(handle, major, minor), device)) {
    device.capability = std::to_string(major) + "." + std::to_string(minor);
  }
  ReadUse(nvml, handle, device);
  ReadHealth(nvml, handle, device);
  if (device.id.empty()) {
    // Nothing that lasts is known of it: its place must do.
    device.id = device.pci_address.empty() ? "gpu:" + std::to_string(index) : device.pci_address;
    Worsen(device, DeviceHealth::kBad, "it does not say its UUID");
  }
  bool split = false;
  if (nvml.MigMode(handle, split) == kNvmlOk && split) {
    std::vector<Device> instances = ReadInstances(nvml, handle, device);
    if (!instances.empty()) return instances;
    Worsen(device, DeviceHealth::kBad, "it is in MIG mode and has no instances: programs see nothing of it");
  }
  return {std::move(device)};
}

class NvidiaProbe : public DeviceProbe {
 public:
  NvidiaProbe(std::unique_ptr<Nvml> nvml, std::shared_ptr<ToolRunner> tools, SystemPaths paths)
      : nvml_(std::move(nvml)), tools_(std::move(tools)), paths_(std::move(paths)) {}

  rules::DeviceKind kind() const override { return rules::DeviceKind::kGpu; }

  absl::StatusOr<Discovery> Discover() override { return nvml_ != nullptr ? ByNvml() : BySmi(); }

 private:
  absl::StatusOr<Discovery> ByNvml() {
    Discovery discovery;
    discovery.source = "nvml";
    if (const int code = nvml_->Init(); code != kNvmlOk) {
      // Images have the library where there is no card.
      if (code == kNvmlDriverNotLoaded && !HasNvidiaCard(paths_)) return discovery;
      return Failure("start", code);
    }
    const absl::Cleanup shutdown = [this] { nvml_->Shutdown(); };
    Versions versions;
    int cuda = 0;
    if (nvml_->DriverVersion(versions.driver) != kNvmlOk) versions.driver.clear();
    if (nvml_->CudaVersion(cuda) == kNvmlOk && cuda > 0) {
      versions.runtime = std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10);
    }
    unsigned count = 0;
    if (const int code = nvml_->Count(count); code != kNvmlOk) return Failure("count devices", code);
    for (unsigned index = 0; index < std::min(count, kMaxGpus); ++index) {
      Nvml::Handle handle = nullptr;
      const int code = nvml_->DeviceAt(index, handle);
      // It is in use by another.
      if (code == kNvmlNoPermission) continue;
      if (code != kNvmlOk) {
        discovery.devices.push_back(Unreachable(index, code, versions));
        continue;
      }
      absl::c_move(ReadDevice(*nvml_, handle, versions, index), std::back_inserter(discovery.devices));
    }
    return discovery;
  }

  absl::Status Failure(std::string_view call, int code) {
    if (code == kNvmlVersionsDiffer) return worker_errors::LibraryAndDriverDiffer();
    if (code == kNvmlDriverNotLoaded) return worker_errors::DriverNotLoaded();
    return worker_errors::NvmlFailed(call, code, nvml_->ErrorText(code));
  }

  // A device that NVML counts and can't hand out.
  Device Unreachable(unsigned index, int code, const Versions& versions) {
    Device device = GpuAt(index, versions);
    device.id = Concat("gpu:", index);
    device.health = DeviceHealth::kBad;
    Answered(*nvml_, code, device);
    if (device.health_reason.empty()) {
      device.health_reason = "it can't be opened: " + Readable(nvml_->ErrorText(code), kMaxTextBytes);
    }
    return device;
  }

  absl::StatusOr<std::vector<SmiRow>> Query(const std::string& fields) {
    ASSIGN_OR_RETURN(const ToolOutput output,
                     tools_->Run({"nvidia-smi", "--query-gpu=" + fields, "--format=csv,nounits"}));
    if (output.exit_code != 0) {
      return worker_errors::ToolFailed("nvidia-smi", output.exit_code, output.out.empty() ? output.err : output.out);
    }
    if (output.out.find("No devices were found") != std::string::npos) return std::vector<SmiRow>();
    return ParseNvidiaSmiRows(output.out);
  }

  absl::StatusOr<Discovery> BySmi() {
    Discovery discovery;
    discovery.source = "nvidia-smi";
    std::string all(kNvidiaSmiFields);
    for (const std::string_view field : kNvidiaSmiOptionalFields) all += "," + std::string(field);
    absl::StatusOr<std::vector<SmiRow>> rows = Query(all + ",name");
    if (rows.status().code() == absl::StatusCode::kNotFound) return discovery;
    if (rows.status().code() == absl::StatusCode::kDeadlineExceeded) {
      return worker_errors::ToolUnanswered("nvidia-smi", rows.status());
    }
    if (!rows.ok()) {
      // Perhaps one field is too new for this driver.
      rows = Query(std::string(kNvidiaSmiFields) + ",name");
      if (!rows.ok()) return Refusal(rows.status(), discovery);
      AddOptionalFields(*rows);
    }
    ASSIGN_OR_RETURN(std::vector<Device> devices, DevicesOfNvidiaSmi(*rows));
    discovery.devices = std::move(devices);
    AddProcessesAndCuda(discovery.devices);
    return discovery;
  }

  // The tool's own word for a host without devices, and for a driver that is not there.
  absl::StatusOr<Discovery> Refusal(const absl::Status& status, const Discovery& nothing) {
    const std::string said = LowerCase(std::string_view(status.message().data(), status.message().size()));
    if (said.find("no devices were found") != std::string::npos) return nothing;
    if (said.find("version mismatch") != std::string::npos) return worker_errors::LibraryAndDriverDiffer();
    if (said.find("communicate with the nvidia driver") != std::string::npos) {
      if (!HasNvidiaCard(paths_)) return nothing;
      return worker_errors::DriverNotLoaded();
    }
    return status;
  }

  void AddOptionalFields(std::vector<SmiRow>& rows) {
    for (const std::string_view field : kNvidiaSmiOptionalFields) {
      const absl::StatusOr<std::vector<SmiRow>> more = Query("uuid," + std::string(field));
      if (!more.ok()) continue;
      for (const SmiRow& values : *more) {
        const auto uuid = values.find("uuid");
        const auto value = values.find(field);
        if (uuid == values.end() || value == values.end()) continue;
        for (SmiRow& row : rows) {
          if (row["uuid"] == uuid->second) row[std::string(field)] = value->second;
        }
      }
    }
  }

  void AddProcessesAndCuda(std::vector<Device>& devices) {
    if (devices.empty()) return;
    const absl::StatusOr<ToolOutput> listed = tools_->Run(
        {"nvidia-smi", "--query-compute-apps=gpu_uuid,pid,used_memory,process_name", "--format=csv,noheader,nounits"});
    if (listed.ok() && listed->exit_code == 0) {
      std::map<std::string, std::vector<int64_t>> processes = ParseNvidiaSmiProcesses(listed->out);
      for (Device& device : devices) device.processes = processes[device.id];
    }
    const absl::StatusOr<ToolOutput> about = tools_->Run({"nvidia-smi", "-q", "-d", "COMPUTE"});
    if (!about.ok() || about->exit_code != 0) return;
    const std::string cuda = ParseNvidiaSmiCuda(about->out);
    for (Device& device : devices) device.runtime = cuda;
  }

  std::unique_ptr<Nvml> nvml_;
  std::shared_ptr<ToolRunner> tools_;
  SystemPaths paths_;
};

}  // namespace

std::unique_ptr<DeviceProbe> MakeNvidiaProbe(std::unique_ptr<Nvml> nvml, std::shared_ptr<ToolRunner> tools,
                                             SystemPaths paths) {
  return std::make_unique<NvidiaProbe>(std::move(nvml), std::move(tools), std::move(paths));
}

std::unique_ptr<DeviceProbe> MakeNvidiaProbe(std::shared_ptr<ToolRunner> tools) {
  return MakeNvidiaProbe(LoadNvml(), std::move(tools), SystemPaths{});
}

}  // namespace yardmaster::worker
