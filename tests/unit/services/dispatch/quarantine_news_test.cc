#include "services/dispatch/quarantine_news.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "services/dispatch/records.h"
#include "tests/unit/services/intake/job_world.h"

namespace yardmaster::dispatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class QuarantineNewsTest : public ::testing::Test {
 protected:
  // What is told of the window of this hour.
  std::vector<std::string> Read(int hour) {
    std::vector<std::string> lines;
    chinese_.clear();
    const auto job = [&](const JobEnvironment& env, const JobTurn&) -> absl::StatusOr<std::string> {
      const store::TimePoint from = store::TimePoint(std::chrono::hours(475'000 + hour));
      const auto news = RunnerNews().front().read(env, v1::Subject(), from, from + std::chrono::hours(1));
      if (!news.ok()) return news.status();
      for (const SaidText& one : *news) {
        lines.push_back(one.en);
        chinese_ += one.zh;
      }
      return std::string();
    };
    const absl::StatusOr<std::string> done = world_.RunJob(job);
    EXPECT_TRUE(done.ok()) << done.status();
    return lines;
  }
  void Keep(const Changes& changes) {
    store::JobRows rows;
    AppendRows(changes, rows);
    EXPECT_TRUE(world_.store_->jobs().Put(rows, false).ok());
  }
  void Quarantine(int count) {
    Changes more;
    for (int i = 0; i < count; ++i) {
      Runner& runner = more.runners.emplace_back();
      // Names as long as they may be would not fit into what is remembered.
      runner.name = std::string(200, 'r') + std::to_string(i);
      runner.quarantined = true;
      runner.quarantine_why = "it hangs";
    }
    Keep(more);
  }
  // A device of a runner with what its worker says is wrong with it.
  void Report(const std::string& why) {
    Changes more;
    Runner& runner = more.runners.emplace_back();
    runner.name = "box";
    Device& device = runner.devices.emplace_back();
    device.id = "GPU-1";
    device.kind = "gpu";
    device.model = "A100";
    device.healthy = why.empty();
    device.why = why;
    Keep(more);
  }

  testing::JobWorld world_;
  std::string chinese_;  // of what Read answered last
};

TEST_F(QuarantineNewsTest, RunnersAreNewsOnceHoweverManyThereAre) {
  EXPECT_TRUE(RunnerNews().front().everywhere);
  Quarantine(100);
  EXPECT_THAT(Read(1), SizeIs(100));
  EXPECT_THAT(Read(1), SizeIs(100)) << "the same window is told alike";
  Quarantine(101);
  EXPECT_THAT(Read(2), SizeIs(1));
  Quarantine(1000);
  EXPECT_GT(Read(3).size(), 200U);
  EXPECT_THAT(Read(4), IsEmpty()) << "none is told again";
}

TEST_F(QuarantineNewsTest, ADeviceIsNewsWhenItsWorkerQuarantinesItAndOnceForThatTime) {
  Report("used by process 4242");
  EXPECT_THAT(Read(1), IsEmpty()) << "somebody uses it: that passes";
  Report("quarantined: 3 runs in a row ended as errors of the infrastructure; on probation within 10 minutes");
  EXPECT_THAT(Read(2), ElementsAre(HasSubstr("`GPU-1` (A100) of runner `box` is quarantined: 3 runs")));
  EXPECT_THAT(chinese_, HasSubstr("`box` 的设备 `GPU-1` (A100) 已被隔离"));
  Report("quarantined: 3 runs in a row ended as errors of the infrastructure; on probation within 9 minutes");
  EXPECT_THAT(Read(3), IsEmpty());
  Report("");
  EXPECT_THAT(Read(4), IsEmpty());
  Report("quarantined: 4 runs in a row ended as errors of the infrastructure; on probation within 20 minutes");
  EXPECT_THAT(Read(5), SizeIs(1)) << "it had come back";
}

}  // namespace
}  // namespace yardmaster::dispatch
