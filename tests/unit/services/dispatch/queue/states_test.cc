#include "services/dispatch/queue/states.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster::dispatch {
namespace {

TEST(DispatchStates, WhatHasEndedStaysAsItIs) {
  for (int to = 0; to <= static_cast<int>(JobState::kEnded); ++to) {
    EXPECT_FALSE(CheckTransition(JobState::kEnded, static_cast<JobState>(to)).ok());
  }
}

TEST(DispatchStates, AWaitingJobRunsOnlyByALease) {
  EXPECT_TRUE(CheckTransition(JobState::kQueued, JobState::kLeased).ok());
  const absl::Status refused = CheckTransition(JobState::kQueued, JobState::kRunning);
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(refused.message(), "a job that is queued does not become running");
}

TEST(DispatchStates, ARunNeverGoesBackButToTheQueue) {
  EXPECT_FALSE(CheckTransition(JobState::kFinishing, JobState::kRunning).ok());
  EXPECT_FALSE(CheckTransition(JobState::kRunning, JobState::kLeased).ok());
  EXPECT_TRUE(CheckTransition(JobState::kRunning, JobState::kQueued).ok());
}

TEST(DispatchStates, WordsAreReadAsTheyAreWritten) {
  for (int i = 1; i <= static_cast<int>(Verdict::kTimedOut); ++i) {
    const auto verdict = static_cast<Verdict>(i);
    EXPECT_EQ(VerdictFromName(VerdictName(verdict)), verdict);
  }
  EXPECT_EQ(VerdictFromName(""), std::nullopt);
  EXPECT_EQ(VerdictFromName("great"), std::nullopt);
  EXPECT_EQ(PriorityFromName("high"), Priority::kHigh);
  EXPECT_EQ(PriorityFromName("urgent"), std::nullopt);
}

}  // namespace
}  // namespace yardmaster::dispatch
