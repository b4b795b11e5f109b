// A probe that finds what it is told to find.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKE_PROBE_H_
#define YARDMASTER_TESTS_SUPPORT_FAKE_PROBE_H_

#include <utility>

#include "services/worker/devices/device_probe.h"

namespace yardmaster::testing {

// Of GPUs.
class FakeProbe final : public worker::DeviceProbe {
 public:
  explicit FakeProbe(absl::StatusOr<worker::Discovery> answer) : answer_(std::move(answer)) {}
  rules::DeviceKind kind() const override { return rules::DeviceKind::kGpu; }
  absl::StatusOr<worker::Discovery> Discover() override { return answer_; }

 private:
  const absl::StatusOr<worker::Discovery> answer_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_FAKE_PROBE_H_
