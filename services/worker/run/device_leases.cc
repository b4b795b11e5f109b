#include "services/worker/run/device_leases.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "rules/suites/suite_names.h"
#include "services/core/status_macros.h"
#include "services/worker/process/name_lock.h"
#include "services/worker/run/workspace.h"

namespace yardmaster::worker {
namespace {

// How often leased devices are looked at again.
constexpr std::chrono::milliseconds kLookInterval{100};

std::string Counted(size_t count, rules::DeviceKind kind) {
  return absl::StrCat(count, " ", std::string(rules::DeviceKindName(kind)), count == 1 ? "" : "s");
}

}  // namespace

DeviceLeases::DeviceLeases(std::vector<DeviceProbe*> probes, std::function<void(std::string_view)> note)
    : probes_(std::move(probes)), note_(std::move(note)) {}

DeviceProbe* DeviceLeases::ProbeOf(rules::DeviceKind kind) const {
  for (DeviceProbe* probe : probes_) {
    if (probe->kind() == kind) return probe;
  }
  return nullptr;
}

const absl::StatusOr<Discovery>& DeviceLeases::Discovered(rules::DeviceKind kind) {
  const auto known = discovered_.find(kind);
  if (known != discovered_.end()) return known->second;
  DeviceProbe* probe = ProbeOf(kind);
  return discovered_.emplace(kind, probe == nullptr ? absl::StatusOr<Discovery>(Discovery()) : probe->Discover())
      .first->second;
}

LeaseAnswer DeviceLeases::Lease(const rules::DeviceRequest& request, size_t count, bool shared,
                                const std::atomic<bool>& cancel) {
  LeaseAnswer answer;
  const absl::StatusOr<Discovery>& found = Discovered(request.kind);
  if (!found.ok()) {
    answer.state = LeaseAnswer::State::kUnknown;
    answer.reason = absl::StrCat("the ", std::string(rules::DeviceKindName(request.kind)),
                                 "s could not be asked about: ", std::string(found.status().message()));
    return answer;
  }

  // Those that would do.
  std::vector<const Device*> fitting;
  std::string why;
  for (const Device& device : found->devices) {
    std::string reason;
    if (!Fits(device, request, reason)) {
      if (why.empty()) why = device.name + ": " + reason;
      continue;
    }
    if (request.kind != rules::DeviceKind::kCpu && !held_.contains(device.id)) {
      if (const std::optional<std::string> busy = IdleReason(device); busy.has_value()) {
        if (why.empty()) why = device.name + ": " + *busy;
        continue;
      }
    }
    fitting.push_back(&device);
  }
  const bool enough = fitting.size() >= count || (shared && !fitting.empty());
  if (!enough) {
    answer.state = LeaseAnswer::State::kAbsent;
    answer.reason =
        absl::StrCat("it needs ", Counted(count, request.kind), ", and there ", fitting.size() == 1 ? "is " : "are ",
                     fitting.empty() ? std::string("none") : std::to_string(fitting.size()),
                     found->devices.empty() ? "" : " that fit", why.empty() ? "" : " (" + why + ")");
    return answer;
  }
  const size_t wanted = std::min(count, fitting.size());
  const auto grant = [&](const Device& device) {
    answer.devices.push_back(device);
    used_.emplace(device.id, device);
  };
  if (request.kind == rules::DeviceKind::kCpu) {
    for (size_t i = 0; i < wanted; ++i) grant(*fitting[i]);
    return answer;
  }

  // Those we hold first.
  absl::c_stable_sort(
      fitting, [&](const Device* a, const Device* b) { return held_.contains(a->id) && !held_.contains(b->id); });
  const auto deadline = std::chrono::steady_clock::now() + kMaxDeviceWait;
  bool told = false;
  while (true) {
    std::vector<const Device*> got;
    std::string holder;
    for (const Device* device : fitting) {
      if (got.size() == wanted) break;
      const absl::StatusOr<bool> taken = Take(*device, holder);
      if (!taken.ok()) {
        held_.clear();
        answer.state = LeaseAnswer::State::kUnknown;
        answer.reason = std::string(taken.status().message());
        return answer;
      }
      if (*taken) got.push_back(device);
    }
    if (got.size() == wanted) {
      absl::c_sort(got, [](const Device* a, const Device* b) { return a->index < b->index; });
      for (const Device* device : got) grant(*device);
      return answer;
    }
    held_.clear();
    if (!told) note_(absl::StrCat("waiting for ", Counted(wanted, request.kind), ", which another run has", holder));
    told = true;
    if (cancel.load() || std::chrono::steady_clock::now() >= deadline) {
      answer.state = LeaseAnswer::State::kAbsent;
      answer.reason = absl::StrCat(Counted(wanted, request.kind), " could not be had: another run has them", holder);
      return answer;
    }
    std::this_thread::sleep_for(kLookInterval);
  }
}

absl::StatusOr<bool> DeviceLeases::Take(const Device& device, std::string& holder) {
  if (held_.contains(device.id)) return true;
  std::string process;
  ASSIGN_OR_RETURN(std::unique_ptr<NameLock> lock,
                   NameLock::Take(DefaultLockFolder(), "device-" + FileNameOf(device.id), process));
  if (lock == nullptr) {
    if (!process.empty()) holder = absl::StrCat(" (process ", process, ")");
    return false;
  }
  held_.emplace(device.id, std::move(lock));
  return true;
}

std::vector<Device> DeviceLeases::used() const {
  std::vector<Device> out;
  out.reserve(used_.size());
  for (const auto& [id, device] : used_) out.push_back(device);
  SortDevices(out);
  return out;
}

}  // namespace yardmaster::worker
