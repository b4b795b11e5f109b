#include "services/dispatch/engines/local_engine.h"

#include "tests/unit/services/dispatch/queue/dispatch_fixture.h"

namespace yardmaster::dispatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class PlacementTest : public DispatchFixture {
 protected:
  // The jobs that have a lease.
  std::vector<std::string> Leased() {
    std::vector<std::string> jobs;
    for (const auto& [id, lease] : queue_.leases()) jobs.push_back(id);
    return jobs;
  }
  Job Timed(std::string id, uint32_t count, int64_t expected, int64_t limit) {
    Job job = JobOf(std::move(id), count);
    job.expected = std::chrono::seconds(expected);
    job.limit = std::chrono::seconds(limit);
    return job;
  }
};

TEST_F(PlacementTest, AGangGetsAllOfItsDevicesOrNone) {
  Report(ReportOf("r", 4));
  Submit(JobOf("a", 2));
  Submit(JobOf("b", 3));
  Place();
  EXPECT_THAT(Leased(), ElementsAre("a"));
  EXPECT_EQ(queue_.FindLease("a")->devices.size(), 2U);
}

TEST_F(PlacementTest, TheFullestRunnerThatSufficesIsTaken) {
  Report(ReportOf("large", 8));
  Report(ReportOf("small", 2));
  Submit(JobOf("a", 2));
  Place();
  EXPECT_EQ(queue_.FindLease("a")->runner, "small");
}

TEST_F(PlacementTest, PriorityGoesFirstAndAgeOvertakesIt) {
  Report(ReportOf("r", 1));
  Job low = JobOf("old-low");
  low.priority = Priority::kLow;
  Submit(low);
  Pass(std::chrono::minutes(10));
  Job high = JobOf("new-high");
  high.priority = Priority::kHigh;
  Submit(high);
  Place();
  EXPECT_THAT(Leased(), ElementsAre("new-high"));
  ASSERT_TRUE(Do(queue_.Cancel("new-high", "ann", Now())).ok());
  ASSERT_TRUE(Do(queue_.GiveBack("new-high", 1, "told to", Now())).ok());
  Pass(2 * kTurnBonus);
  high.id = "later-high";
  Submit(high);
  Report(ReportOf("r", 1));
  Place();
  EXPECT_THAT(Leased(), ElementsAre("old-low"));
}

TEST_F(PlacementTest, WhoUsesMuchWaitsForOthers) {
  Report(ReportOf("r", 2));
  for (const char* id : {"a1", "a2", "a3"}) Submit(JobOf(id));
  Pass(std::chrono::seconds(10));
  Job other = JobOf("b1");
  other.repository = "github:o/other";
  other.submitter = "bob";
  Submit(other);
  Place();
  EXPECT_THAT(Leased(), ElementsAre("a1", "b1"));
}

TEST_F(PlacementTest, SmallJobsFillTheGapBeforeALargeOneIfTheyEndInTime) {
  Report(ReportOf("r", 4));
  Submit(Timed("running", 2, 100, 200));
  Place();
  Submit(Timed("large", 4, 100, 200));
  Submit(Timed("short", 1, 50, 90));
  Submit(Timed("long", 1, 50, 150));
  Submit(Timed("unknown", 1, 50, 0));
  Place();
  EXPECT_THAT(Leased(), ElementsAre("running", "short"));
  const absl::StatusOr<Waiting> why = queue_.Explain("large", Now());
  ASSERT_TRUE(why.ok());
  EXPECT_EQ(why->estimate, std::chrono::seconds(100));
  EXPECT_EQ(why->position, 1U);
  EXPECT_EQ(why->nearest_runner, "r");
}

TEST_F(PlacementTest, TheFullestRunnerIsTakenSoThatALargerJobStillFits) {
  Report(ReportOf("r", 2));
  RunnerReport other = ReportOf("s", 1);
  other.labels = {"spare"};
  Report(other);
  Submit(JobOf("running"));
  Place();  // on "s", which it fills
  Submit(JobOf("two", 2));
  Submit(JobOf("one"));
  Place();
  EXPECT_THAT(Leased(), ElementsAre("running", "two"));
}

TEST_F(PlacementTest, SickDrainedQuarantinedAndSilentRunnersGetNothing) {
  RunnerReport sick = ReportOf("sick", 1);
  sick.devices[0].healthy = false;
  Report(sick);
  Report(ReportOf("drained", 1));
  ASSERT_TRUE(Do(queue_.SetDrained("drained", true)).ok());
  Report(ReportOf("quarantined", 1));
  ASSERT_TRUE(Do(queue_.SetQuarantined("quarantined", true, "device lost")).ok());
  RunnerReport ending = ReportOf("ending", 1);
  ending.draining = true;
  Report(ending);
  Submit(JobOf("a"));
  Place();
  EXPECT_THAT(Leased(), IsEmpty());
  ASSERT_TRUE(Do(queue_.SetDrained("drained", false)).ok());
  Place();
  EXPECT_EQ(queue_.FindLease("a")->runner, "drained");
}

TEST_F(PlacementTest, WhatNobodyCouldEverDoEndsAtOnceAndNamesTheNearest) {
  Report(ReportOf("r", 2));
  RunnerReport far = ReportOf("far", 1);
  far.pool = "untrusted";
  Report(far);
  Settle();
  Submit(JobOf("a", 3));
  EXPECT_EQ(JobNow("a").verdict, Verdict::kError);
  EXPECT_EQ(JobNow("a").cause.class_name, "infrastructure");
  EXPECT_THAT(JobNow("a").cause.text, HasSubstr("the nearest is \"r\", which lacks: 1 more of kind npu"));
}

TEST_F(PlacementTest, WithNoRunnerKnownJobsWaitUntilTheRunnersHaveSettled) {
  Submit(JobOf("a", 3));
  EXPECT_EQ(queue_.Explain("a", Now())->reason, "no runner is known yet");
  Report(ReportOf("r", 2));
  Pass(std::chrono::seconds(9));
  Report(ReportOf("r", 2));
  Submit(JobOf("b", 3));
  Expire();
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
  EXPECT_EQ(JobNow("b").state, JobState::kQueued);
  // Another comes meanwhile, and is what they wait for.
  Report(ReportOf("large", 3));
  Pass(std::chrono::seconds(10));
  Expire();
  EXPECT_EQ(JobNow("a").state, JobState::kQueued);
  Submit(JobOf("c", 4));
  EXPECT_EQ(JobNow("c").state, JobState::kEnded);
}

TEST_F(PlacementTest, AWaitingJobSaysWhatKeepsIt) {
  Report(ReportOf("r", 1));
  Submit(JobOf("a"));
  ASSERT_TRUE(Do(queue_.SetDrained("r", true)).ok());
  absl::StatusOr<Waiting> why = queue_.Explain("a", Now());
  ASSERT_TRUE(why.ok());
  EXPECT_EQ(why->nearest_runner, "r");
  EXPECT_THAT(why->nearest_missing, ElementsAre("it is draining"));
  ASSERT_TRUE(Do(queue_.SetDrained("r", false)).ok());
  Place();
  Submit(JobOf("b"));
  why = queue_.Explain("b", Now());
  ASSERT_TRUE(why.ok());
  EXPECT_THAT(why->nearest_missing, ElementsAre("1 free npu"));
  EXPECT_EQ(why->estimate, kUnknownRun);
  EXPECT_EQ(queue_.Explain("a", Now()).status().code(), absl::StatusCode::kFailedPrecondition);
}

}  // namespace
}  // namespace yardmaster::dispatch
