#include "services/yardworker/device_watch.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "services/core/status_macros.h"
#include "services/worker/devices/topology.h"
#include "services/yardworker/outcome.h"

namespace yardmaster::yardworker {
namespace {

constexpr std::chrono::seconds kLookWhenHurried{5};
constexpr size_t kMaxModelBytes = 200;
constexpr size_t kMaxFaultBytes = 500;

// What tells which devices of a kind reach each other fast.
std::vector<std::string> TopologyCommand(const std::string& kind) {
  if (kind == "gpu") return {"nvidia-smi", "topo", "-m"};
  return {"npu-smi", "info", "-t", "topo"};
}

// Fixed as long as the host is not opened: asked about once.
void SetGroups(worker::ToolRunner& tools, const std::string& kind, KindsFound& found) {
  const auto devices = found.find(kind);
  if (devices == found.end() || !devices->second.ok() || devices->second->size() < 2) return;
  const absl::StatusOr<worker::ToolOutput> matrix = tools.Run(TopologyCommand(kind));
  if (!matrix.ok() || matrix->exit_code != 0) return;
  const std::map<int, int> groups = worker::GroupsOfTopology(matrix->out);
  for (worker::Device& device : *devices->second) {
    if (const auto group = groups.find(device.index); group != groups.end()) {
      device.group = absl::StrCat(kind, "-group-", group->second);
    }
  }
}

void Describe(const worker::Device& device, const std::string& kind, v1::WorkerDevice& out) {
  out.set_id(device.id);
  out.set_kind(kind);
  out.set_model(FitForMessage(device.model, kMaxModelBytes));
  out.set_capability(device.capability);
  if (!device.group.empty()) out.set_group(device.group);
  out.set_memory_mib(device.memory_mb.value_or(0));
  out.clear_fault();
  if (device.health == worker::DeviceHealth::kBad) {
    out.set_fault(device.health_reason.empty() ? "it fails" : FitForMessage(device.health_reason, kMaxFaultBytes));
  }
}

}  // namespace

absl::StatusOr<KindsFound> LookAtDevices(const std::string& text, bool groups, worker::GpuFaults* faults) {
  const std::shared_ptr<worker::ToolRunner> tools = worker::MakeToolRunner();
  KindsFound kinds;
  for (const std::string& part : std::vector<std::string>(absl::StrSplit(text, ',', absl::SkipEmpty()))) {
    const std::pair<std::string, std::string> words = absl::StrSplit(part, absl::MaxSplits(':', 1));
    size_t most = std::max(1U, std::thread::hardware_concurrency());
    const bool any = words.second.empty() || words.second == "auto";
    if (!any && !absl::SimpleAtoi(words.second, &most)) {
      return absl::InvalidArgumentError(absl::StrCat("--devices: \"", part, "\": expected KIND:NUMBER or KIND:auto"));
    }
    std::unique_ptr<worker::DeviceProbe> probe;
    if (words.first == "cpu") probe = worker::MakeCpuProbe(most);
    if (words.first == "gpu") {
      probe = worker::MakeNvidiaProbe(tools);
      if (faults != nullptr) probe = worker::WithFaults(std::move(probe), *faults);
    }
    if (words.first == "npu") probe = worker::MakeAscendProbe(tools);
    if (probe == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("--devices: \"", words.first, "\": expected cpu, gpu or npu"));
    }
    absl::StatusOr<worker::Discovery> found = probe->Discover();
    if (!found.ok()) {
      kinds.insert_or_assign(words.first, found.status());
      continue;
    }
    if ((!any || words.first == "cpu") && found->devices.size() > most) found->devices.resize(most);
    kinds.insert_or_assign(words.first, std::move(found->devices));
    if (groups && words.first != "cpu") SetGroups(*tools, words.first, kinds);
  }
  return kinds;
}

std::vector<v1::WorkerDevice> Merge(std::vector<v1::WorkerDevice> known, const KindsFound& found) {
  for (const auto& [kind, devices] : found) {
    std::set<std::string_view> seen;
    for (v1::WorkerDevice& one : known) {
      if (one.kind() != kind) continue;
      seen.insert(one.id());
      if (!devices.ok()) {
        one.set_fault(absl::StrCat("it can't be looked at: ", devices.status().message()));
        continue;
      }
      const auto now = std::find_if(devices->begin(), devices->end(),
                                    [&](const worker::Device& device) { return device.id == one.id(); });
      if (now == devices->end()) {
        one.set_fault("it is gone: the driver does not list it any more");
      } else {
        Describe(*now, kind, one);
      }
    }
    if (!devices.ok()) continue;
    std::vector<v1::WorkerDevice> fresh;
    for (const worker::Device& device : *devices) {
      if (!seen.contains(device.id)) Describe(device, kind, fresh.emplace_back());
    }
    known.insert(known.end(), fresh.begin(), fresh.end());
  }
  return known;
}

std::map<std::string, std::string> IdleReasonsOf(const KindsFound& found) {
  std::map<std::string, std::string> reasons;
  for (const auto& [kind, devices] : found) {
    if (!devices.ok()) continue;
    for (const worker::Device& device : *devices) {
      reasons[device.id] = FitForMessage(worker::IdleReason(device).value_or(""), kMaxFaultBytes);
    }
  }
  return reasons;
}

std::string DriversOf(const KindsFound& found) {
  std::set<std::string> drivers;
  for (const auto& [kind, devices] : found) {
    if (!devices.ok()) continue;
    for (const worker::Device& device : *devices) {
      if (!device.driver.empty()) drivers.insert(absl::StrCat(kind, " ", FitForMessage(device.driver, kMaxModelBytes)));
    }
  }
  return absl::StrJoin(drivers, ", ");
}

DeviceWatch::DeviceWatch(std::string text, std::vector<v1::WorkerDevice> devices, std::string drivers,
                         std::chrono::seconds every, std::unique_ptr<worker::GpuFaults> faults)
    : text_(std::move(text)), every_(every), faults_(std::move(faults)) {
  view_.devices = std::move(devices);
  view_.drivers = std::move(drivers);
  thread_ = std::thread([this] { Loop(); });
}

DeviceWatch::~DeviceWatch() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

DeviceView DeviceWatch::Newest() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return view_;
}

void DeviceWatch::Hurry(bool wanted) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (hurried_ == wanted) return;
    hurried_ = wanted;
  }
  wake_.notify_all();
}

void DeviceWatch::Loop() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!over_) {
    const bool hurried = hurried_;
    const auto pause = hurried ? std::min<std::chrono::seconds>(kLookWhenHurried, every_) : every_;
    if (wake_.wait_for(lock, pause, [&] { return over_ || hurried_ != hurried; })) continue;
    lock.unlock();
    const auto began = std::chrono::steady_clock::now();
    const absl::StatusOr<KindsFound> found = LookAtDevices(text_, /*groups=*/false, faults_.get());
    lock.lock();
    if (!found.ok()) continue;
    view_.devices = Merge(std::move(view_.devices), *found);
    view_.idle_reasons = IdleReasonsOf(*found);
    // While a card does not answer its driver is not another.
    if (std::string drivers = DriversOf(*found); !drivers.empty()) view_.drivers = std::move(drivers);
    view_.began = began;
  }
}

}  // namespace yardmaster::yardworker
