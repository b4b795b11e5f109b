#include "services/pipeline/head_time.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

namespace yardmaster {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

const rules::PipelineTime kLook = *rules::ParsePipelineTime("2025-06-10T12:00:00Z");

// Another head was seen two hours ago, this one an hour ago.
store::SeenHead Seen() { return {"b", kLook - hours(2), kLook - hours(1)}; }

TEST(HeadTime, ACommitIsBelievedWithinWhatWasSeen) {
  EXPECT_EQ(HeadTime(kLook - minutes(90), Seen(), kLook), kLook - minutes(90));
  EXPECT_EQ(HeadTime(kLook - hours(9), std::nullopt, kLook), kLook - hours(9)) << "nobody looked";
  EXPECT_EQ(HeadTime(std::nullopt, std::nullopt, kLook), std::nullopt);
}

TEST(HeadTime, ADateBeforeTheLastLookAtAnotherHeadIsTooEarly) {
  EXPECT_EQ(HeadTime(kLook - hours(9), Seen(), kLook), kLook - hours(2));
  EXPECT_EQ(HeadTime(std::nullopt, Seen(), kLook), kLook - hours(2));
}

TEST(HeadTime, ADateInTheFutureEndsWithTheFirstLook) {
  store::SeenHead seen = Seen();
  EXPECT_EQ(HeadTime(kLook - minutes(5), seen, kLook), kLook - hours(1))
      << "it was seen before it says that it was made";
  EXPECT_EQ(HeadTime(kLook + hours(24 * 365), std::nullopt, kLook), std::nullopt);
  seen.not_before.reset();
  EXPECT_EQ(HeadTime(kLook + hours(24 * 365), seen, kLook), kLook - hours(1));
  EXPECT_EQ(HeadTime(kLook - hours(9), seen, kLook), kLook - hours(9)) << "it may have been there for long";
}

}  // namespace
}  // namespace yardmaster
