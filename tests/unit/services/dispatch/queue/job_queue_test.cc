#include "services/dispatch/queue/job_queue.h"

#include "tests/unit/services/dispatch/queue/dispatch_fixture.h"

namespace yardmaster::dispatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class JobQueueTest : public DispatchFixture {
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

TEST_F(JobQueueTest, AJobGoesFromTheQueueToItsVerdict) {
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
  ASSERT_TRUE(Do(queue_.Finish("a", 1, Said(Verdict::kPassed), Now())).ok());
  EXPECT_EQ(JobNow("a").verdict, Verdict::kPassed);
  EXPECT_EQ(JobNow("a").attempt, 1U);
  EXPECT_EQ(queue_.FindLease("a"), nullptr);
}

TEST_F(JobQueueTest, AResultSaidTwiceCountsOnce) {
  Submit(JobOf("a"));
  Begin("a");
  ASSERT_TRUE(Do(queue_.Finish("a", 1, Said(Verdict::kPassed), Now())).ok());
  const absl::StatusOr<Changes> again = queue_.Finish("a", 1, Said(Verdict::kPassed), Now());
  ASSERT_TRUE(again.ok());
  EXPECT_TRUE(again->empty());
  EXPECT_EQ(queue_.Finish("a", 1, Said(Verdict::kFailed), Now()).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST_F(JobQueueTest, ALostRunGoesBackAndItsLateResultIsRefused) {
  Submit(JobOf("a"));
  Begin("a");
  Pass(std::chrono::seconds(29));
  Expire();
  EXPECT_EQ(JobNow("a").state, JobState::kRunning);
  Pass(std::chrono::seconds(1));
  Expire();
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
  EXPECT_THAT(JobNow("a").notes, ElementsAre("run 1 on r: no sign of life for 30 s"));
  EXPECT_FALSE(queue_.FindRunner("r")->online);
  Report(ReportOf("s", 1));
  Place();
  EXPECT_EQ(queue_.FindLease("a")->runner, "s");
  EXPECT_EQ(queue_.FindLease("a")->fence, 2U);
  const absl::Status late = queue_.Finish("a", 1, Said(Verdict::kPassed), Now()).status();
  EXPECT_EQ(late.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(late.message()), HasSubstr("lease 1 of the job \"a\" is not the live one"));
}

TEST_F(JobQueueTest, ARunThatComesBackKeepsItsDevicesUntilItIsGone) {
  Submit(JobOf("a"));
  Begin("a");
  RunnerReport back = ReportOf("r", 1);
  back.runs.push_back({"a", 1, RunPhase::kRunning, {"0"}});
  Pass(std::chrono::seconds(30));
  Expire();
  Report(back);
  Place();
  EXPECT_EQ(queue_.FindLease("a"), nullptr);
  Report(ReportOf("r", 1));
  Place();
  EXPECT_EQ(queue_.FindLease("a")->fence, 2U);
}

TEST_F(JobQueueTest, AfterTheLastRunItIsTheInfrastructure) {
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

TEST_F(JobQueueTest, ARunThatTheWorkerNoLongerKnowsIsLostAndOneItWasNotToldIsNot) {
  Submit(JobOf("a"));
  Report(ReportOf("r", 1));
  Place();
  Report(ReportOf("r", 1));
  EXPECT_EQ(queue_.FindLease("a")->fence, 1U);
  ReportRun(ReportOf("r", 1), "a", RunPhase::kPreparing);
  Report(ReportOf("r", 1));
  EXPECT_EQ(queue_.FindLease("a"), nullptr);
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
}

TEST_F(JobQueueTest, AnErrorOfTheInfrastructureGetsAnotherRunAndOneOfTheCodeDoesNot) {
  Submit(JobOf("a"));
  Begin("a");
  ASSERT_TRUE(Do(queue_.Finish("a", 1, Said(Verdict::kError, "infrastructure"), Now())).ok());
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
  Begin("a");
  ASSERT_TRUE(Do(queue_.Finish("a", 2, Said(Verdict::kError, "code"), Now())).ok());
  EXPECT_EQ(JobNow("a").state, JobState::kEnded);
}

TEST_F(JobQueueTest, ARunThatWasDeclinedIsNoAttemptAndIsTriedLater) {
  Submit(JobOf("a"));
  Report(ReportOf("r", 1));
  Place();
  ASSERT_TRUE(Do(queue_.Decline("a", 1, "no room on the disk", Now())).ok());
  EXPECT_EQ(JobNow("a").attempt, 0U);
  Place();
  EXPECT_EQ(queue_.FindLease("a"), nullptr);
  Pass(std::chrono::seconds(5));
  Place();
  EXPECT_EQ(queue_.FindLease("a")->fence, 2U);
  ReportRun(ReportOf("r", 1), "a", RunPhase::kRunning);
  EXPECT_EQ(queue_.Decline("a", 2, "late", Now()).status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(JobQueueTest, CancelEndsAWaitingJobAtOnceAndARunWithItsProcesses) {
  Submit(JobOf("waiting", 1));
  ASSERT_TRUE(Do(queue_.Cancel("waiting", "ann", Now())).ok());
  EXPECT_EQ(JobNow("waiting").verdict, Verdict::kCancelled);
  EXPECT_EQ(queue_.Cancel("waiting", "ann", Now()).status().code(), absl::StatusCode::kFailedPrecondition);
  Submit(JobOf("a"));
  Begin("a");
  ASSERT_TRUE(Do(queue_.Cancel("a", "ann", Now())).ok());
  EXPECT_EQ(JobNow("a").state, JobState::kRunning);
  EXPECT_TRUE(JobNow("a").cancel_requested);
  Pass(std::chrono::seconds(30));
  Expire();
  EXPECT_EQ(JobNow("a").verdict, Verdict::kCancelled);
}

TEST_F(JobQueueTest, ANewProcessTakesTheNameAndTheOldOneIsTold) {
  Report(ReportOf("r", 1));
  RunnerReport newer = ReportOf("r", 1);
  newer.session = "s2";
  Report(newer);
  EXPECT_EQ(queue_.Report(ReportOf("r", 1), Now()).status().code(), absl::StatusCode::kAborted);
}

TEST_F(JobQueueTest, TheDaemonsOwnDowntimeIsNobodysSilence) {
  Submit(JobOf("a"));
  Begin("a");
  Changes kept;
  kept.jobs.push_back(JobNow("a"));
  kept.leases.push_back(*queue_.FindLease("a"));
  Pass(std::chrono::hours(2));
  JobQueue next(Limits(), Now(), engine_);
  next.Apply(kept);
  EXPECT_TRUE(next.Expire(Now()).empty());
  Pass(std::chrono::seconds(30));
  EXPECT_EQ(next.Expire(Now()).ended.size(), 1U);
}

TEST_F(JobQueueTest, WhatIsForgottenIsOnlyWhatHasEnded) {
  Submit(JobOf("a"));
  queue_.Forget("a");
  EXPECT_NE(queue_.FindJob("a"), nullptr);
  ASSERT_TRUE(Do(queue_.Cancel("a", "ann", Now())).ok());
  queue_.Forget("a");
  EXPECT_EQ(queue_.FindJob("a"), nullptr);
}

TEST_F(JobQueueTest, AHostThatComesBackWithFewerCardsKeepsJobsWaitingForADay) {
  Report(ReportOf("r", 4));
  Settle();
  RunnerReport fewer = ReportOf("r", 3);
  fewer.session = "s2";
  Report(fewer);
  ASSERT_EQ(queue_.FindRunner("r")->devices.size(), 4U);
  EXPECT_FALSE(queue_.FindRunner("r")->devices[3].healthy);
  EXPECT_THAT(queue_.FindRunner("r")->devices[3].why, HasSubstr("gone"));
  Settle();
  Submit(JobOf("a", 4));
  Expire();
  Place();
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
  // It is back.
  RunnerReport whole = ReportOf("r", 4);
  whole.session = "s3";
  Report(whole);
  Place();
  EXPECT_EQ(JobNow("a").state, JobState::kLeased);
  // For good: a day later nobody remembers it.
  fewer.session = "s4";
  Report(fewer);
  EXPECT_EQ(queue_.FindRunner("r")->devices.size(), 4U);
  Pass(std::chrono::hours(24));
  Report(fewer);
  EXPECT_EQ(queue_.FindRunner("r")->devices.size(), 3U);
  Settle();
  Submit(JobOf("b", 4));
  EXPECT_EQ(JobNow("b").state, JobState::kEnded);
}

TEST_F(JobQueueTest, WhatWaitsTooLongEndsAndWhoeverCameBackToTheQueueWaitsAnew) {
  Submit(JobOf("waits"));
  Submit(JobOf("ran"));
  ASSERT_TRUE(Do(queue_.Cancel("waits", "ann", Now())).ok());
  Begin("ran");
  Submit(JobOf("later"));
  Pass(std::chrono::hours(20));
  ASSERT_TRUE(Do(queue_.GiveBack("ran", 1, "told to", Now())).ok());
  Pass(std::chrono::hours(4));
  Report(ReportOf("r", 1));
  Expire();
  EXPECT_EQ(JobNow("later").verdict, Verdict::kError);
  EXPECT_EQ(JobNow("later").cause.class_name, "infrastructure");
  EXPECT_THAT(JobNow("later").cause.text, HasSubstr("timed out in the queue: it waited for devices for 24 hours"));
  EXPECT_EQ(JobNow("ran").state, JobState::kQueued);
}

TEST_F(JobQueueTest, ARunThatNeitherBeginsNorEndsIsLost) {
  const auto alive = [&](std::chrono::seconds by, RunPhase phase) {
    // It says all the time that it is there.
    for (; by.count() > 0; by -= std::chrono::seconds(20)) {
      Pass(std::min(by, std::chrono::seconds(20)));
      ReportRun(ReportOf("r", 1), "a", phase);
    }
    Expire();
  };
  Job job = JobOf("a");
  job.limit = std::chrono::seconds(100);
  Submit(job);
  Begin("a", RunPhase::kPreparing);
  alive(std::chrono::minutes(30) - std::chrono::seconds(20), RunPhase::kPreparing);
  EXPECT_EQ(JobNow("a").state, JobState::kLeased);
  alive(std::chrono::seconds(20), RunPhase::kPreparing);
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
  EXPECT_THAT(JobNow("a").notes.back(), HasSubstr("no process of it began within 30 minutes"));

  // A supervisor that was stopped never tells of an end.
  Begin("a");
  alive(std::chrono::seconds(80), RunPhase::kRunning);
  EXPECT_EQ(JobNow("a").state, JobState::kRunning);
  alive(std::chrono::seconds(20), RunPhase::kRunning);
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
  EXPECT_THAT(JobNow("a").notes.back(), HasSubstr("it did not end within 2 minutes"));

  Begin("a");
  ReportRun(ReportOf("r", 1), "a", RunPhase::kFinishing);
  alive(std::chrono::hours(2), RunPhase::kFinishing);
  EXPECT_EQ(JobNow("a").state, JobState::kEnded);
  EXPECT_EQ(JobNow("a").cause.class_name, "infrastructure");
}

TEST_F(JobQueueTest, TheDowntimeOfTheDaemonIsNobodysTime) {
  Submit(JobOf("a"));
  Begin("a", RunPhase::kPreparing);
  const Changes all{{JobNow("a")}, {*queue_.FindLease("a")}, {}, {*queue_.FindRunner("r")}, {}};
  Pass(std::chrono::hours(1));
  JobQueue after(Limits(), Now(), engine_);
  Changes kept = all;
  kept.leases[0].since = {};
  after.Apply(kept);
  Pass(std::chrono::seconds(5));
  EXPECT_TRUE(after.Expire(Now()).empty());
}

TEST_F(JobQueueTest, ARunnersNameBelongsToItsTokenUntilItIsForgotten) {
  RunnerReport report = ReportOf("r", 1);
  report.token = "box-1";
  Report(report);
  report.session = "s2";
  Report(report);
  RunnerReport thief = report;
  thief.token = "box-2";
  thief.session = "s3";
  const absl::Status refused = queue_.Report(thief, Now()).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kPermissionDenied);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("belongs to the token \"box-1\""));
  EXPECT_EQ(queue_.ForgetRunner("r").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(queue_.ForgetRunner("x").status().code(), absl::StatusCode::kNotFound);
  Pass(std::chrono::seconds(30));
  Expire();
  ASSERT_TRUE(Do(queue_.ForgetRunner("r")).ok());
  EXPECT_EQ(queue_.FindRunner("r"), nullptr);
  Report(thief);
  EXPECT_EQ(queue_.FindRunner("r")->token, "box-2");
}

TEST_F(JobQueueTest, WhatOnlyAForgottenRunnerCouldDoEnds) {
  Report(ReportOf("large", 4));
  Report(ReportOf("small", 1));
  Settle();
  Submit(JobOf("a", 4));
  Place();
  ASSERT_TRUE(Do(queue_.GiveBack("a", 1, "told to", Now())).ok());
  Pass(std::chrono::seconds(30));
  Report(ReportOf("small", 1));
  Expire();
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
  ASSERT_TRUE(Do(queue_.ForgetRunner("large")).ok());
  Expire();
  EXPECT_EQ(JobNow("a").verdict, Verdict::kError);
  EXPECT_THAT(JobNow("a").cause.text, HasSubstr("the nearest is \"small\""));
}

TEST_F(JobQueueTest, TwoModelsInOneHostAreGivenToWhoeverAskedForThem) {
  RunnerReport report = ReportOf("r", 4);
  report.devices[1].model = "310P3";
  report.devices[3].model = "310P3";
  Report(report);
  const auto of_model = [](std::string id, std::string model, uint32_t count) {
    Job job = JobOf(std::move(id), count);
    job.demand.models = {std::move(model)};
    return job;
  };
  Submit(of_model("training", "Ascend910B*", 2));
  Submit(of_model("inference", "310P*", 1));
  Submit(of_model("second", "910B*", 1));
  Place();
  EXPECT_THAT(queue_.FindLease("training")->devices, ElementsAre("0", "2"));
  ASSERT_EQ(queue_.FindLease("inference")->devices.size(), 1U);
  EXPECT_EQ(JobNow("training").model, "910B3");
  EXPECT_EQ(JobNow("inference").model, "310P3");
  // A card of the other model is free, and none of its own.
  EXPECT_EQ(JobNow("second").state, JobState::kQueued);
  Settle();
  Submit(of_model("more", "910B*", 3));
  EXPECT_EQ(JobNow("more").state, JobState::kEnded) << "four cards, but two of that model";
}

TEST_F(JobQueueTest, ADeviceThatPeopleTookOutIsGivenToNobodyUntilItIsBack) {
  Report(ReportOf("r", 2));
  ASSERT_TRUE(Do(queue_.SetDeviceQuarantined("r", "0", true, "ECC errors")).ok());
  EXPECT_TRUE(absl::IsNotFound(queue_.SetDeviceQuarantined("r", "7", true, "").status()));
  EXPECT_TRUE(absl::IsNotFound(queue_.SetDeviceQuarantined("x", "0", true, "").status()));
  // Whatever its worker says of it.
  Report(ReportOf("r", 2));
  Submit(JobOf("both", 2));
  Submit(JobOf("one", 1));
  Place();
  EXPECT_EQ(JobNow("both").state, JobState::kQueued);
  EXPECT_THAT(queue_.FindRunner("r")->devices[0].Fault(), "quarantined: ECC errors");
  // It waits: the device may be back.
  Settle();
  Expire();
  EXPECT_EQ(JobNow("both").state, JobState::kQueued);
  ASSERT_TRUE(Do(queue_.SetDeviceQuarantined("r", "", false, "")).ok());
  EXPECT_EQ(queue_.FindRunner("r")->devices[0].Fault(), "");
}

TEST_F(JobQueueTest, WhatIsTakenBackHasNotHappened) {
  Report(ReportOf("r", 2));
  Submit(JobOf("a"));
  Place();
  const size_t queued = queue_.CountOf(JobState::kQueued);
  const std::vector<Changes> all = {*queue_.Submit(JobOf("b"), Now()),
                                    *queue_.Finish("a", 1, Said(Verdict::kPassed), Now()),
                                    *queue_.SetDrained("r", true)};
  for (const Changes& changes : all) {
    const Former former = queue_.FormerOf(changes);
    queue_.Apply(changes);
    queue_.Restore(former);
  }
  EXPECT_EQ(queue_.FindJob("b"), nullptr);
  EXPECT_EQ(queue_.CountOf(JobState::kQueued), queued);
  EXPECT_EQ(JobNow("a").state, JobState::kLeased);
  ASSERT_EQ(queue_.LeasesOf("r").size(), 1U);
  EXPECT_FALSE(queue_.FindRunner("r")->drained_by_people);
  // Its device is in use, the other is not.
  Submit(JobOf("c"));
  Submit(JobOf("d"));
  Place();
  EXPECT_NE(queue_.FindLease("c"), nullptr);
  EXPECT_EQ(queue_.FindLease("d"), nullptr);
}

}  // namespace
}  // namespace yardmaster::dispatch
