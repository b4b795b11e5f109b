// The worker's devices, looked at again while it works: a card that falls off its bus takes no more runs, and one that
// comes back does.
#ifndef YARDMASTER_SERVICES_YARDWORKER_DEVICE_WATCH_H_
#define YARDMASTER_SERVICES_YARDWORKER_DEVICE_WATCH_H_

#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/gpu_faults.h"
#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::yardworker {

// What a look at one kind of devices has found, or why it failed.
using KindsFound = std::map<std::string, absl::StatusOr<std::vector<worker::Device>>>;

// "cpu:8,gpu:auto": a look at each kind that is named, at no more devices than the number; with `groups` also at which
// of them reach each other fast. INVALID_ARGUMENT for other texts.
// `faults` is told what is seen of GPUs; may be null.
absl::StatusOr<KindsFound> LookAtDevices(const std::string& text, bool groups, worker::GpuFaults* faults);

// What is known after a look. A device that was known and was not found keeps its place and has a fault; so do all of a
// kind that can't be looked at. New ones come at the end.
std::vector<v1::WorkerDevice> Merge(std::vector<v1::WorkerDevice> known, const KindsFound& found);

// Why a job should not be given a device now, by its id, of those that were found: somebody uses it, or it is not well.
// Empty texts for those that are idle.
std::map<std::string, std::string> IdleReasonsOf(const KindsFound& found);

// The versions of the drivers, by kind: "gpu 550.54, npu 24.1.rc2". Of a kind that does not answer nothing is said.
std::string DriversOf(const KindsFound& found);

// What the last look found.
struct DeviceView {
  std::vector<v1::WorkerDevice> devices;
  std::map<std::string, std::string> idle_reasons;  // see IdleReasonsOf; only meant for devices that no run of ours has
  std::chrono::steady_clock::time_point began{};    // when that look began
  std::string drivers;                              // "gpu 550.54, npu 24.1"; as far as they are known
};

// Looks again and again, in a thread: tools of vendors take seconds, or never answer.
class DeviceWatch {
 public:
  // `text` as above; `devices` and `drivers` are what is known already. `faults` may be null.
  DeviceWatch(std::string text, std::vector<v1::WorkerDevice> devices, std::string drivers, std::chrono::seconds every,
              std::unique_ptr<worker::GpuFaults> faults);
  ~DeviceWatch();
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

  DeviceView Newest();
  // Looks more often as long as it is wanted: something is wrong that may pass.
  void Hurry(bool wanted);

 private:
  void Loop();

  const std::string text_;
  const std::chrono::seconds every_;
  const std::unique_ptr<worker::GpuFaults> faults_;  // used by the thread alone
  std::mutex mutex_;                                 // guards what follows
  std::condition_variable wake_;
  bool over_ = false;
  bool hurried_ = false;
  DeviceView view_;
  std::thread thread_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_DEVICE_WATCH_H_
