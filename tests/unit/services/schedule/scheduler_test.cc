#include "services/schedule/scheduler.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include "tests/support/fake_clock.h"

namespace yardmaster {
namespace {

LoggerOptions Into(std::string& log) {
  LoggerOptions options;
  options.async = false;
  options.sink = [&log](std::string_view line) { log += line; };
  return options;
}

CronExpression Cron(const char* text) {
  std::string error;
  return *CronExpression::Parse(text, error);
}

bool Eventually(const std::function<bool()>& holds) {
  for (int i = 0; i < 1'000; ++i) {
    if (holds()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return false;
}

TEST(Scheduler, JobOfTheStartRunsAtOnceAndOnlyThen) {
  std::string log;
  Logger logger(Into(log));
  testing::FakeClock clock;
  std::atomic<int> at_start{0};
  std::atomic<int> later{0};
  const auto count = [](std::atomic<int>& runs) {
    return [&runs](const std::function<bool()>&) -> absl::StatusOr<std::string> {
      ++runs;
      return std::string("fine");
    };
  };
  {
    Scheduler scheduler(
        {{"first", Cron("0 2 * * *"), count(at_start), true}, {"second", Cron("0 2 * * *"), count(later), false}},
        clock, logger);
    EXPECT_TRUE(Eventually([&] { return at_start == 1; }));
  }
  EXPECT_EQ(at_start, 1);
  EXPECT_EQ(later, 0);
  EXPECT_NE(log.find("\"outcome\":\"fine\""), std::string::npos) << log;
}

TEST(Scheduler, DueJobRunsAndItsFailureIsLogged) {
  std::string log;
  Logger logger(Into(log));
  testing::FakeClock clock;
  // Half a second before the minute.
  clock.Advance(std::chrono::milliseconds(59'500));
  std::atomic<int> runs{0};
  {
    Scheduler scheduler({{"minutely", Cron("* * * * *"),
                          [&runs](const std::function<bool()>&) -> absl::StatusOr<std::string> {
                            ++runs;
                            return absl::UnavailableError("forge is down");
                          },
                          false}},
                        clock, logger);
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    EXPECT_EQ(runs, 0);
    clock.Advance(std::chrono::milliseconds(600));
    EXPECT_TRUE(Eventually([&] { return runs == 1; }));
  }
  EXPECT_EQ(runs, 1);
  EXPECT_NE(log.find("forge is down"), std::string::npos) << log;
}

TEST(Scheduler, JobInProgressHearsThatItShouldEnd) {
  std::string log;
  Logger logger(Into(log));
  testing::FakeClock clock;
  std::atomic<bool> begun{false};
  Scheduler scheduler({{"long", Cron("0 2 * * *"),
                        [&begun](const std::function<bool()>& stopping) -> absl::StatusOr<std::string> {
                          begun = true;
                          while (!stopping()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
                          return std::string("stopped");
                        },
                        true}},
                      clock, logger);
  ASSERT_TRUE(Eventually([&] { return begun.load(); }));
  scheduler.Stop();
  EXPECT_NE(log.find("stopped"), std::string::npos);
}

TEST(Scheduler, AJobThatTakesHoursKeepsNoOtherWaiting) {
  std::string log;
  Logger logger(Into(log));
  testing::FakeClock clock;
  std::atomic<int> runs{0};
  const auto hangs = [](const std::function<bool()>& stopping) -> absl::StatusOr<std::string> {
    while (!stopping()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return std::string("stopped");
  };
  const auto counts = [&runs](const std::function<bool()>&) -> absl::StatusOr<std::string> {
    ++runs;
    return std::string("fine");
  };
  Scheduler scheduler({{"hangs", Cron("0 2 * * *"), hangs, true}, {"counts", Cron("0 2 * * *"), counts, true}}, clock,
                      logger);
  EXPECT_TRUE(Eventually([&] { return runs == 1; }));
}

}  // namespace
}  // namespace yardmaster
