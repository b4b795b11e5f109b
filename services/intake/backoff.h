// How long to wait before work that failed is tried again.
#ifndef YARDMASTER_SERVICES_INTAKE_BACKOFF_H_
#define YARDMASTER_SERVICES_INTAKE_BACKOFF_H_

#include <chrono>
#include <cstdint>
#include <optional>

namespace yardmaster {

struct BackoffPolicy {
  std::chrono::milliseconds first{1'000};
  std::chrono::milliseconds longest{30 * 60 * 1'000};
  // After this many failures the work is given up: with the defaults after about seven hours.
  int max_attempts = 24;
};

// The wait after failure number `attempts` (from 1): doubled each time up to the longest, of which a part between one
// half and all is taken, chosen by `jitter` (any number), so that what failed together does not come back together.
// Never less than `retry_after`, which is what the other side asked for.
std::chrono::milliseconds BackoffDelay(const BackoffPolicy& policy, int attempts, uint64_t jitter,
                                       std::optional<std::chrono::milliseconds> retry_after = std::nullopt);

}  // namespace yardmaster

#endif  // YARDMASTER_SERVICES_INTAKE_BACKOFF_H_
