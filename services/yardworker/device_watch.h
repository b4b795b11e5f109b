// The worker's devices, looked at again while it works: a card that falls off its bus takes no more runs, and one that
// comes back does.
#ifndef YARDMASTER_SERVICES_YARDWORKER_DEVICE_WATCH_H_
#define YARDMASTER_SERVICES_YARDWORKER_DEVICE_WATCH_H_

#include <chrono>
#include <condition_variable>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/status/statusor.h"
#include "services/worker/devices/device_probe.h"
#include "yardmaster/v1/runner.pb.h"

namespace yardmaster::yardworker {

// What a look at one kind of devices has found, or why it failed.
using KindsFound = std::map<std::string, absl::StatusOr<std::vector<worker::Device>>>;

// "cpu:8,gpu:auto": a look at each kind that is named, at no more devices than the number. INVALID_ARGUMENT for other
// texts.
absl::StatusOr<KindsFound> LookAtDevices(const std::string& text);

// What is known after a look. A device that was known and was not found keeps its place and has a fault; so do all of a
// kind that can't be looked at. New ones come at the end.
std::vector<v1::WorkerDevice> Merge(std::vector<v1::WorkerDevice> known, const KindsFound& found);

// Looks again and again, in a thread: tools of vendors take seconds, or never answer.
class DeviceWatch {
 public:
  // `text` as above; `devices` is what is known already.
  DeviceWatch(std::string text, std::vector<v1::WorkerDevice> devices, std::chrono::seconds every);
  ~DeviceWatch();
  DeviceWatch(const DeviceWatch&) = delete;
  DeviceWatch& operator=(const DeviceWatch&) = delete;

  std::vector<v1::WorkerDevice> Newest();

 private:
  void Loop();

  const std::string text_;
  const std::chrono::seconds every_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  bool over_ = false;
  std::vector<v1::WorkerDevice> devices_;
  std::thread thread_;
};

}  // namespace yardmaster::yardworker

#endif  // YARDMASTER_SERVICES_YARDWORKER_DEVICE_WATCH_H_
