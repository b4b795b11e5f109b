// The dispatcher over a store that fails now and then: what could not be written has not happened.
#include "services/dispatch/dispatcher.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "services/core/logging.h"
#include "services/core/store/jobs.h"
#include "services/dispatch/engines/local_engine.h"
#include "services/dispatch/records.h"

namespace yardmaster::dispatch {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

// Keeps rows in memory, and refuses them when it is told to.
class JobsInMemory final : public store::Jobs {
 public:
  absl::Status Put(const store::JobRows& rows, bool is_new) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++puts_;
    if (full_ || (is_new && low_)) return absl::ResourceExhaustedError("the disk is full");
    for (const store::JobRow& row : rows.jobs) {
      if (row.job == refused_) return absl::InvalidArgumentError("this one is too large");
    }
    for (const store::JobRow& row : rows.jobs) jobs_.insert_or_assign(row.job, row);
    for (const store::LeaseRow& row : rows.leases) leases_.insert_or_assign({row.job, row.fence}, row);
    for (const store::RunnerRow& row : rows.runners) runners_.insert_or_assign(row.name, row);
    return absl::OkStatus();
  }
  absl::StatusOr<store::JobRows> LoadLive() override {
    store::JobRows rows;
    for (const auto& [id, row] : jobs_) {
      if (!row.ended) rows.jobs.push_back(row);
    }
    for (const auto& [key, row] : leases_) {
      if (row.live) rows.leases.push_back(row);
    }
    for (const auto& [name, row] : runners_) rows.runners.push_back(row);
    return rows;
  }
  absl::StatusOr<int64_t> LastNumber() override { return static_cast<int64_t>(jobs_.size()); }
  absl::StatusOr<store::JobRow> Get(std::string_view job) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto row = jobs_.find(std::string(job));
    if (row == jobs_.end()) return absl::NotFoundError("none");
    return row->second;
  }
  absl::StatusOr<store::Page<store::JobRow>> List(const store::JobFilter&, const store::PageRequest&) override {
    return store::Page<store::JobRow>();
  }

  std::mutex mutex_;
  int puts_ = 0;
  bool full_ = false;
  bool low_ = false;
  std::string refused_;
  std::map<std::string, store::JobRow> jobs_;
  std::map<std::pair<std::string, uint64_t>, store::LeaseRow> leases_;
  std::map<std::string, store::RunnerRow> runners_;
};

class DispatcherTest : public ::testing::Test {
 protected:
  DispatcherTest() { dispatcher_ = *Dispatcher::Open(jobs_, clock_, metrics_, logger_, Limits(), engine_); }

  static Job JobOf(const std::string& id) {
    Job job;
    job.id = id;
    job.repository = "github:o/r";
    return job;
  }
  RunnerReport Report(const std::vector<ReportedRun>& runs = {}) {
    RunnerReport report;
    report.name = "box";
    report.session = "s1";
    report.pool = "trusted";
    report.devices.push_back({.id = "cpu:0", .kind = "cpu"});
    report.runs = runs;
    return report;
  }

  SystemClock clock_;
  Metrics metrics_;
  Logger logger_{LoggerOptions{.level = LogLevel::kError, .async = false, .sink = [](std::string_view) {}}};
  JobsInMemory jobs_;
  LocalEngine engine_;
  std::unique_ptr<Dispatcher> dispatcher_;
};

TEST_F(DispatcherTest, WhatCouldNotBeWrittenHasNotHappened) {
  ASSERT_TRUE(dispatcher_->Report(Report()).ok());
  jobs_.full_ = true;
  EXPECT_EQ(dispatcher_->Submit(JobOf("j-1")).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(dispatcher_->FindJob("j-1").status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(dispatcher_->OrdersFor("box").orders, SizeIs(0));
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("yardmaster_jobs{state=\"leased\"} 0"));
  jobs_.full_ = false;
  ASSERT_TRUE(dispatcher_->Submit(JobOf("j-1")).ok());
  ASSERT_THAT(dispatcher_->OrdersFor("box").orders, SizeIs(1));
  EXPECT_EQ(dispatcher_->OrdersFor("box").orders[0].lease.fence, 1U);

  // A run that ends, which gives its device to the next, is taken back as a whole.
  ASSERT_TRUE(dispatcher_->Submit(JobOf("j-2")).ok());
  jobs_.full_ = true;
  RunOutcome outcome;
  outcome.verdict = Verdict::kPassed;
  EXPECT_FALSE(dispatcher_->Finish("j-1", 1, outcome).ok());
  EXPECT_EQ(dispatcher_->FindJob("j-1")->state, JobState::kLeased);
  EXPECT_EQ(dispatcher_->FindJob("j-2")->state, JobState::kQueued);
  EXPECT_EQ(dispatcher_->OrdersFor("box").orders[0].lease.job, "j-1");
  jobs_.full_ = false;
  ASSERT_TRUE(dispatcher_->Finish("j-1", 1, outcome).ok());
  EXPECT_EQ(dispatcher_->FindJob("j-1")->verdict, Verdict::kPassed);
  ASSERT_THAT(dispatcher_->OrdersFor("box").orders, SizeIs(1));
  EXPECT_EQ(dispatcher_->OrdersFor("box").orders[0].lease.job, "j-2");
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("yardmaster_jobs{state=\"leased\"} 1"));
}

TEST_F(DispatcherTest, JobsThatBelongTogetherAreTakenTogetherOrNotAtAll) {
  const std::vector<Job> jobs = {JobOf("j-1"), JobOf("j-2"), JobOf("j-3")};
  jobs_.refused_ = "j-2";
  EXPECT_FALSE(dispatcher_->Submit(jobs).ok());
  EXPECT_THAT(jobs_.jobs_, SizeIs(0));
  EXPECT_EQ(dispatcher_->FindJob("j-1").status().code(), absl::StatusCode::kNotFound);
  jobs_.refused_.clear();
  ASSERT_TRUE(dispatcher_->Submit(jobs).ok());
  const int64_t first = dispatcher_->FindJob("j-1")->number;
  EXPECT_EQ(dispatcher_->FindJob("j-2")->number, first + 1);
  EXPECT_EQ(dispatcher_->FindJob("j-3")->number, first + 2);
  // Again, by one that would share them out in another way, and by a daemon that died after it had taken them.
  const int puts = jobs_.puts_;
  ASSERT_TRUE(dispatcher_->Submit(std::vector<Job>{JobOf("j-1"), JobOf("j-4")}).ok());
  EXPECT_EQ(dispatcher_->FindJob("j-4").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(jobs_.puts_, puts);
  dispatcher_ = *Dispatcher::Open(jobs_, clock_, metrics_, logger_, Limits(), engine_);
  ASSERT_TRUE(dispatcher_->Submit(jobs).ok());
  EXPECT_EQ(jobs_.puts_, puts);
}

TEST_F(DispatcherTest, AWorkerWhoseTakeoverCouldNotBeWrittenGoesOn) {
  ASSERT_TRUE(dispatcher_->Report(Report()).ok());
  RunnerReport newer = Report();
  newer.session = "s2";
  jobs_.full_ = true;
  EXPECT_FALSE(dispatcher_->Report(newer).ok());
  jobs_.full_ = false;
  EXPECT_TRUE(dispatcher_->Report(Report()).ok());
  EXPECT_TRUE(dispatcher_->Report(newer).ok());
  EXPECT_EQ(dispatcher_->Report(Report()).code(), absl::StatusCode::kAborted);
}

TEST_F(DispatcherTest, OneThatCanNotBeStoredDoesNotHoldUpOthers) {
  jobs_.refused_ = "j-7";
  std::vector<std::thread> clients;
  clients.reserve(20);
  std::mutex mutex;
  std::set<std::string> refused;
  for (int i = 0; i < 20; ++i) {
    clients.emplace_back([&, id = absl::StrCat("j-", i)] {
      if (!dispatcher_->Submit(JobOf(id)).ok()) {
        const std::lock_guard<std::mutex> lock(mutex);
        refused.insert(id);
      }
    });
  }
  for (std::thread& client : clients) client.join();
  EXPECT_THAT(refused, ::testing::ElementsAre("j-7"));
  EXPECT_THAT(jobs_.jobs_, SizeIs(19));
}

TEST_F(DispatcherTest, NewJobsAreRefusedWhenTheDiskIsLowAndRunsGoOn) {
  ASSERT_TRUE(dispatcher_->Report(Report()).ok());
  ASSERT_TRUE(dispatcher_->Submit(JobOf("j-1")).ok());
  jobs_.low_ = true;
  EXPECT_FALSE(dispatcher_->Submit(JobOf("j-2")).ok());
  EXPECT_TRUE(dispatcher_->Report(Report({{"j-1", 1, RunPhase::kRunning, {"cpu:0"}}})).ok());
  EXPECT_EQ(dispatcher_->FindJob("j-1")->state, JobState::kRunning);
}

// Told of one thing only.
class Counter final : public ChangeListener {
 public:
  void OnChange() override { ++changes; }
  void OnTick() override { ++ticks; }
  int changes = 0;
  int ticks = 0;
};

TEST_F(DispatcherTest, ListenersHearOfTheirTopicOnly) {
  Counter job;
  Counter other;
  Counter runner;
  Counter all;
  dispatcher_->SetListener(job, Topic::OfJob("j-1"));
  dispatcher_->SetListener(other, Topic::OfJob("j-2"));
  dispatcher_->SetListener(runner, Topic::OfRunner("box"));
  dispatcher_->SetListener(all, Topic::AllJobs());
  ASSERT_TRUE(dispatcher_->Submit(JobOf("j-1")).ok());
  EXPECT_EQ(job.changes, 1);
  EXPECT_EQ(runner.changes, 0);
  ASSERT_TRUE(dispatcher_->Report(Report()).ok());  // places it
  EXPECT_EQ(job.changes, 2);
  EXPECT_EQ(runner.changes, 1);
  const int of_all = all.changes;
  dispatcher_->LogHasGrown("j-1");
  EXPECT_EQ(job.changes, 3);
  EXPECT_EQ(all.changes, of_all);
  ASSERT_TRUE(dispatcher_->Cancel("j-1", "ann").ok());
  EXPECT_EQ(runner.changes, 2);
  EXPECT_EQ(other.changes, 0);
  for (Counter* one : {&job, &other, &runner, &all}) dispatcher_->RemoveListener(*one);
  dispatcher_->LogHasGrown("j-1");
  EXPECT_EQ(job.changes, 4);
}

}  // namespace
}  // namespace yardmaster::dispatch
