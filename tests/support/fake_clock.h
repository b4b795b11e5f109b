// A clock that only the test moves.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKE_CLOCK_H_
#define YARDMASTER_TESTS_SUPPORT_FAKE_CLOCK_H_

#include <atomic>
#include <chrono>

#include "services/core/clock.h"

namespace yardmaster::testing {

// Thread-safe. Starts at 2024-05-01T12:00:00Z.
class FakeClock final : public Clock {
 public:
  std::chrono::system_clock::time_point Now() const override {
    return std::chrono::system_clock::time_point(std::chrono::duration_cast<std::chrono::system_clock::duration>(
        std::chrono::seconds(1'714'564'800) + Passed()));
  }
  std::chrono::steady_clock::time_point Monotonic() const override {
    return std::chrono::steady_clock::time_point(
        std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::seconds(1'000'000) + Passed()));
  }
  void Advance(std::chrono::nanoseconds by) { nanos_ += by.count(); }

 private:
  std::chrono::nanoseconds Passed() const { return std::chrono::nanoseconds(nanos_.load()); }
  std::atomic<int64_t> nanos_{0};
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_FAKE_CLOCK_H_
