#include "clients/cli/progress.h"

#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/fake_clock.h"

namespace yardmaster::cli {
namespace {

TEST(Progress, ShortWorkShowsNothing) {
  testing::FakeClock clock;
  std::ostringstream err;
  {
    Progress progress(&err, clock, "cases", 10);
    for (int i = 0; i < 10; ++i) progress.Done();
  }
  EXPECT_EQ(err.str(), "");
}

TEST(Progress, LongWorkShowsRateAndTimeLeftAndCleansUp) {
  testing::FakeClock clock;
  std::ostringstream err;
  {
    Progress progress(&err, clock, "cases", 10'000);
    clock.Advance(std::chrono::seconds(2));
    progress.Done(4'096);
    EXPECT_EQ(progress.Line(), "4,096 of 10,000 cases · 40 % · 2,048/s · 3 s left");
    EXPECT_EQ(err.str(), "\r" + progress.Line() + "\x1b[K");
    // Not more than ten times a second.
    progress.Done();
    EXPECT_EQ(err.str().find('\r', 1), std::string::npos);
  }
  EXPECT_TRUE(err.str().ends_with("\r\x1b[K"));
}

TEST(Progress, WithoutATerminalItOnlyCounts) {
  testing::FakeClock clock;
  Progress progress(nullptr, clock, "cases", 0);
  clock.Advance(std::chrono::seconds(5));
  progress.Done(10);
  EXPECT_EQ(progress.count(), 10u);
  EXPECT_EQ(progress.Line(), "10 cases · 2/s");
}

TEST(Progress, LongTimesAreShownInMinutesAndHours) {
  testing::FakeClock clock;
  Progress progress(nullptr, clock, "cases", 1'000'000);
  clock.Advance(std::chrono::seconds(10));
  progress.Done(1000);
  EXPECT_NE(progress.Line().find("2 h 46 min left"), std::string::npos) << progress.Line();
}

}  // namespace
}  // namespace yardmaster::cli
