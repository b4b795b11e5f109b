#include "clients/cli/test_progress.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/fake_clock.h"

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

TestProgressOptions Terminal() {
  TestProgressOptions options;
  options.terminal = true;
  options.columns = 100;
  return options;
}

worker::StepResult Step(worker::Verdict verdict) {
  worker::StepResult step;
  step.name = "all_reduce[dtype=float32]";
  step.verdict = verdict;
  step.reason = "rank 2 differs";
  step.end_micros = 2'500'000;
  return step;
}

TEST(TestProgress, TheLineHasLayerStepTestsRateAndTimeLeft) {
  testing::FakeClock clock;
  std::ostringstream err;
  TestProgress progress(err, clock, Terminal());
  progress.LayerBegins("correctness", 2, 5);
  progress.StepBegins("correctness", "all_reduce[dtype=float32]");
  EXPECT_EQ(progress.Line(), "[2/5] correctness · all_reduce[dtype=float32]");
  clock.Advance(std::chrono::seconds(4));
  progress.Progress("all_reduce[dtype=float32]", 40, 1, 120);
  EXPECT_EQ(progress.Line(),
            "[2/5] correctness · all_reduce[dtype=float32] · 40 of 120 tests · 1 failed · 10/s · 8 s left · 4.0 s");
}

TEST(TestProgress, OnATerminalTheLineGoesBeforeAnythingElseIsWritten) {
  testing::FakeClock clock;
  std::ostringstream err;
  {
    TestProgress progress(err, clock, Terminal());
    progress.LayerBegins("correctness", 1, 1);
    progress.StepBegins("correctness", "all_reduce[dtype=float32]");
    progress.StepEnds(Step(worker::Verdict::kFailed));
  }
  EXPECT_THAT(err.str(), HasSubstr("\r\x1b[K  failed     all_reduce[dtype=float32]  2.5 s  rank 2 differs\n"));
  EXPECT_TRUE(err.str().ends_with("\r\x1b[K")) << err.str();
}

TEST(TestProgress, ElsewhereThereAreOnlyWholeLines) {
  testing::FakeClock clock;
  std::ostringstream err;
  {
    TestProgress progress(err, clock, {});
    progress.LayerBegins("correctness", 1, 2);
    progress.StepBegins("correctness", "all_reduce[dtype=float32]");
    progress.Progress("all_reduce[dtype=float32]", 12, 0, 0);
    progress.StepEnds(Step(worker::Verdict::kPassed));
    worker::LayerResult module;
    module.id = "module";
    module.verdict = worker::Verdict::kNotRun;
    module.reason = "no gpu";
    progress.LayerEnds(module);
  }
  EXPECT_EQ(err.str(),
            "[1/2] correctness\n"
            "  passed     all_reduce[dtype=float32]  12 tests  2.5 s\n"
            "not_run    module  no gpu\n");
}

TEST(TestProgress, OutputIsShownOnlyWhenItIsFollowedAndCannotMoveTheCursor) {
  testing::FakeClock clock;
  worker::LogLine line;
  line.rank = 2;
  line.text = "\x1b[2Jhello";
  std::ostringstream silent;
  TestProgress(silent, clock, {}).Output("step", line);
  EXPECT_THAT(silent.str(), IsEmpty());
  std::ostringstream err;
  TestProgressOptions follow;
  follow.follow = true;
  TestProgress(err, clock, follow).Output("step", line);
  EXPECT_THAT(err.str(), HasSubstr("  rank 2 | "));
  EXPECT_THAT(err.str(), HasSubstr("hello\n"));
  EXPECT_THAT(err.str(), Not(HasSubstr("\x1b")));
}

TEST(TestProgress, QuietIsQuiet) {
  testing::FakeClock clock;
  std::ostringstream err;
  TestProgressOptions options = Terminal();
  options.quiet = options.follow = true;
  {
    TestProgress progress(err, clock, options);
    progress.LayerBegins("correctness", 1, 1);
    progress.StepEnds(Step(worker::Verdict::kFailed));
    progress.Note("a note");
    progress.Output("step", {});
  }
  EXPECT_THAT(err.str(), IsEmpty());
}

}  // namespace
}  // namespace yardmaster::cli
