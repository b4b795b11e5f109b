#include "services/worker/results/run_log.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster::worker {
namespace {

using Kind = RunLogLine::Kind;

TEST(RunLogTest, WhatIsWrittenIsReadBack) {
  const RunLogLine layer = ReadRunLogLine(LayerBeginsLine("correctness (a)", 2, 5));
  EXPECT_EQ(layer.kind, Kind::kLayerBegins);
  EXPECT_EQ(layer.name, "correctness (a)");
  EXPECT_EQ(layer.number, 2U);
  EXPECT_EQ(layer.of, 5U);
  EXPECT_EQ(ReadRunLogLine(StepBeginsLine("x[d=1]")).name, "x[d=1]");
  const RunLogLine known = ReadRunLogLine(ProgressLine(34, 1, 120));
  EXPECT_EQ(known.kind, Kind::kProgress);
  EXPECT_EQ(known.tests, 34U);
  EXPECT_EQ(known.failed, 1U);
  EXPECT_EQ(known.of, 120U);
  EXPECT_EQ(ReadRunLogLine(ProgressLine(3, 0, 0)).of, 0U);
  StepResult step;
  step.name = "x[d=1]: odd";
  step.verdict = Verdict::kTimedOut;
  step.end_micros = 4'200'000;
  const RunLogLine ended = ReadRunLogLine(StepEndsLine(step));
  EXPECT_EQ(ended.kind, Kind::kStepEnds);
  EXPECT_EQ(ended.name, step.name);
  EXPECT_EQ(ended.verdict, "timed_out");
  EXPECT_DOUBLE_EQ(ended.seconds, 4.2);
  LayerResult result;
  result.id = "correctness";
  result.verdict = Verdict::kFailed;
  result.tests = 12;
  result.failed = 3;
  const RunLogLine over = ReadRunLogLine(LayerEndsLine(result));
  EXPECT_EQ(over.kind, Kind::kLayerEnds);
  EXPECT_EQ(over.name, "correctness");
  EXPECT_EQ(over.tests, 12U);
  EXPECT_EQ(over.failed, 3U);
}

TEST(RunLogTest, AnythingElseIsText) {
  for (const char* line : {"", "==", "== ", "== x (1 of)", ".. many tests, 1 failed", "-> passed: x", "line 3",
                           "=> ok in 99999999999999999999.0 s: x", ".. 1 tests, 99999999999 failed"}) {
    EXPECT_EQ(ReadRunLogLine(line).kind, Kind::kText) << line;
  }
  EXPECT_EQ(ReadRunLogLine("-- " + std::string(10'000, 'x')).kind, Kind::kText);
}

}  // namespace
}  // namespace yardmaster::worker
