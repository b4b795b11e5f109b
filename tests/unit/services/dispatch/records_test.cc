#include "services/dispatch/records.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster::dispatch {
namespace {

using ::testing::ElementsAre;
using ::testing::SizeIs;

store::JobRows RowsOf(const Changes& changes) {
  store::JobRows rows;
  AppendRows(changes, rows);
  return rows;
}

TEST(DispatchRecords, WhatIsKeptComesBackAsItWas) {
  Job job;
  job.id = "j-1";
  job.number = 7;
  job.request = R"({"suite":"common/x"})";
  job.suite = "common/x";
  job.repository = "github:o/r";
  job.submitter = "ann";
  job.priority = Priority::kHigh;
  job.demand = {.pool = "trusted",
                .labels = {"ib"},
                .kind = "npu",
                .models = {"A*"},
                .capability = {">=8.0"},
                .count = 8,
                .memory_mib = 9,
                .same_group = true};
  job.state = JobState::kRunning;
  job.cause = {"code", "why \xff"};
  job.notes = {"one"};
  job.attempt = 2;
  job.declined = 1;
  job.fence = 3;
  job.last_runner = "r";
  job.cancel_requested = true;
  job.queued_at = WallTime(std::chrono::microseconds(5));
  job.started_at = WallTime(std::chrono::microseconds(6));
  Lease lease;
  lease.job = "j-1";
  lease.fence = 3;
  lease.attempt = 2;
  lease.runner = "r";
  lease.devices = {"0", "1"};
  lease.state = LeaseState::kRunning;
  lease.accepted = true;
  lease.granted_at = WallTime(std::chrono::microseconds(8));
  Runner runner;
  runner.name = "r";
  runner.session = "s";
  runner.labels = {"ib"};
  runner.devices.push_back(
      {"0", "npu", "A3", "9.0", 4, "g", false, "hot", true, "ECC errors", WallTime(std::chrono::microseconds(3))});
  runner.environment = "npu 24.1";
  job.environment = "npu 24.0";
  runner.token = "box";
  runner.drained_by_people = true;
  runner.quarantined = true;
  runner.quarantine_why = "lost";

  const absl::StatusOr<Changes> back = ChangesOf(RowsOf({{job}, {lease}, {}, {runner}}));
  ASSERT_TRUE(back.ok()) << back.status();
  ASSERT_THAT(back->jobs, SizeIs(1));
  const Job& read = back->jobs[0];
  EXPECT_EQ(read.number, 7);
  EXPECT_EQ(read.request, job.request);
  EXPECT_EQ(read.suite, "common/x");
  EXPECT_EQ(read.repository, "github:o/r");
  EXPECT_EQ(read.submitter, "ann");
  EXPECT_EQ(read.priority, Priority::kHigh);
  EXPECT_EQ(read.demand, job.demand);
  EXPECT_EQ(read.state, JobState::kRunning);
  EXPECT_EQ(read.cause.text, "why \xef\xbf\xbd");  // no JSON holds what is not UTF-8
  EXPECT_THAT(read.notes, ElementsAre("one"));
  EXPECT_EQ(read.attempt, 2U);
  EXPECT_EQ(read.declined, 1U);
  EXPECT_EQ(read.fence, 3U);
  EXPECT_EQ(read.last_runner, "r");
  EXPECT_TRUE(read.cancel_requested);
  EXPECT_EQ(read.queued_at, job.queued_at);
  EXPECT_EQ(read.started_at, job.started_at);
  EXPECT_EQ(read.environment, "npu 24.0");
  ASSERT_EQ(back->runners.size(), 1U);
  EXPECT_EQ(back->runners[0].environment, "npu 24.1");
  ASSERT_THAT(back->leases, SizeIs(1));
  EXPECT_EQ(back->leases[0].state, LeaseState::kRunning);
  EXPECT_TRUE(back->leases[0].accepted);
  EXPECT_THAT(back->leases[0].devices, ElementsAre("0", "1"));
  EXPECT_EQ(back->leases[0].granted_at, lease.granted_at);
  ASSERT_THAT(back->runners, SizeIs(1));
  EXPECT_EQ(back->runners[0].devices, runner.devices);
  EXPECT_TRUE(back->runners[0].drained_by_people);
  EXPECT_TRUE(back->runners[0].quarantined);
  EXPECT_EQ(back->runners[0].token, "box");
  EXPECT_FALSE(back->runners[0].online);
}

TEST(DispatchRecords, ALeaseThatEndedIsARowThatIsNotLive) {
  Lease lease;
  lease.job = "j-1";
  lease.fence = 1;
  const store::JobRows rows = RowsOf({{}, {}, {{lease, LeaseEnd::kLost, "silent", WallTime()}}, {}});
  ASSERT_THAT(rows.leases, SizeIs(1));
  EXPECT_FALSE(rows.leases[0].live);
}

TEST(DispatchRecords, ADamagedRecordIsAnError) {
  for (const char* record : {"", "{}", "[]", "{\"id\": 5}", R"({"id":"a","number":1,"demand":{},"state":99})",
                             R"({"id":"a","number":"x","demand":{}})"}) {
    EXPECT_EQ(JobOfRecord(record).status().code(), absl::StatusCode::kDataLoss) << record;
  }
}

}  // namespace
}  // namespace yardmaster::dispatch
