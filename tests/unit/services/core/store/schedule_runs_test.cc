#include "services/core/store/schedule_runs.h"

#include <string>

#include "services/core/store/subscriptions.h"
#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

using ::testing::SizeIs;

constexpr std::chrono::seconds kTestLease{60};

class ScheduleRunsTest : public StoreFixture {
 protected:
  ScheduleRuns& runs() { return store_->schedule_runs(); }
  std::optional<ScheduleRun> Begin(TimePoint due, const std::string& owner = "a") {
    absl::StatusOr<std::optional<ScheduleRun>> begun = runs().Begin("nightly", due, owner, kTestLease);
    EXPECT_TRUE(begun.ok()) << begun.status();
    return begun.value_or(std::nullopt);
  }
};

TEST_F(ScheduleRunsTest, WhatIsNewBeginsNow) {
  EXPECT_EQ(runs().Look("nightly")->covered, clock_.Now());
  const TimePoint first = clock_.Now();
  clock_.Advance(1h);
  Open();
  EXPECT_EQ(runs().Look("nightly")->covered, first) << "it is known since then";
  EXPECT_FALSE(Begin(first).has_value()) << "no time before is due";
}

TEST_F(ScheduleRunsTest, ADueTimeIsBegunOnceAndByOne) {
  ASSERT_TRUE(runs().Look("nightly").ok());
  clock_.Advance(1h);
  const TimePoint due = clock_.Now();
  const std::optional<ScheduleRun> run = Begin(due);
  ASSERT_TRUE(run.has_value());
  EXPECT_FALSE(Begin(due, "b").has_value());
  EXPECT_FALSE(Begin(due + 1min, "b").has_value()) << "one at a time";
  EXPECT_FALSE(*runs().End(run->id, "b", ScheduleRunState::kDone, "not mine"));
  EXPECT_TRUE(*runs().End(run->id, "a", ScheduleRunState::kDone, "fine"));
  EXPECT_FALSE(*runs().End(run->id, "a", ScheduleRunState::kFailed, "again"));
  EXPECT_FALSE(Begin(due).has_value());
  EXPECT_FALSE(runs().Look("nightly")->unended.has_value());
  EXPECT_EQ(runs().Look("nightly")->covered, due);
}

TEST_F(ScheduleRunsTest, ALeaseThatEndedIsTakenOverAndOneThatIsKeptIsNot) {
  clock_.Advance(1h);
  const TimePoint due = clock_.Now();
  const std::optional<ScheduleRun> run = Begin(due);
  clock_.Advance(kTestLease - 1s);
  EXPECT_TRUE(*runs().Renew(run->id, "a", kTestLease));
  clock_.Advance(kTestLease - 1s);
  EXPECT_FALSE(Begin(due, "b").has_value());
  clock_.Advance(2s);
  const std::optional<ScheduleRun> taken = Begin(due, "b");
  ASSERT_TRUE(taken.has_value());
  EXPECT_EQ(taken->id, run->id);
  EXPECT_EQ(taken->attempts, 2);
  EXPECT_FALSE(*runs().Renew(run->id, "a", kTestLease));
}

TEST_F(ScheduleRunsTest, WhatEndsTheDaemonEachTimeIsGivenUp) {
  clock_.Advance(1h);
  const TimePoint due = clock_.Now();
  for (int i = 0; i < kMaxScheduleAttempts; ++i) {
    EXPECT_TRUE(Begin(due).has_value());
    clock_.Advance(kTestLease + 1s);
  }
  EXPECT_FALSE(Begin(due).has_value());
  auto failed = runs().List({"nightly", true}, {});
  ASSERT_THAT(failed->items, SizeIs(1));
  EXPECT_THAT(failed->items[0].outcome, ::testing::HasSubstr("cut short 3 times"));
  // A clean end is no attempt.
  clock_.Advance(1h);
  for (int i = 0; i < 2 * kMaxScheduleAttempts; ++i) {
    const std::optional<ScheduleRun> run = Begin(due + 1h);
    ASSERT_TRUE(run.has_value());
    EXPECT_TRUE(runs().GiveBack(run->id, "a").ok());
  }
}

TEST_F(ScheduleRunsTest, PeopleAskForRuns) {
  const absl::StatusOr<ScheduleRun> asked = runs().Ask("nightly", "ops");
  ASSERT_TRUE(asked.ok()) << asked.status();
  EXPECT_EQ(runs().Ask("nightly", "ops").status().code(), absl::StatusCode::kFailedPrecondition);
  const ScheduleMark mark = *runs().Look("nightly");
  ASSERT_TRUE(mark.unended.has_value());
  const std::optional<ScheduleRun> run = Begin(mark.unended->due_at);
  ASSERT_TRUE(run.has_value());
  EXPECT_EQ(run->asked_by, "ops");
  EXPECT_EQ(runs().AskAgain(run->id, "ops").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(*runs().End(run->id, "a", ScheduleRunState::kTimedOut, "too slow"));
  EXPECT_EQ(*runs().CountFailed("nightly"), 1);
  EXPECT_TRUE(runs().AskAgain(run->id, "eve").ok());
  EXPECT_EQ(*runs().CountFailed("nightly"), 0);
  EXPECT_EQ(runs().AskAgain(4'711, "eve").status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(runs().Ask("", "ops").status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(ScheduleRunsTest, OldRunsGoAlsoThoseThatFailed) {
  ASSERT_TRUE(runs().Look("nightly").ok());
  const auto run = [&](ScheduleRunState state) {
    clock_.Advance(1min);
    const std::optional<ScheduleRun> begun = Begin(clock_.Now());
    ASSERT_TRUE(begun.has_value());
    EXPECT_TRUE(*runs().End(begun->id, "a", state, "over"));
  };
  for (int64_t i = 0; i < kKeptScheduleRuns + 2; ++i) {
    run(i % 2 == 0 ? ScheduleRunState::kFailed : ScheduleRunState::kTimedOut);
  }
  EXPECT_EQ(*runs().CountFailed("nightly"), kKeptScheduleRuns);
  run(ScheduleRunState::kDone);
  EXPECT_EQ(*runs().CountFailed("nightly"), kKeptScheduleRuns) << "runs that went well push none out";
}

TEST_F(ScheduleRunsTest, SubscriptionsAreKeptOnceAndTakenBack) {
  Subscription one{"slack", "C1", "github", "octo/repo", "gate", "ann", {}};
  EXPECT_TRUE(store_->subscriptions().Put(one).ok());
  one.repository = "Octo/Repo";
  one.language = "zh";
  EXPECT_TRUE(store_->subscriptions().Put(one).ok());
  one.topic = "findings";
  one.language.clear();
  EXPECT_TRUE(store_->subscriptions().Put(one).ok());
  Open();
  auto all = store_->subscriptions().List();
  ASSERT_THAT(*all, SizeIs(2));
  EXPECT_EQ((*all)[0].by, "ann");
  EXPECT_EQ((*all)[1].language, "zh") << "as it was asked for last";
  EXPECT_EQ((*all)[0].since, clock_.Now());
  one.topic = "gate";
  EXPECT_TRUE(store_->subscriptions().Remove(one).ok());
  EXPECT_TRUE(store_->subscriptions().Remove(one).ok());
  EXPECT_THAT(*store_->subscriptions().List(), SizeIs(1));
  one.channel = "\n";
  EXPECT_EQ(store_->subscriptions().Put(one).code(), absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace yardmaster::store
