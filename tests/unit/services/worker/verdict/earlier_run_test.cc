#include "services/worker/verdict/earlier_run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace yardmaster::worker {
namespace {

using ::testing::HasSubstr;

StepResult StepOf(std::string name, Verdict verdict) {
  StepResult step;
  step.name = std::move(name);
  step.verdict = verdict;
  return step;
}
TestResult TestOf(std::string id, std::string step, Verdict verdict, std::string message = "") {
  TestResult test;
  test.id = std::move(id);
  test.step = std::move(step);
  test.verdict = verdict;
  test.message = std::move(message);
  return test;
}

class MarkAfterFailureTest : public ::testing::Test {
 protected:
  MarkAfterFailureTest() {
    before_.job = "20260102-030405-abcd";
    before_.directory = "../20260102-030405-abcd";
    StepResult failed = StepOf("sum", Verdict::kFailed);
    failed.log = "steps/sum/log";
    failed.reason = "rank 1: exit";
    failed.cause = CauseOf(rules::FailureClass::kCode, "exit", "rank 1: exit", "");
    before_.steps = {failed, StepOf("mended", Verdict::kError)};
    before_.tests = {TestOf("a", "sum", Verdict::kFailed, "1 != 2"), TestOf("b", "other", Verdict::kFailed, "no")};
  }
  EarlierRun before_;
  std::vector<TestResult> tests_;
};

TEST_F(MarkAfterFailureTest, APassAfterAFailureIsFlakyAndLinksToIt) {
  StepResult step = StepOf("sum", Verdict::kPassed);
  tests_ = {TestOf("a", "sum", Verdict::kPassed), TestOf("c", "sum", Verdict::kPassed),
            TestOf("b", "more", Verdict::kPassed)};
  MarkAfterFailure(before_, step, tests_);
  EXPECT_EQ(step.verdict, Verdict::kFlaky);
  EXPECT_EQ(
      step.reason,
      "passed, and had failed in the run 20260102-030405-abcd before it, with nothing changed; the failure before "
      "it: ../20260102-030405-abcd/steps/sum/log");
  ASSERT_TRUE(step.cause.has_value());
  EXPECT_EQ(step.cause->message, "rank 1: exit");
  EXPECT_EQ(step.cause->log, "../20260102-030405-abcd/steps/sum/log");
  ASSERT_EQ(tests_.size(), 3U);
  for (const TestResult& test : tests_) EXPECT_EQ(test.verdict == Verdict::kFlaky, test.id == "a") << test.id;
}

TEST_F(MarkAfterFailureTest, WhatWasMendedOrFailsAgainOrIsNewIsNotFlaky) {
  for (const char* name : {"mended", "new"}) {
    StepResult step = StepOf(name, Verdict::kPassed);
    MarkAfterFailure(before_, step, tests_);
    EXPECT_EQ(step.verdict, Verdict::kPassed) << name;
  }
  StepResult again = StepOf("sum", Verdict::kFailed);
  again.reason = "again";
  MarkAfterFailure(before_, again, tests_);
  EXPECT_EQ(again.verdict, Verdict::kFailed);
  EXPECT_EQ(again.reason, "again");
}

TEST_F(MarkAfterFailureTest, ARunThatIsElsewhereIsNamed) {
  before_.directory.clear();
  StepResult step = StepOf("sum", Verdict::kPassed);
  MarkAfterFailure(before_, step, tests_);
  EXPECT_THAT(step.reason, HasSubstr("20260102-030405-abcd"));
  EXPECT_EQ(step.cause->log, "");
}

}  // namespace
}  // namespace yardmaster::worker
