// Waiting on a FakeClock.
#ifndef YARDMASTER_TESTS_SUPPORT_FAKE_WAITER_H_
#define YARDMASTER_TESTS_SUPPORT_FAKE_WAITER_H_

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <vector>

#include "clients/forge/waiter.h"
#include "tests/support/fake_clock.h"

namespace yardmaster::testing {

// For one thread: whoever waits moves the clock.
class VirtualWaiter final : public Waiter {
 public:
  explicit VirtualWaiter(FakeClock& clock) : clock_(clock) {}
  void WaitUntil(std::unique_lock<std::mutex>&, std::condition_variable&,
                 std::chrono::steady_clock::time_point until) override {
    const auto now = clock_.Monotonic();
    if (until <= now) return;
    waits_.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(until - now));
    clock_.Advance(until - now);
  }
  const std::vector<std::chrono::milliseconds>& waits() const { return waits_; }
  std::chrono::milliseconds total() const {
    std::chrono::milliseconds sum{0};
    for (const auto wait : waits_) sum += wait;
    return sum;
  }

 private:
  FakeClock& clock_;
  std::vector<std::chrono::milliseconds> waits_;
};

// For several threads: they wait until the test has moved the clock, or are notified.
class PatientWaiter final : public Waiter {
 public:
  explicit PatientWaiter(const FakeClock& clock) : clock_(clock) {}
  void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                 std::chrono::steady_clock::time_point until) override {
    if (clock_.Monotonic() < until) changed.wait_for(lock, std::chrono::milliseconds(1));
  }

 private:
  const FakeClock& clock_;
};

}  // namespace yardmaster::testing

#endif  // YARDMASTER_TESTS_SUPPORT_FAKE_WAITER_H_
