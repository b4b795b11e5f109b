#include "services/intake/backoff.h"

#include <algorithm>

namespace yardmaster {

std::chrono::milliseconds BackoffDelay(const BackoffPolicy& policy, int attempts, uint64_t jitter,
                                       std::optional<std::chrono::milliseconds> retry_after) {
  std::chrono::milliseconds delay = policy.first;
  for (int i = 1; i < attempts && delay < policy.longest; ++i) delay *= 2;
  delay = std::min(delay, policy.longest);
  // Whatever the caller's number is made of, its bits are spread (the finaliser of splitmix64).
  jitter = (jitter ^ (jitter >> 30)) * 0xbf58476d1ce4e5b9ULL;
  jitter = (jitter ^ (jitter >> 27)) * 0x94d049bb133111ebULL;
  jitter ^= jitter >> 31;
  const uint64_t half = static_cast<uint64_t>(delay.count()) / 2;
  delay = std::chrono::milliseconds(delay.count() - static_cast<int64_t>(half == 0 ? 0 : jitter % (half + 1)));
  if (retry_after.has_value()) {
    // The others were told the same time: a little later each.
    delay = std::max(delay, *retry_after + std::chrono::milliseconds(jitter % 1'000));
  }
  return delay;
}

}  // namespace yardmaster
