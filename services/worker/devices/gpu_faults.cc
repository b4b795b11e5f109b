#include "services/worker/devices/gpu_faults.h"

#include <re2/re2.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "services/core/readable.h"
#include "services/core/status_macros.h"
#include "services/worker/devices/device_health.h"
#include "services/worker/devices/fault_codes.h"
#include "services/worker/devices/system_devices.h"
#include "services/worker/re2_piece.h"
#include "services/worker/text.h"

namespace yardmaster::worker {
namespace {

constexpr size_t kMaxSeen = 10'000;
constexpr size_t kMaxIncidents = 100;  // of one GPU

// Of a GPU, without the function of the PCI address.
bool IsAbout(const Xid& xid, const Device& gpu) { return gpu.pci_address.starts_with(xid.pci_address + "."); }

class ProbeWithFaults : public DeviceProbe {
 public:
  ProbeWithFaults(std::unique_ptr<DeviceProbe> gpus, GpuFaults& faults) : gpus_(std::move(gpus)), faults_(faults) {}

  rules::DeviceKind kind() const override { return gpus_->kind(); }
  absl::StatusOr<Discovery> Discover() override {
    ASSIGN_OR_RETURN(Discovery found, gpus_->Discover());
    if (!found.devices.empty()) faults_.Look();
    for (Device& gpu : found.devices) faults_.Apply(gpu);
    return found;
  }

 private:
  const std::unique_ptr<DeviceProbe> gpus_;
  GpuFaults& faults_;
};

}  // namespace

std::optional<Xid> XidOf(const KernelLine& line) {
  // With MIG "GPU-I:05" follows the address; old drivers leave out "PCI:".
  static const RE2 kXid(
      R"((?i)NVRM: Xid \((?:PCI:)?([[:xdigit:]]{4,8}:[[:xdigit:]]{2}:[[:xdigit:]]{2})[^)]*\): (\d{1,6})\b,? ?(.*))");
  Xid xid;
  std::string address;
  if (!RE2::PartialMatch(Piece(line.text), kXid, &address, &xid.number, &xid.text)) return std::nullopt;
  xid.micros = line.micros;
  constexpr std::string_view kFunction = ".0";
  xid.pci_address = NormalPciAddress(Concat(address, kFunction));
  xid.pci_address.resize(xid.pci_address.size() - std::min(xid.pci_address.size(), kFunction.size()));
  xid.text = Readable(xid.text, kMaxDeviceTextBytes);
  return xid;
}

GpuFaults::GpuFaults(std::unique_ptr<KernelLog> log, std::optional<uint64_t> since) : log_(std::move(log)) {
  if (since.has_value()) {
    since_ = *since;
    return;
  }
  const absl::StatusOr<std::vector<KernelLine>> lines = log_->Read();
  if (!lines.ok()) return;
  since_ = 0;
  for (const KernelLine& line : *lines) since_ = std::max(since_, line.micros);
}

void GpuFaults::Look() {
  if (since_ == kNever) return;
  const absl::StatusOr<std::vector<KernelLine>> lines = log_->Read();
  if (!lines.ok()) return;
  for (const KernelLine& line : *lines) {
    if (line.micros <= since_ || seen_.size() >= kMaxSeen) continue;
    if (std::optional<Xid> xid = XidOf(line)) seen_.insert(*std::move(xid));
  }
}

void GpuFaults::Apply(Device& gpu) const {
  std::vector<std::string> faults;  // since it has recovered
  for (const Xid& xid : seen_) {
    if (!IsAbout(xid, gpu)) continue;
    const FaultCode code = MeaningOfXid(xid.number, xid.text);
    if (code.action == FaultAction::kNothing) continue;
    if (code.action == FaultAction::kRecovered) faults.clear();
    const std::string text = TextOfXid(xid.number, code);
    if (TakesOut(code.action)) faults.push_back(text);
    if (gpu.incidents.size() < kMaxIncidents) gpu.incidents.push_back({code.action, text});
  }
  for (const std::string& fault : faults) {
    Worsen(gpu, DeviceHealth::kBad, fault + ", and its worker be started again afterwards");
  }
}

std::unique_ptr<DeviceProbe> WithFaults(std::unique_ptr<DeviceProbe> gpus, GpuFaults& faults) {
  return std::make_unique<ProbeWithFaults>(std::move(gpus), faults);
}

}  // namespace yardmaster::worker
