#include "services/intake/sweeps/sweep.h"

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/intake/sweeps/missed_deliveries.h"
#include "tests/unit/services/intake/world.h"

namespace yardmaster {
namespace {

using testing::kRepository;
using testing::World;

class SweepTest : public ::testing::Test {
 protected:
  SweepTest() {
    world_.forge_.Open(kRepository, 3, "socket broken", "The socket broke.", {"queue"});
    world_.forge_.Open(kRepository, 5, "disk full", "The disk is full.", {"queue"});
    world_.forge_.Open(kRepository, 7, "other", "Nothing.", {});
    world_.forge_.Open(kRepository, 9, "marked", "The socket broke.", {"queue", "done"});
    world_.forge_.Open(kRepository, 11, "pull", "The socket broke.", {"queue"}).issue.pull_request = true;
    world_.forge_.Open(kRepository, 13, "socket", "The socket broke.", {"queue"});
  }

  SweepEnvironment Environment() { return {*world_.environment_, world_.store_->schedules()}; }
  // Instead of sleeping: let the pipe work, one piece at a time.
  absl::Status Run(int64_t limit = 0, bool named = false) {
    return RunSweep(
        Environment(), {"github", kRepository, "tiny", named}, limit,
        [this](std::chrono::milliseconds time) {
          if (!world_.pipeline_->RunOne()) world_.clock_.Advance(time);
          return --pauses_ > 0;
        },
        [this](const SweepProgress& progress) {
          progress_ = progress;
          if (progress.subject.number() > 0 && (order_.empty() || order_.back() != progress.subject.number())) {
            order_.push_back(progress.subject.number());
          }
        });
  }

  World world_;
  SweepProgress progress_;
  std::vector<int64_t> order_;
  int pauses_ = 100'000;
};

TEST_F(SweepTest, WithoutAnEntryLabelEveryOpenIssueWithoutMarkerIsTaken) {
  rules::PackFiles files = testing::TinyPackFiles();
  files["tiny/pack.json"] = R"({"name": "tiny", "title": "Every issue enters"})";
  world_.pack_ = testing::CompileTinyPack(files);
  world_.forge_.Open(kRepository, 15, "closed", "The socket broke.", {}).issue.state = ForgeState::kClosed;
  const absl::Status status = Run();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(order_, (std::vector<int64_t>{3, 5, 7, 13}));
  EXPECT_EQ(progress_.done, 4);
  EXPECT_TRUE(world_.Labels(7).contains("done"));
}

TEST_F(SweepTest, ThePackThatTheRepositoryChoosesIsSweptUnlessSomebodyNamesAnother) {
  rules::PackFiles files;
  for (const auto& [path, text] : testing::TinyPackFiles()) files["other" + path.substr(4)] = text;
  files["other/pack.json"] = R"({"name": "other", "title": "Every issue enters"})";
  world_.more_packs_["other"] = testing::CompileTinyPack(files, "other");
  world_.config_.repositories.front().packs = {"tiny", "other"};
  absl::StatusOr<RepositoryChoice> choice = RepositoryChoice{};
  choice->packs = {"other"};
  world_.find_choice_ = [&choice](const v1::Subject&, SubjectView&) { return choice; };
  world_.Boot();
  ASSERT_TRUE(Run(0, /*named=*/true).ok());
  EXPECT_EQ(order_, (std::vector<int64_t>{3, 5, 13}));
  order_.clear();
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(order_, (std::vector<int64_t>{7})) << "the others are decided";
  choice = absl::UnavailableError("unwell");
  EXPECT_FALSE(Run().ok());
}

TEST_F(SweepTest, QueueIsWorkedThroughOldestFirstWithoutMarkedOnesAndPullRequests) {
  const absl::Status status = Run();
  ASSERT_TRUE(status.ok()) << status;
  EXPECT_EQ(order_, (std::vector<int64_t>{3, 5, 13}));
  EXPECT_EQ(progress_.found, 3);
  EXPECT_EQ(progress_.done, 3);
  EXPECT_TRUE(world_.Labels(3).contains("done"));
  EXPECT_TRUE(world_.Labels(13).contains("done"));
  EXPECT_FALSE(world_.Labels(7).contains("done"));
  world_.ExpectSettled();
  const auto schedule = world_.store_->schedules().Get("sweep github:octo/repo tiny");
  ASSERT_TRUE(schedule.ok() && schedule->has_value());
  EXPECT_EQ((*schedule)->outcome, "3 found, 3 done, 0 ignored, 0 failed");
  EXPECT_TRUE((*schedule)->cursor.empty());
}

TEST_F(SweepTest, AForgeThatSortsOtherwiseChangesNeitherTheOrderNorWhereASweepGoesOn) {
  world_.forge_.newest_first = true;
  ASSERT_TRUE(Run(1).ok());
  EXPECT_EQ(order_, std::vector<int64_t>{3});
  ASSERT_TRUE(Run(0).ok());
  EXPECT_EQ(order_, (std::vector<int64_t>{3, 5, 13}));
}

TEST_F(SweepTest, ASubjectThatWaitsHoldsNoOtherUp) {
  world_.forge_.refuse_issues[3] =
      MakeForgeStatus({ForgeReason::kServer, ForgeOutcome::kUnknown, 503, std::nullopt}, "down");
  const auto start = world_.clock_.Now();
  std::chrono::system_clock::duration others{};
  world_.forge_.before_write = [&] { others = world_.clock_.Now() - start; };
  Run().IgnoreError();
  EXPECT_TRUE(world_.Labels(5).contains("done"));
  EXPECT_TRUE(world_.Labels(13).contains("done"));
  EXPECT_LT(others, std::chrono::minutes(30)) << "the first one is retried for hours";
}

TEST_F(SweepTest, LimitedSweepGoesOnWhereItEnded) {
  ASSERT_TRUE(Run(1).ok());
  EXPECT_EQ(order_, std::vector<int64_t>{3});
  ASSERT_TRUE(Run(0).ok());
  EXPECT_EQ(order_, (std::vector<int64_t>{3, 5, 13}));
}

TEST_F(SweepTest, SweepThatIsCutShortGoesOnAfterTheRestart) {
  pauses_ = 5;
  EXPECT_TRUE(absl::IsCancelled(Run()));
  ASSERT_FALSE(order_.empty());
  ASSERT_LT(order_.size(), 3U);
  world_.Boot();
  world_.Run();
  pauses_ = 100'000;
  ASSERT_TRUE(Run().ok());
  for (const int64_t number : {3, 5, 13}) EXPECT_TRUE(world_.Labels(number).contains("done")) << number;
  world_.ExpectSettled();
}

TEST_F(SweepTest, WhatIsDecidedAlreadyIsLeftAlone) {
  ASSERT_TRUE(Run().ok());
  // A person took the marker off; the text is the same.
  std::erase(world_.forge_.At(kRepository, 3).issue.labels, "done");
  order_.clear();
  const int writes = world_.forge_.writes;
  ASSERT_TRUE(Run().ok());
  EXPECT_EQ(order_, std::vector<int64_t>{3});
  EXPECT_EQ(progress_.ignored, 1);
  EXPECT_EQ(world_.forge_.writes, writes);
}

TEST_F(SweepTest, ListThatCantBeReadIsTriedAgainAndReported) {
  world_.forge_.Seed(1, {.not_sent = 100});
  const auto before = world_.clock_.Now();
  const absl::Status status = Run();
  EXPECT_TRUE(absl::IsUnavailable(status)) << status;
  EXPECT_GT(world_.clock_.Now() - before, std::chrono::seconds(60));
}

TEST_F(SweepTest, UnknownForgeOrPackIsAnError) {
  const auto pause = [](std::chrono::milliseconds) { return true; };
  EXPECT_FALSE(RunSweep(Environment(), {"gitea", kRepository, "tiny"}, 0, pause, nullptr).ok());
  EXPECT_TRUE(absl::IsNotFound(RunSweep(Environment(), {"github", kRepository, "none"}, 0, pause, nullptr)));
}

// --- missed deliveries ---

ForgeHookDelivery Sent(const std::string& id, const std::string& guid, const std::string& at, int64_t status) {
  ForgeHookDelivery delivery;
  delivery.id = id;
  delivery.guid = guid;
  delivery.delivered_at = at;
  delivery.status_code = status;
  return delivery;
}

TEST(MissedDeliveries, FailedAndMissingDeliveriesOfTheLastDaysAreAskedForOnce) {
  World world;  // it is 2024-05-01T12:00:00Z
  world.forge_.Open(kRepository, 1, "socket", "socket", {"queue"});
  world.Deliver("issues", world.Body("opened", 1), "guid-known");
  world.forge_.hook_pages = {
      {Sent("10", "guid-fresh", "2024-05-01T11:59:30Z", 502), Sent("9", "guid-failed", "2024-05-01T10:00:00Z", 502),
       Sent("8", "guid-known", "2024-05-01T09:00:00Z", 0)},
      {Sent("7", "guid-lost", "2024-05-01T08:00:00.5+00:00", 202),
       Sent("6", "guid-failed", "2024-05-01T07:00:00Z", 500), Sent("5", "guid-old", "2024-04-28T11:00:00Z", 500),
       Sent("4", "guid-older", "2024-04-01T11:00:00Z", 500)}};
  const auto summary = RedeliverMissed(*world.account_, kRepository, "42", *world.inbox_, world.clock_);
  ASSERT_TRUE(summary.ok()) << summary.status();
  EXPECT_EQ(world.forge_.redelivered, (std::vector<std::string>{"9", "7"})) << "the newest attempt of each";
  EXPECT_EQ(summary->ToString(), "4 seen, 2 missing, 2 asked for again, 0 given up");
}

TEST(MissedDeliveries, DeliveryThatFailedTooOftenIsGivenUp) {
  World world;
  for (int i = 0; i < kMaxRedeliveryAttempts; ++i) {
    world.forge_.hook_pages.push_back({Sent(std::to_string(i), "guid", "2024-05-01T10:00:00Z", 500)});
  }
  const auto summary = RedeliverMissed(*world.account_, kRepository, "42", *world.inbox_, world.clock_);
  ASSERT_TRUE(summary.ok());
  EXPECT_EQ(summary->given_up, 1);
  EXPECT_TRUE(world.forge_.redelivered.empty());
}

TEST(MissedDeliveries, TimestampsOfForges) {
  EXPECT_TRUE(ParseTimestamp("2024-05-01T10:00:00Z").has_value());
  EXPECT_EQ(ParseTimestamp("2024-05-01T18:00:00+08:00"), ParseTimestamp("2024-05-01T10:00:00Z"));
  EXPECT_FALSE(ParseTimestamp("yesterday").has_value());
  EXPECT_FALSE(ParseTimestamp("").has_value());
}

}  // namespace
}  // namespace yardmaster
