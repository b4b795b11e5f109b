// Decorator: the only layer that sends anything twice. Reads are repeated when the failure may pass by itself; writes
// only when it is known that the forge did not carry them out: never sent, or refused for its limits.
#ifndef YARDMASTER_CLIENTS_FORGE_RETRY_H_
#define YARDMASTER_CLIENTS_FORGE_RETRY_H_

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <random>
#include <string>

#include "clients/forge/transport.h"
#include "clients/forge/waiter.h"
#include "services/core/clock.h"
#include "services/core/metrics.h"

namespace yardmaster {

struct RetryPolicy {
  int attempts = 5;  // the first one included
  // Waits are drawn from [0, base · 2ⁿ], at most [0, cap] ("full jitter": callers that failed together come back
  // apart).
  std::chrono::milliseconds base{500};
  std::chrono::milliseconds cap{30'000};
  // Added, in the same way, to a time that the forge named: it is obeyed, and not by all at the same moment.
  std::chrono::milliseconds after_named{500};
};

class RetryTransport final : public ForgeTransport {
 public:
  // The same seed gives the same waits. `metrics` may be null: yardmaster_forge_retries_total{forge,reason}.
  RetryTransport(ForgeTransport& inner, const RetryPolicy& policy, uint64_t seed, std::string forge, const Clock& clock,
                 Waiter& waiter, Metrics* metrics);

  // A wait that would end after the deadline is not begun: the last answer is returned, its retry_after says how long
  // to stay away.
  ForgeAnswer Send(const ForgeRequest& request) override;
  void Stop() override;

 private:
  static bool MayRepeat(const ForgeRequest& request, const ForgeAnswer& answer);
  // Uniform in [0, most].
  std::chrono::milliseconds Draw(std::chrono::milliseconds most);
  std::chrono::milliseconds WaitAfter(int attempt, const ForgeError& error);
  // False if stopped.
  bool Sleep(std::chrono::milliseconds wait);

  ForgeTransport& inner_;
  const RetryPolicy policy_;
  const std::string forge_;
  const Clock& clock_;
  Waiter& waiter_;
  Metrics* const metrics_;

  std::mutex mutex_;
  std::condition_variable changed_;
  std::mt19937_64 random_;
  bool stopped_ = false;
};

}  // namespace yardmaster

#endif  // YARDMASTER_CLIENTS_FORGE_RETRY_H_
