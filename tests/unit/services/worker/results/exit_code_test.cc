#include "services/worker/results/exit_code.h"

#include <gtest/gtest.h>

#include <optional>

namespace yardmaster::worker {
namespace {

TEST(VerdictName, AVerdictIsWrittenAsScriptsReadIt) {
  EXPECT_EQ(VerdictName(Verdict::kPassed), "passed");
  EXPECT_EQ(VerdictName(Verdict::kFlaky), "flaky");
  EXPECT_EQ(VerdictName(Verdict::kNotRun), "not_run");
  EXPECT_EQ(VerdictName(Verdict::kFailed), "failed");
  EXPECT_EQ(VerdictName(Verdict::kTimedOut), "timed_out");
  EXPECT_EQ(VerdictName(Verdict::kError), "error");
  EXPECT_EQ(VerdictName(Verdict::kCancelled), "cancelled");
}

TEST(VerdictNamed, EveryNameIsReadBackAndNoOther) {
  for (const Verdict verdict : {Verdict::kPassed, Verdict::kFlaky, Verdict::kNotRun, Verdict::kFailed,
                                Verdict::kTimedOut, Verdict::kError, Verdict::kCancelled}) {
    EXPECT_EQ(VerdictNamed(VerdictName(verdict)), verdict);
  }
  EXPECT_EQ(VerdictNamed("PASSED"), std::nullopt);
  EXPECT_EQ(VerdictNamed(""), std::nullopt);
}

TEST(ExitCodeOf, OnlyAPassAndAnAllowedFlakeExitWithNought) {
  for (const bool allow_flaky : {false, true}) {
    EXPECT_EQ(ExitCodeOf(Verdict::kPassed, allow_flaky), 0);
    EXPECT_EQ(ExitCodeOf(Verdict::kFailed, allow_flaky), 1);
    EXPECT_EQ(ExitCodeOf(Verdict::kTimedOut, allow_flaky), 1);
    EXPECT_EQ(ExitCodeOf(Verdict::kError, allow_flaky), 4);
    EXPECT_EQ(ExitCodeOf(Verdict::kNotRun, allow_flaky), 4);
    EXPECT_EQ(ExitCodeOf(Verdict::kCancelled, allow_flaky), 4);
  }
  EXPECT_EQ(ExitCodeOf(Verdict::kFlaky, true), 0);
  EXPECT_EQ(ExitCodeOf(Verdict::kFlaky, false), 1);
}

}  // namespace
}  // namespace yardmaster::worker
