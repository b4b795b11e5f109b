#include "services/dispatch/book/book.h"

#include "tests/unit/services/dispatch/book/dispatch_fixture.h"

namespace yardmaster::dispatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class BookTest : public DispatchFixture {
 protected:
  void Begin(const std::string& job, RunPhase phase = RunPhase::kRunning) {
    Report(ReportOf("r", 1));
    Place();
    ReportRun(ReportOf("r", 1), job, phase);
  }
  RunOutcome Said(Verdict verdict, std::string class_name = "") {
    RunOutcome outcome;
    outcome.verdict = verdict;
    outcome.cause.class_name = std::move(class_name);
    return outcome;
  }
};

TEST_F(BookTest, AJobGoesFromTheQueueToItsVerdict) {
  Submit(JobOf("a"));
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
  EXPECT_EQ(JobNow("a").number, 1);
  Begin("a", RunPhase::kPreparing);
  EXPECT_EQ(JobNow("a").state, JobState::kLeased);
  EXPECT_EQ(JobNow("a").started_at, WallTime());
  Pass(std::chrono::seconds(3));
  ReportRun(ReportOf("r", 1), "a", RunPhase::kRunning);
  EXPECT_EQ(JobNow("a").state, JobState::kRunning);
  EXPECT_EQ(JobNow("a").started_at - JobNow("a").queued_at, std::chrono::seconds(3));
  ReportRun(ReportOf("r", 1), "a", RunPhase::kFinishing);
  EXPECT_EQ(JobNow("a").state, JobState::kFinishing);
  // A late word about an earlier phase.
  ReportRun(ReportOf("r", 1), "a", RunPhase::kRunning);
  EXPECT_EQ(JobNow("a").state, JobState::kFinishing);
  ASSERT_TRUE(Do(book_.Finish("a", 1, Said(Verdict::kPassed), Now())).ok());
  EXPECT_EQ(JobNow("a").verdict, Verdict::kPassed);
  EXPECT_EQ(JobNow("a").attempt, 1U);
  EXPECT_EQ(book_.FindLease("a"), nullptr);
}

TEST_F(BookTest, AResultSaidTwiceCountsOnce) {
  Submit(JobOf("a"));
  Begin("a");
  ASSERT_TRUE(Do(book_.Finish("a", 1, Said(Verdict::kPassed), Now())).ok());
  const absl::StatusOr<Changes> again = book_.Finish("a", 1, Said(Verdict::kPassed), Now());
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->empty());
  EXPECT_EQ(book_.Finish("a", 1, Said(Verdict::kFailed), Now()).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(BookTest, ALostRunGoesBackAndItsLateResultIsRefused) {
  Submit(JobOf("a"));
  Begin("a");
  Pass(std::chrono::seconds(29));
  Expire();
  EXPECT_EQ(JobNow("a").state, JobState::kRunning);
  Pass(std::chrono::seconds(1));
  Expire();
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
  EXPECT_THAT(JobNow("a").notes, ElementsAre("run 1 on r: no sign of life for 30 s"));
  EXPECT_FALSE(book_.FindRunner("r")->online);
  Report(ReportOf("s", 1));
  Place();
  EXPECT_EQ(book_.FindLease("a")->runner, "s");
  EXPECT_EQ(book_.FindLease("a")->fence, 2U);
  const absl::Status late = book_.Finish("a", 1, Said(Verdict::kPassed), Now()).status();
  EXPECT_EQ(late.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(late.message()), HasSubstr("lease 1 of the job \"a\" is not the live one"));
}

TEST_F(BookTest, ARunThatComesBackKeepsItsDevicesUntilItIsGone) {
  Submit(JobOf("a"));
  Begin("a");
  RunnerReport back = ReportOf("r", 1);
  back.runs.push_back({"a", 1, RunPhase::kRunning, {"0"}});
  Pass(std::chrono::seconds(30));
  Expire();
  Report(back);
  Place();
  EXPECT_EQ(book_.FindLease("a"), nullptr);
  Report(ReportOf("r", 1));
  Place();
  EXPECT_EQ(book_.FindLease("a")->fence, 2U);
}

TEST_F(BookTest, AfterTheLastRunItIsTheInfrastructure) {
  Submit(JobOf("a"));
  for (int i = 0; i < 3; ++i) {
    Begin("a");
    Pass(std::chrono::seconds(30));
    Expire();
  }
  EXPECT_EQ(JobNow("a").verdict, Verdict::kError);
  EXPECT_EQ(JobNow("a").cause.class_name, "infrastructure");
  EXPECT_EQ(JobNow("a").attempt, 3U);
}

TEST_F(BookTest, ARunThatTheWorkerNoLongerKnowsIsLostAndOneItWasNotToldIsNot) {
  Submit(JobOf("a"));
  Report(ReportOf("r", 1));
  Place();
  Report(ReportOf("r", 1));
  EXPECT_EQ(book_.FindLease("a")->fence, 1U);
  ReportRun(ReportOf("r", 1), "a", RunPhase::kPreparing);
  Report(ReportOf("r", 1));
  EXPECT_EQ(book_.FindLease("a"), nullptr);
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
}

TEST_F(BookTest, AnErrorOfTheInfrastructureGetsAnotherRunAndOneOfTheCodeDoesNot) {
  Submit(JobOf("a"));
  Begin("a");
  ASSERT_TRUE(Do(book_.Finish("a", 1, Said(Verdict::kError, "infrastructure"), Now())).ok());
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
  Begin("a");
  ASSERT_TRUE(Do(book_.Finish("a", 2, Said(Verdict::kError, "code"), Now())).ok());
  EXPECT_EQ(JobNow("a").state, JobState::kEnded);
}

TEST_F(BookTest, ARunThatWasDeclinedIsNoAttemptAndIsTriedLater) {
  Submit(JobOf("a"));
  Report(ReportOf("r", 1));
  Place();
  ASSERT_TRUE(Do(book_.Decline("a", 1, "no room on the disk", Now())).ok());
  EXPECT_EQ(JobNow("a").attempt, 0U);
  Place();
  EXPECT_EQ(book_.FindLease("a"), nullptr);
  Pass(std::chrono::seconds(5));
  Place();
  EXPECT_EQ(book_.FindLease("a")->fence, 2U);
  ReportRun(ReportOf("r", 1), "a", RunPhase::kRunning);
  EXPECT_EQ(book_.Decline("a", 2, "late", Now()).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(BookTest, CancelEndsAWaitingJobAtOnceAndARunWithItsProcesses) {
  Submit(JobOf("waiting", 1));
  ASSERT_TRUE(Do(book_.Cancel("waiting", "ann", Now())).ok());
  EXPECT_EQ(JobNow("waiting").verdict, Verdict::kCancelled);
  EXPECT_EQ(book_.Cancel("waiting", "ann", Now()).status().code(), absl::StatusCode::kFailedPrecondition);
  Submit(JobOf("a"));
  Begin("a");
  ASSERT_TRUE(Do(book_.Cancel("a", "ann", Now())).ok());
  EXPECT_EQ(JobNow("a").state, JobState::kRunning);
  EXPECT_TRUE(JobNow("a").cancel_requested);
  Pass(std::chrono::seconds(30));
  Expire();
  EXPECT_EQ(JobNow("a").verdict, Verdict::kCancelled);
}

TEST_F(BookTest, ANewProcessTakesTheNameAndTheOldOneIsTold) {
  Report(ReportOf("r", 1));
  RunnerReport newer = ReportOf("r", 1);
  newer.session = "s2";
  Report(newer);
  EXPECT_EQ(book_.Report(ReportOf("r", 1), Now()).status().code(), absl::StatusCode::kAborted);
}

TEST_F(BookTest, TheDaemonsOwnDowntimeIsNobodysSilence) {
  Submit(JobOf("a"));
  Begin("a");
  Changes kept;
  kept.jobs.push_back(JobNow("a"));
  kept.leases.push_back(*book_.FindLease("a"));
  Pass(std::chrono::hours(2));
  Book next(Limits(), Now());
  next.Apply(kept);
  EXPECT_TRUE(next.Expire(Now()).empty());
  Pass(std::chrono::seconds(30));
  EXPECT_EQ(next.Expire(Now()).ended.size(), 1U);
}

TEST_F(BookTest, WhatIsForgottenIsOnlyWhatHasEnded) {
  Submit(JobOf("a"));
  book_.Forget("a");
  EXPECT_NE(book_.FindJob("a"), nullptr);
  ASSERT_TRUE(Do(book_.Cancel("a", "ann", Now())).ok());
  book_.Forget("a");
  EXPECT_EQ(book_.FindJob("a"), nullptr);
}

}  // namespace
}  // namespace yardmaster::dispatch
