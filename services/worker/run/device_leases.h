// The right to use devices: a run has its devices to itself, also beside other runs of this machine.
#ifndef YARDMASTER_SERVICES_WORKER_RUN_DEVICE_LEASES_H_
#define YARDMASTER_SERVICES_WORKER_RUN_DEVICE_LEASES_H_

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "rules/suites/suite_model.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/process/name_lock.h"

namespace yardmaster::worker {

// A run that finds its devices leased waits at most so long for them.
inline constexpr std::chrono::seconds kMaxDeviceWait{3600};

// What a request for devices came to.
struct LeaseAnswer {
  enum class State : uint8_t {
    kGranted,
    kAbsent,   // there are not so many of that kind: not run
    kUnknown,  // they could not be asked about or locked: an error of the machine
  };
  State state = State::kGranted;
  std::vector<Device> devices;
  std::string reason;
};

class DeviceLeases {
 public:
  // `note` is told what is waited for, for people.
  DeviceLeases(std::vector<DeviceProbe*> probes, std::function<void(std::string_view)> note);
  ~DeviceLeases() = default;
  DeviceLeases(const DeviceLeases&) = delete;
  DeviceLeases& operator=(const DeviceLeases&) = delete;

  // `count` devices that fit. What this run holds already is used first. CPUs are counted, not locked; with `shared`
  // fewer of them than asked for are enough. Devices that are in use by others are not given, and those that
  // another run has leased are waited for; what is held is given back meanwhile, so that two runs never wait for each
  // other. Nothing is waited for once `cancel` is true.
  LeaseAnswer Lease(const rules::DeviceRequest& request, size_t count, bool shared, const std::atomic<bool>& cancel);

  // Devices of a kind as they were found; empty answers for kinds without a probe.
  const absl::StatusOr<Discovery>& Discovered(rules::DeviceKind kind);
  DeviceProbe* ProbeOf(rules::DeviceKind kind) const;

  // Everything that was leased at any time in this run, in the order of their names.
  std::vector<Device> used() const;

 private:
  // False: another run has it; `holder` says which, for people.
  absl::StatusOr<bool> Take(const Device& device, std::string& holder);

  std::vector<DeviceProbe*> probes_;
  std::function<void(std::string_view)> note_;
  std::map<rules::DeviceKind, absl::StatusOr<Discovery>> discovered_;
  std::map<std::string, std::unique_ptr<NameLock>> held_;  // by the device's id
  std::map<std::string, Device> used_;
};

}  // namespace yardmaster::worker

#endif  // YARDMASTER_SERVICES_WORKER_RUN_DEVICE_LEASES_H_
