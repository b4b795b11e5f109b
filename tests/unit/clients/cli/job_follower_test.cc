#include "clients/cli/job_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "tests/support/fake_clock.h"

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;

TEST(JobProgress, WhatIsNewIsToldOnce) {
  testing::FakeClock clock;
  std::ostringstream err;
  TestProgress progress(err, clock, TestProgressOptions());
  JobProgress shown(progress);
  v1::SuiteJob job;
  job.set_attempt(1);
  shown.Show(job);
  EXPECT_EQ(err.str(), "");
  v1::RunProgress& run = *job.mutable_progress();
  run.set_layers_in_all(2);
  run.add_layers()->set_id("smoke");
  run.set_step("one");
  run.set_expected(10);
  run.set_tests(3);
  shown.Show(job);
  EXPECT_EQ(progress.Line(), "[1/2] smoke · one · 3 of 10 tests");

  run.mutable_layers(0)->set_verdict("passed");
  run.add_layers()->set_id("unit");
  run.set_steps_ended(2);
  for (const char* name : {"one", "two"}) {
    v1::StepProgress& step = *run.add_steps();
    step.set_name(name);
    step.set_verdict("passed");
  }
  run.set_step("three");
  shown.Show(job);
  const std::string once = err.str();
  EXPECT_THAT(once, HasSubstr("one"));
  EXPECT_THAT(once, HasSubstr("two"));
  EXPECT_THAT(once, HasSubstr("smoke"));
  shown.Show(job);
  EXPECT_EQ(err.str(), once);

  // Another run begins anew.
  job.set_attempt(2);
  job.clear_progress();
  shown.Show(job);
  job.mutable_progress()->set_layers_in_all(2);
  job.mutable_progress()->add_layers()->set_id("smoke");
  shown.Show(job);
  EXPECT_THAT(progress.Line(), HasSubstr("[1/2] smoke"));
}

}  // namespace
}  // namespace yardmaster::cli
