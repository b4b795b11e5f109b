// Commands that rewrite something, and the yes that they wait for: through the whole pipe, on a clock of its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "services/commands/pipe/workflow_handlers.h"
#include "services/core/reasons.h"
#include "tests/unit/services/commands/pipe/command_world.h"

namespace yardmaster::commands {
namespace {

using std::chrono::minutes;
using ::testing::HasSubstr;
using yardmaster::testing::CommandWorld;
using yardmaster::testing::kRepository;
using yardmaster::testing::MemoryForge;

constexpr const char* kTopic = "refs/heads/topic";
constexpr const char* kSentence = "@yardbot squash this PR into one commit";

std::string Id(char digit) { return std::string(40, digit); }

// Moves one branch, and remembers what was asked of it.
class OneBranchPlanner final : public Planner {
 public:
  explicit OneBranchPlanner(std::string& head) : head_(head) {}
  std::string_view name() const override { return "workflow"; }
  bool Handles(v1::SubjectKind kind, const rules::PackModel&) const override {
    return kind == v1::SUBJECT_KIND_PULL_REQUEST;
  }
  TriggerResult TriggerFor(const RoutedEvent&, const rules::PackModel&,
                           const std::vector<std::string>*) const override {
    return {Trigger::kNone, reasons::kNoTrigger};
  }
  std::string_view SkipReason(const PlanInput&) const override { return {}; }
  std::string Digest(const PlanInput& input) const override { return input.event.id(); }
  absl::Status Plan(const PlanInput& input, v1::Plan& plan) const override {
    Add("commits", "2", plan);
    Add("stands-on", head_, plan);
    if (!input.asked.stands_on.empty() && input.asked.stands_on != head_) {
      Add("refused", "changed", plan);
      Add("why", "#1", plan);
      return absl::OkStatus();
    }
    if (input.asked.preview) return absl::OkStatus();
    v1::PushRef& push = *plan.add_actions()->mutable_push_ref();
    push.set_repository(kRepository);
    push.set_ref(kTopic);
    push.set_old_id(head_);
    push.set_new_id(Id('b'));
    push.set_cause(input.asked.cause);
    return absl::OkStatus();
  }

 private:
  static void Add(const std::string& id, const std::string& why, v1::Plan& plan) {
    v1::StepOutcome& step = *plan.mutable_explanation()->add_steps();
    step.set_id(id);
    step.set_taken(true);
    step.set_why(why);
  }
  std::string& head_;
};

class ConfirmationTest : public ::testing::Test {
 protected:
  ConfirmationTest() {
    world_.planner_ = std::make_shared<OneBranchPlanner>(Head());
    CommandHandlers handlers = ShippedHandlers();
    handlers.merge(WorkflowHandlers());
    const auto phrases = yardmaster::testing::SharedPhrases();
    const auto planner = std::make_shared<CommandPlanner>(CommandEnvironment{
        world_.config_, nullptr, [phrases](std::string_view) { return phrases; }, std::move(handlers)});
    world_.command_planner_ = planner;
    world_.command_parser_ = planner;
    world_.Boot();
    world_.forge_.Open(kRepository, 1, "A change", "x", {}).issue.pull_request = true;
    ForgePull& pull = world_.forge_.pulls[{kRepository, 1}];
    pull.number = 1;
    pull.head_repository = kRepository;
    pull.head_ref = "topic";
    pull.base_ref = "main";
  }
  std::string& Head() { return world_.git_.refs[kRepository][kTopic]; }
  // The bot's answer to what somebody writes.
  std::string Say(const std::string& user, const std::string& text) {
    const size_t before = world_.Answers(1).size();
    MemoryForge::Issue& issue = world_.forge_.At(kRepository, 1);
    world_.Comment(1, user, text);
    world_.Run();
    EXPECT_EQ(world_.Answers(1).size(), before + 1) << text;
    for (auto comment = issue.comments.rbegin(); comment != issue.comments.rend(); ++comment) {
      if (comment->author.login == "yardbot") return comment->body;
    }
    return "";
  }
  void Confirm(ConfirmCommands which) { world_.config_.repositories.front().commands.confirm = which; }

  CommandWorld world_;
  const bool begun_ = [this] {
    Head() = Id('a');
    return true;
  }();
};

TEST_F(ConfirmationTest, ASentenceIsDoneAfterTheSamePersonsYes) {
  EXPECT_THAT(Say("alice", kSentence), HasSubstr("nothing is done yet"));
  EXPECT_EQ(Head(), Id('a'));
  EXPECT_THAT(Say("maria", "/yes"), HasSubstr("no command of yours"));
  EXPECT_EQ(Head(), Id('a'));
  EXPECT_THAT(Say("alice", "/yes"), HasSubstr("2 commits into one"));
  EXPECT_EQ(Head(), Id('b'));
  EXPECT_THAT(Say("alice", "/yes"), HasSubstr("no command of yours"));
  EXPECT_EQ(world_.git_.moves, 1);
}

TEST_F(ConfirmationTest, WhatWasAskedForInChineseIsToldInChinese) {
  EXPECT_THAT(Say("alice", "@yardbot 把这个 PR 的提交压缩成一个"), HasSubstr("压缩"));
  EXPECT_EQ(Head(), Id('a'));
  EXPECT_THAT(Say("alice", "/yes"), HasSubstr("压成一个"));
  EXPECT_EQ(Head(), Id('b'));
}

TEST_F(ConfirmationTest, AYesCountsForAnHour) {
  Say("alice", kSentence);
  world_.clock_.Advance(minutes(61));
  EXPECT_THAT(Say("alice", "/yes"), HasSubstr("more than an hour old"));
  EXPECT_EQ(Head(), Id('a'));
  Say("alice", kSentence);
  world_.clock_.Advance(minutes(58));
  EXPECT_THAT(Say("alice", "/yes"), HasSubstr("2 commits into one"));
  EXPECT_EQ(Head(), Id('b'));
}

TEST_F(ConfirmationTest, CommitsThatWerePushedSinceAreNotInWhatWasConfirmed) {
  Say("alice", kSentence);
  Head() = Id('c');
  EXPECT_THAT(Say("alice", "/yes"), HasSubstr("has changed since that was shown"));
  EXPECT_EQ(Head(), Id('c'));
  // That yes is used up.
  EXPECT_THAT(Say("alice", "/yes"), HasSubstr("no command of yours"));
  EXPECT_EQ(world_.git_.moves, 0);
}

TEST_F(ConfirmationTest, TheLatestSentenceIsTheOneThatWaits) {
  Say("alice", kSentence);
  Head() = Id('c');
  Say("alice", kSentence);
  EXPECT_THAT(Say("alice", "/yes"), HasSubstr("2 commits into one"));
  EXPECT_EQ(Head(), Id('b'));
}

TEST_F(ConfirmationTest, ASlashIsEnoughUnlessTheOperatorWantsMore) {
  EXPECT_THAT(Say("alice", "/squash"), HasSubstr("2 commits into one"));
  EXPECT_EQ(Head(), Id('b'));
  Head() = Id('a');
  Confirm(ConfirmCommands::kAlways);
  EXPECT_THAT(Say("alice", "/squash -m 'fix: one'"), HasSubstr("nothing is done yet"));
  EXPECT_EQ(Head(), Id('a'));
  EXPECT_THAT(Say("alice", "/yes"), HasSubstr("2 commits into one"));
  EXPECT_EQ(Head(), Id('b'));
}

TEST_F(ConfirmationTest, ASentenceIsEnoughWhereTheOperatorWantsNone) {
  Confirm(ConfirmCommands::kNever);
  EXPECT_THAT(Say("alice", kSentence), HasSubstr("2 commits into one"));
  EXPECT_EQ(Head(), Id('b'));
}

}  // namespace
}  // namespace yardmaster::commands
