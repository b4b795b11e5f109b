// Waiting as an interface: for the budget and between attempts. With a fake, the whole stack of decorators runs on a
// virtual clock in one thread.
#ifndef YARDMASTER_CLIENTS_FORGE_WAITER_H_
#define YARDMASTER_CLIENTS_FORGE_WAITER_H_

#include <chrono>
#include <condition_variable>
#include <mutex>

namespace yardmaster {

// Thread-safe.
class Waiter {
 public:
  virtual ~Waiter() = default;
  // Returns when the clock reads `until` or `changed` was notified, or earlier: callers look again. `lock` is held by
  // the caller and may be released meanwhile. A fake on a virtual clock sets the clock to `until` and returns.
  virtual void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                         std::chrono::steady_clock::time_point until) = 0;
};

class SystemWaiter final : public Waiter {
 public:
  void WaitUntil(std::unique_lock<std::mutex>& lock, std::condition_variable& changed,
                 std::chrono::steady_clock::time_point until) override {
    changed.wait_until(lock, until);
  }
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_WAITER_H_
