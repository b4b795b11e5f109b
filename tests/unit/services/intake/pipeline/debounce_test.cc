// Events that replace each other, and work that goes on outside of the pipe's threads.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "tests/unit/services/intake/world.h"

namespace yardmaster {
namespace {

struct LongText final : LongResult {
  explicit LongText(std::string t) : text(std::move(t)) {}
  std::string text;
};

// Plans every event, after a wait and with long work.
class WaitingPlanner final : public Planner {
 public:
  std::string_view name() const override { return "waiting"; }
  bool Handles(v1::SubjectKind, const rules::PackModel&) const override { return true; }
  TriggerResult TriggerFor(const RoutedEvent&, const rules::PackModel&,
                           const std::vector<std::string>*) const override {
    return {Trigger::kPlan, {}, debounce};
  }
  std::string_view SkipReason(const PlanInput&) const override { return {}; }
  std::string Digest(const PlanInput& input) const override { return input.event.id(); }
  absl::Status Plan(const PlanInput& input, v1::Plan& plan) const override {
    ++asked;
    LongWork work;
    work.key = input.event.id();
    work.read = [this] { return read; };
    work.compute = [this, id = input.event.id()]() -> absl::StatusOr<LongResultPtr> {
      ++computed;
      return std::make_shared<const LongText>(id);
    };
    work.afterwards = [this] { after_computed.push_back(computed); };
    const absl::StatusOr<LongResultPtr> done = input.view.Await(work);
    if (!done.ok()) return done.status();
    v1::StepOutcome& step = *plan.mutable_explanation()->add_steps();
    step.set_id("result");
    step.set_why(static_cast<const LongText&>(**done).text);
    return absl::OkStatus();
  }

  std::chrono::milliseconds debounce{5'000};
  absl::Status read;
  mutable int asked = 0;
  mutable int computed = 0;
  mutable std::vector<int> after_computed;
};

class DebounceTest : public ::testing::Test {
 protected:
  DebounceTest() {
    world_.planner_ = waiting_;
    world_.Boot();
    world_.forge_.Open(testing::kRepository, 1, "title", "body", {});
    world_.forge_.Open(testing::kRepository, 2, "title", "body", {});
  }
  // What there is to do now.
  void WorkNow() {
    while (world_.pipeline_->RunOne()) {
    }
  }
  std::shared_ptr<WaitingPlanner> waiting_ = std::make_shared<WaitingPlanner>();
  testing::World world_;
};

TEST_F(DebounceTest, ALaterEventTakesThePlaceOfOneThatWaits) {
  const int64_t first = world_.Opened(1);
  const int64_t other = world_.Opened(2);
  WorkNow();
  EXPECT_EQ(waiting_->asked, 0);
  world_.clock_.Advance(std::chrono::seconds(4));
  const int64_t second = world_.Opened(1);
  WorkNow();
  EXPECT_EQ(world_.StateOf(first), "ignored (superseded)");
  EXPECT_EQ(world_.StateOf(second), "received");
  world_.clock_.Advance(std::chrono::seconds(2));
  WorkNow();
  EXPECT_EQ(world_.StateOf(other), "done");
  EXPECT_EQ(world_.StateOf(second), "received") << "its own five seconds count";
  world_.Run();
  EXPECT_EQ(world_.StateOf(second), "done");
  EXPECT_EQ(waiting_->computed, 2);
  world_.ExpectSettled();
}

// GitHub names no pull request in what it says of checks of a fork.
TEST_F(DebounceTest, ARerunOfACheckFindsItsPullRequestByTheHead) {
  waiting_->debounce = {};
  const std::string head(40, 'a');
  std::string asked;
  bool broken = true;
  world_.find_pull_ = [&](const v1::Subject& repository, std::string_view commit) -> absl::StatusOr<int64_t> {
    if (broken) return absl::UnavailableError("the store is busy");
    asked = repository.repository() + "@" + std::string(commit);
    return commit == head ? 2 : 0;
  };
  world_.Boot();
  const auto rerun = [&](const std::string& commit) {
    return world_.Deliver("check_run", {{"action", "rerequested"},
                                        {"check_run", {{"name", kReviewCheckName}, {"head_sha", commit}}},
                                        {"repository", {{"full_name", testing::kRepository}}},
                                        {"sender", {{"login", "alice"}, {"type", "User"}}}});
  };
  const int64_t known = rerun(head);
  for (int i = 0; i < 5; ++i) world_.pipeline_->RunOne();
  EXPECT_EQ(world_.StateOf(known), "received") << "nothing is lost while nobody can say";
  broken = false;
  world_.Run();
  // Of this forge the number is an issue's: it was looked at.
  EXPECT_EQ(world_.StateOf(known), "ignored (no-planner: the number is an issue's)");
  EXPECT_EQ(asked, std::string(testing::kRepository) + "@" + head);
  const int64_t unknown = rerun(std::string(40, 'b'));
  world_.Run();
  EXPECT_EQ(world_.StateOf(unknown), "ignored (no-planner)");
  world_.ExpectSettled();
}

TEST_F(DebounceTest, WhatWaitedIsWorkedOnAfterARestart) {
  const int64_t first = world_.Opened(1);
  WorkNow();
  world_.Boot();
  world_.Run();
  EXPECT_EQ(world_.StateOf(first), "done");
  world_.ExpectSettled();
}

TEST_F(DebounceTest, ThePlanIsMadeAgainWhenItsLongWorkIsDone) {
  waiting_->debounce = {};
  const int64_t id = world_.Opened(1);
  world_.Run();
  EXPECT_EQ(world_.StateOf(id), "done");
  EXPECT_EQ(waiting_->asked, 2);
  EXPECT_EQ(waiting_->computed, 1);
  EXPECT_EQ(waiting_->after_computed, std::vector<int>{1}) << "once, when there is a result";
  const auto decision = world_.store_->decisions().Latest(SubjectOf("github", {testing::kRepository, 1, false}));
  v1::Plan plan;
  ASSERT_TRUE(plan.ParseFromString((*decision)->plan));
  EXPECT_TRUE(plan.explanation().steps(0).why().starts_with("delivery-")) << "the event that asked for the work";
}

TEST_F(DebounceTest, LongWorkThatFailsFailsThePlan) {
  waiting_->debounce = {};
  waiting_->read = absl::InternalError("no such thing");
  const int64_t id = world_.Opened(1);
  world_.Run();
  EXPECT_EQ(world_.StateOf(id), "failed (planning-failed: no such thing)");
  EXPECT_EQ(waiting_->computed, 0);
  EXPECT_TRUE(waiting_->after_computed.empty());
  world_.ExpectSettled();
}

}  // namespace
}  // namespace yardmaster
