#include "services/schedule/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <thread>

#include "services/core/store/store.h"
#include "services/schedule/next_time.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::SizeIs;
using TimePoint = std::chrono::system_clock::time_point;
using Stopping = std::function<bool()>;

ScheduledJob Job(const std::string& name, const std::string& cron,
                 std::function<absl::StatusOr<std::string>(TimePoint, const Stopping&)> run,
                 const std::string& zone = "UTC") {
  ScheduledJob job;
  job.config.name = name;
  job.config.cron = cron;
  job.config.run = "test";
  job.config.time_zone = zone;
  job.times = *TimesOf(job.config);
  job.run = std::move(run);
  return job;
}

bool Eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 2'000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(5ms);
  }
  return false;
}

class SchedulerTest : public ::testing::Test {
 protected:
  SchedulerTest() { Open(); }

  void Open() {
    store_.reset();
    store::StoreOptions options;
    options.data_dir = dir_.path() / "data";
    options.disk_floor_bytes = 1;
    auto store = store::Store::Open(std::move(options), clock_, nullptr);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
  }
  std::unique_ptr<Scheduler> Make(std::vector<ScheduledJob> jobs, const std::string& owner = "one") {
    return std::make_unique<Scheduler>(
        std::move(jobs), SchedulerEnvironment{store_->schedule_runs(), clock_, logger_, &metrics_, owner});
  }
  std::vector<store::ScheduleRun> Runs(const std::string& name = "") {
    auto page = store_->schedule_runs().List({name, false}, {0, 500});
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? page->items : std::vector<store::ScheduleRun>();
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  Logger logger_{LoggerOptions{.sink = [](std::string_view) {}}};
  Metrics metrics_;
  std::unique_ptr<store::Store> store_;
};

TEST_F(SchedulerTest, ADueJobRunsOnceAndItsOutcomeIsKept) {
  int runs = 0;
  const auto scheduler = Make({Job("hourly", "0 * * * *", [&](TimePoint, const Stopping&) {
    ++runs;
    return absl::StatusOr<std::string>("fine");
  })});
  const ScheduledJob& job = scheduler->jobs().front();
  EXPECT_GT(scheduler->Step(job), 0s);
  EXPECT_EQ(runs, 0) << "nothing is due at first";
  clock_.Advance(1h);
  EXPECT_EQ(scheduler->Step(job), 0s);
  EXPECT_GT(scheduler->Step(job), 0s);
  EXPECT_EQ(runs, 1);
  ASSERT_THAT(Runs(), SizeIs(1));
  EXPECT_EQ(Runs()[0].state, store::ScheduleRunState::kDone);
  EXPECT_EQ(Runs()[0].outcome, "fine");
  EXPECT_THAT(metrics_.Serialize(), HasSubstr("yardmaster_schedule_runs_total{schedule=\"hourly\",state=\"done\"} 1"));
}

TEST_F(SchedulerTest, AFailureWaitsForAPersonWhoRunsItAgain) {
  bool works = false;
  const auto scheduler = Make({Job("hourly", "0 * * * *", [&](TimePoint, const Stopping&) {
    return works ? absl::StatusOr<std::string>("fine") : absl::UnavailableError("the forge is down");
  })});
  const ScheduledJob& job = scheduler->jobs().front();
  scheduler->Step(job);
  clock_.Advance(1h);
  scheduler->Step(job);
  ASSERT_THAT(Runs(), SizeIs(1));
  EXPECT_EQ(Runs()[0].state, store::ScheduleRunState::kFailed);
  EXPECT_THAT(Runs()[0].outcome, HasSubstr("the forge is down"));
  EXPECT_EQ(*store_->schedule_runs().CountFailed("hourly"), 1);
  const TimePoint due = Runs()[0].due_at;
  works = true;
  ASSERT_TRUE(store_->schedule_runs().AskAgain(Runs()[0].id, "ops").ok());
  EXPECT_EQ(scheduler->Step(job), 0s);
  ASSERT_THAT(Runs(), SizeIs(1));
  EXPECT_EQ(Runs()[0].state, store::ScheduleRunState::kDone);
  EXPECT_EQ(Runs()[0].due_at, due) << "for the same time";
  EXPECT_EQ(*store_->schedule_runs().CountFailed("hourly"), 0);
}

TEST_F(SchedulerTest, WhatTakesTooLongIsToldToEndAndFails) {
  ScheduledJob slow = Job("slow", "0 * * * *", [&](TimePoint, const Stopping& stopping) {
    while (!stopping()) clock_.Advance(1min);
    return absl::StatusOr<std::string>("half of it");
  });
  slow.config.limit = 30min;
  const auto scheduler = Make({slow});
  const ScheduledJob& job = scheduler->jobs().front();
  scheduler->Step(job);
  clock_.Advance(1h);
  scheduler->Step(job);
  ASSERT_THAT(Runs(), SizeIs(1));
  EXPECT_EQ(Runs()[0].state, store::ScheduleRunState::kTimedOut);
  EXPECT_THAT(Runs()[0].outcome, HasSubstr("30 minutes"));
}

TEST_F(SchedulerTest, TwoReplicasRunItOnce) {
  int runs = 0;
  const auto job = Job("hourly", "0 * * * *", [&](TimePoint, const Stopping&) {
    ++runs;
    return absl::StatusOr<std::string>("fine");
  });
  const auto one = Make({job}, "one");
  const auto two = Make({job}, "two");
  one->Step(one->jobs().front());
  two->Step(two->jobs().front());
  clock_.Advance(1h);
  one->Step(one->jobs().front());
  two->Step(two->jobs().front());
  EXPECT_EQ(runs, 1);
  // The one died in the middle of the next: the other one waits for its lease, and goes on.
  clock_.Advance(1h);
  ASSERT_TRUE(store_->schedule_runs().Begin("hourly", clock_.Now(), "one", Scheduler::kLease)->has_value());
  EXPECT_GT(two->Step(two->jobs().front()), 0s);
  EXPECT_EQ(runs, 1);
  clock_.Advance(Scheduler::kLease + 1s);
  EXPECT_EQ(two->Step(two->jobs().front()), 0s);
  EXPECT_EQ(runs, 2);
  EXPECT_EQ(Runs()[0].attempts, 2);
}

TEST_F(SchedulerTest, AJobOfTheStartRunsAtOnceAndOneThatHangsKeepsNoOtherWaiting) {
  std::atomic<int> runs{0};
  ScheduledJob hangs = Job("hangs", "0 2 * * *", [](TimePoint, const Stopping& stopping) {
    while (!stopping()) std::this_thread::sleep_for(1ms);
    return absl::StatusOr<std::string>(absl::CancelledError("cut short"));
  });
  ScheduledJob counts = Job("counts", "0 2 * * *", [&](TimePoint, const Stopping&) {
    ++runs;
    return absl::StatusOr<std::string>("fine");
  });
  hangs.at_start = counts.at_start = true;
  const auto scheduler = Make({hangs, counts});
  scheduler->Start();
  EXPECT_TRUE(Eventually([&] { return runs == 1; }));
  EXPECT_TRUE(Eventually([&] { return store_->schedule_runs().Look("hangs")->unended->attempts == 1; }));
  scheduler->Stop();
  // What was cut short is nobody's, and no attempt of it counts.
  ASSERT_THAT(Runs("hangs"), SizeIs(1));
  EXPECT_EQ(Runs("hangs")[0].state, store::ScheduleRunState::kRunning);
  EXPECT_EQ(Runs("hangs")[0].attempts, 0);
}

// The clock of the machine jumps, daemons come, go and die, and the clocks of the zone change: each due time runs once,
// or was missed and made up for by a later one.
TEST_F(SchedulerTest, EachDueTimeRunsOnceWhateverHappens) {
  struct Case {
    const char* zone;
    const char* cron;
    std::chrono::sys_days begin;
  };
  using std::chrono::year;
  const Case cases[] = {{"Europe/Berlin", "30 2 * * *", year(2026) / 3 / 26},
                        {"Europe/Berlin", "*/20 * * * *", year(2026) / 10 / 24},
                        {"America/New_York", "15,45 1,2 * * *", year(2026) / 10 / 29},
                        {"Australia/Lord_Howe", "0,30 1-2 * * *", year(2026) / 4 / 2},
                        {"Asia/Shanghai", "0 9 * * 1-5", year(2026) / 1 / 1}};
  int serial = 0;
  for (const Case& one : cases) {
    SCOPED_TRACE(std::string(one.zone) + " " + one.cron);
    std::mt19937 random(static_cast<uint32_t>(4'711 + serial));
    const std::string name = "s" + std::to_string(serial++);
    clock_.Advance(one.begin - clock_.Now());
    std::map<TimePoint, int> ended;
    const ScheduledJob job = Job(
        name, one.cron,
        [&](TimePoint due, const Stopping&) {
          ++ended[due];
          return absl::StatusOr<std::string>("fine");
        },
        one.zone);
    std::vector<std::unique_ptr<Scheduler>> replicas;
    const auto restart = [&] {
      replicas.clear();
      for (const std::string owner : {"a", "b"}) replicas.push_back(Make({job}, owner + std::to_string(random())));
    };
    restart();
    for (const auto& replica : replicas) replica->Step(replica->jobs().front());
    const TimePoint first = clock_.Now();
    TimePoint latest = first;
    bool away = false;
    std::map<TimePoint, bool> missable;  // due times that passed while nobody looked
    for (int step = 0; step < 250; ++step) {
      const TimePoint before = latest;
      const uint32_t dice = random() % 40;
      away = dice < 2;
      if (dice == 0) {
        clock_.Advance(1h * (5 + random() % 60));  // nobody was there, or the clock was set
      } else if (dice == 1) {
        clock_.Advance(-1min * (1 + random() % 300));
      } else {
        clock_.Advance(1min * (1 + random() % 4));
      }
      latest = std::max(latest, clock_.Now());
      for (auto due = NextTime(job.times.cron, job.times.zone, before); due.has_value() && *due <= latest;
           due = NextTime(job.times.cron, job.times.zone, *due)) {
        missable[*due] = away;
      }
      if (dice == 2) restart();
      if (dice == 3) {
        // Killed right after it began: nothing was done, and its lease has to pass.
        const DueTime found = FindDue(job.times, store_->schedule_runs().Look(name)->covered, clock_.Now());
        if (found.due.has_value()) {
          ASSERT_TRUE(store_->schedule_runs().Begin(name, *found.due, "dead", Scheduler::kLease).ok());
          clock_.Advance(Scheduler::kLease + 1s);
          latest = std::max(latest, clock_.Now());
          for (auto due = NextTime(job.times.cron, job.times.zone, *found.due); due.has_value() && *due <= latest;
               due = NextTime(job.times.cron, job.times.zone, *due)) {
            missable.try_emplace(*due, false);
          }
        }
      }
      // Whoever looks first; often enough for a run that was left behind and the one that is due.
      for (int look = 0; look < 3; ++look) {
        Scheduler& replica = *replicas[random() % replicas.size()];
        replica.Step(replica.jobs().front());
      }
    }
    int served = 0;
    for (const auto& [due, skipped] : missable) {
      const auto run = ended.find(due);
      const int times = run == ended.end() ? 0 : run->second;
      EXPECT_LE(times, 1) << absl::FormatTime(absl::FromChrono(due), job.times.zone);
      if (!skipped) EXPECT_EQ(times, 1) << absl::FormatTime(absl::FromChrono(due), job.times.zone);
      served += times;
    }
    EXPECT_EQ(static_cast<size_t>(served), ended.size()) << "something ran that was not due";
    EXPECT_GT(served, 0);
    if (!missable.empty()) EXPECT_TRUE(ended.contains(missable.rbegin()->first)) << "what was missed is made up for";
  }
}

}  // namespace
}  // namespace yardmaster
