#include "clients/forge/budget_model.h"

#include <gtest/gtest.h>

#include "clients/forge/gitcode/gitcode_profile.h"
#include "clients/forge/github/github_profile.h"

namespace yardmaster {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using Time = BudgetModel::Time;

constexpr Time kStart{seconds(1'000'000)};

// Sends as many requests as the model allows from `begin` on, each at its earliest time, and returns those times.
std::vector<Time> SendAll(BudgetModel& model, size_t count, ForgePriority priority, bool mutation, Time begin) {
  std::vector<Time> times;
  Time now = begin;
  for (size_t i = 0; i < count; ++i) {
    // What one limit allows another may not: look until nothing moves.
    for (Time next = model.Earliest(now, priority, mutation); next > now;
         next = model.Earliest(now, priority, mutation)) {
      now = next;
    }
    model.Begin(now, mutation);
    model.End(mutation);
    times.push_back(now);
  }
  return times;
}

// The most times within any window of `length`.
size_t Densest(const std::vector<Time>& times, milliseconds length) {
  size_t most = 0;
  for (size_t begin = 0; begin < times.size(); ++begin) {
    size_t end = begin;
    while (end < times.size() && times[end] < times[begin] + length) ++end;
    most = std::max(most, end - begin);
  }
  return most;
}

TEST(BudgetModel, GitHubWritesAreASecondApartAndWithinBothWindows) {
  BudgetModel model(GitHubProfile().budget);
  const std::vector<Time> times = SendAll(model, 1'200, ForgePriority::kCommand, /*mutation=*/true, kStart);
  for (size_t i = 1; i < times.size(); ++i) ASSERT_GE(times[i] - times[i - 1], seconds(1));
  EXPECT_LE(Densest(times, minutes(1)), 80u);
  EXPECT_EQ(Densest(times, hours(1)), 500u);
}

TEST(BudgetModel, GitHubReadsAndWritesShareNineHundredPointsAMinute) {
  BudgetLimits limits = GitHubProfile().budget;
  limits.spacing = milliseconds(0);
  limits.mutations_per_minute = 0;
  limits.mutations_per_hour = 0;
  BudgetModel reads(limits);
  EXPECT_EQ(Densest(SendAll(reads, 2'000, ForgePriority::kCommand, false, kStart), minutes(1)), 900u);
  BudgetModel writes(limits);
  EXPECT_EQ(Densest(SendAll(writes, 400, ForgePriority::kCommand, true, kStart), minutes(1)), 180u);
}

TEST(BudgetModel, GitCodeAllowsFiftyAMinuteAndFourThousandAnHour) {
  BudgetModel model(GitCodeProfile().budget);
  const std::vector<Time> times = SendAll(model, 5'000, ForgePriority::kCommand, false, kStart);
  EXPECT_EQ(Densest(times, minutes(1)), 50u);
  EXPECT_LE(Densest(times, hours(1)), 4'000u);
}

TEST(BudgetModel, ASweepLeavesRoomForAPersonsCommand) {
  BudgetModel model(GitCodeProfile().budget);
  const std::vector<Time> times = SendAll(model, 31, ForgePriority::kSweep, false, kStart);
  EXPECT_EQ(times[29], kStart);
  EXPECT_GT(times[30], kStart);
  // Twenty of the fifty are left in the first minute.
  BudgetModel busy(GitCodeProfile().budget);
  SendAll(busy, 30, ForgePriority::kSweep, false, kStart);
  EXPECT_GT(busy.Earliest(kStart, ForgePriority::kSweep, false), kStart);
  EXPECT_EQ(busy.Earliest(kStart, ForgePriority::kEvent, false), kStart);
  EXPECT_EQ(SendAll(busy, 20, ForgePriority::kCommand, false, kStart).back(), kStart);
  EXPECT_GT(busy.Earliest(kStart, ForgePriority::kCommand, false), kStart);
}

TEST(BudgetModel, ATinyLimitStillLetsASweepGo) {
  BudgetLimits limits;
  limits.requests_per_minute = 1;
  BudgetModel model(limits);
  EXPECT_EQ(model.Earliest(kStart, ForgePriority::kSweep, false), kStart);
  model.Begin(kStart, false);
  EXPECT_GE(model.Earliest(kStart, ForgePriority::kSweep, false), kStart + minutes(1));
}

TEST(BudgetModel, ConfiguredLimitsReplaceTheForges) {
  ForgeBudget config;
  config.mutations_per_minute = 5;
  config.mutations_per_hour = 7;
  config.spacing_ms = 0;
  config.requests_per_minute = 3'000;
  const BudgetLimits limits = WithConfig(GitHubProfile().budget, config);
  EXPECT_EQ(limits.mutations_per_minute, 5u);
  EXPECT_EQ(limits.mutations_per_hour, 7u);
  EXPECT_EQ(limits.spacing, milliseconds(0));
  EXPECT_EQ(limits.requests_per_minute, 3'000u);
  EXPECT_GE(limits.points_per_minute, 3'000u);
  BudgetModel model(limits);
  const std::vector<Time> times = SendAll(model, 8, ForgePriority::kCommand, true, kStart);
  EXPECT_EQ(times[4], kStart);
  EXPECT_GE(times[5], kStart + minutes(1));
  EXPECT_GE(times[7], kStart + hours(1));
}

TEST(BudgetModel, RaisingALimitRaisesThoseWithoutAKey) {
  ForgeBudget config;
  config.requests_per_minute = 6'000;
  EXPECT_EQ(WithConfig(GitCodeProfile().budget, config).requests_per_hour, 360'000u);
  config.requests_per_minute = 20;
  EXPECT_EQ(WithConfig(GitCodeProfile().budget, config).requests_per_hour, 4'000u);
  config.requests_per_minute = UINT32_MAX;
  config.mutations_per_minute = UINT32_MAX;
  EXPECT_EQ(WithConfig(GitCodeProfile().budget, config).requests_per_hour, UINT32_MAX);
  EXPECT_EQ(WithConfig(GitHubProfile().budget, config).points_per_minute, UINT32_MAX);
  config.requests_per_minute.reset();
  config.mutations_per_minute = 1'000;
  EXPECT_EQ(WithConfig(GitHubProfile().budget, config).points_per_minute, 5'000u);
  config.mutations_per_minute = 10;
  EXPECT_EQ(WithConfig(GitHubProfile().budget, config).points_per_minute, 900u);
}

TEST(BudgetModel, WritesAreNotInFlightTogetherWhereThereIsASpacing) {
  BudgetModel model(GitHubProfile().budget);
  model.Begin(kStart, true);
  EXPECT_FALSE(model.HasRoom(true));
  EXPECT_TRUE(model.HasRoom(false));
  model.End(true);
  EXPECT_TRUE(model.HasRoom(true));
}

TEST(BudgetModel, RequestsInFlightAreLimited) {
  BudgetLimits limits;
  limits.concurrent = 2;
  BudgetModel model(limits);
  model.Begin(kStart, false);
  model.Begin(kStart, false);
  EXPECT_FALSE(model.HasRoom(false));
  model.End(false);
  EXPECT_TRUE(model.HasRoom(false));
}

TEST(BudgetModel, ThePrimaryLimitIsWhatTheForgeSays) {
  BudgetModel model(GitHubProfile().budget);
  const Time reset = kStart + minutes(20);
  model.LearnPrimary(5'000, 0, reset);
  EXPECT_EQ(model.Earliest(kStart, ForgePriority::kCommand, false), reset);
  EXPECT_EQ(model.Earliest(reset, ForgePriority::kCommand, false), reset);
}

TEST(BudgetModel, LessImportantCallersStopBeforeThePrimaryLimitIsGone) {
  BudgetModel model(GitHubProfile().budget);
  model.LearnPrimary(5'000, 1'999, kStart + minutes(20));
  EXPECT_GT(model.Earliest(kStart, ForgePriority::kSweep, false), kStart);
  EXPECT_EQ(model.Earliest(kStart, ForgePriority::kEvent, false), kStart);
  model.LearnPrimary(5'000, 400, kStart + minutes(20));
  EXPECT_GT(model.Earliest(kStart, ForgePriority::kEvent, false), kStart);
  EXPECT_EQ(model.Earliest(kStart, ForgePriority::kCommand, false), kStart);
}

TEST(BudgetModel, RequestsThatAreStillOutCountAgainstWhatAnAnswerSays) {
  BudgetModel model(GitHubProfile().budget);
  model.Begin(kStart, false);
  model.Begin(kStart, false);
  // The answer to a third one: two left, and two are out.
  model.LearnPrimary(5'000, 2, kStart + minutes(5));
  EXPECT_GT(model.Earliest(kStart, ForgePriority::kCommand, false), kStart);
}

TEST(BudgetModel, AnAnswerOfTheWindowBeforeIsForgotten) {
  BudgetModel model(GitHubProfile().budget);
  model.LearnPrimary(5'000, 4'999, kStart + minutes(60));
  model.LearnPrimary(5'000, 0, kStart + minutes(1));
  EXPECT_EQ(model.Earliest(kStart, ForgePriority::kCommand, false), kStart);
}

TEST(BudgetModel, ARefusalWithATimeIsObeyed) {
  BudgetModel model(GitHubProfile().budget);
  model.LearnRefusal(kStart, seconds(17));
  EXPECT_EQ(model.Earliest(kStart, ForgePriority::kCommand, false), kStart + seconds(17));
}

TEST(BudgetModel, RefusalsWithoutATimePauseLongerEachTime) {
  BudgetModel github(GitHubProfile().budget);
  Time now = kStart;
  std::vector<int64_t> pauses;
  for (int i = 0; i < 6; ++i) {
    github.LearnRefusal(now, std::nullopt);
    const Time next = github.Earliest(now, ForgePriority::kCommand, false);
    pauses.push_back(std::chrono::duration_cast<seconds>(next - now).count());
    now = next;
  }
  EXPECT_EQ(pauses, (std::vector<int64_t>{60, 120, 240, 480, 900, 900}));

  BudgetModel gitcode(GitCodeProfile().budget);
  gitcode.LearnRefusal(kStart, std::nullopt);
  EXPECT_EQ(gitcode.Earliest(kStart, ForgePriority::kCommand, false), kStart + seconds(1));
}

TEST(BudgetModel, RequestsRefusedTogetherAreOneRefusal) {
  BudgetModel model(GitCodeProfile().budget);
  for (int i = 0; i < 5; ++i) model.LearnRefusal(kStart, std::nullopt);
  EXPECT_EQ(model.Earliest(kStart, ForgePriority::kCommand, false), kStart + seconds(1));
}

TEST(BudgetModel, ASuccessEndsTheSeriesOfRefusals) {
  BudgetModel model(GitCodeProfile().budget);
  model.LearnRefusal(kStart, std::nullopt);
  model.LearnSuccess();
  const Time later = kStart + seconds(2);
  model.LearnRefusal(later, std::nullopt);
  EXPECT_EQ(model.Earliest(later, ForgePriority::kCommand, false), later + seconds(1));
}

}  // namespace
}  // namespace yardmaster
