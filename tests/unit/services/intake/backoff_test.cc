#include "services/intake/backoff.h"

#include <gtest/gtest.h>

#include <set>

namespace yardmaster {
namespace {

using std::chrono::milliseconds;

TEST(Backoff, DoublesUpToTheLongestAndStaysInTheUpperHalf) {
  const BackoffPolicy policy{.first = milliseconds(1'000), .longest = milliseconds(60'000)};
  for (int attempts = 1; attempts < 100; ++attempts) {
    const int64_t full = attempts <= 6 ? int64_t{1'000} << (attempts - 1) : 60'000;
    for (uint64_t jitter = 0; jitter < 50; ++jitter) {
      const milliseconds delay = BackoffDelay(policy, attempts, jitter);
      EXPECT_LE(delay.count(), full);
      EXPECT_GE(delay.count(), full / 2);
    }
  }
}

TEST(Backoff, JitterSpreadsNeighbours) {
  std::set<int64_t> delays;
  for (uint64_t jitter = 1; jitter <= 100; ++jitter) delays.insert(BackoffDelay({}, 8, jitter).count());
  EXPECT_GT(delays.size(), 90U);
}

TEST(Backoff, NeverBeforeTheOtherSideAllows) {
  EXPECT_GE(BackoffDelay({}, 1, 3, milliseconds(90'000)), milliseconds(90'000));
  EXPECT_LT(BackoffDelay({}, 1, 3, milliseconds(90'000)), milliseconds(91'001));
  EXPECT_GE(BackoffDelay({}, 10, 3, milliseconds(1)), milliseconds(256'000));
}

}  // namespace
}  // namespace yardmaster
