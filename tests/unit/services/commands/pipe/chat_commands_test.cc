// Commands from chat in the whole pipe, in one thread: what a message may not do is not done whatever its plan holds,
// and a death anywhere leads to one write and one answer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "services/commands/pipe/subscription_handlers.h"
#include "services/intake/chat_bridge.h"
#include "tests/unit/services/commands/pipe/command_world.h"

namespace yardmaster {
namespace {

using commands::CommandResult;
using commands::CommandRun;
using ::testing::Contains;
using ::testing::HasSubstr;
using testing::kRepository;
using ::testing::Not;
using ::testing::SizeIs;

// A platform that shows what was said to it, and a message that says what a test wants.
class FakeChatBridge final : public ChatBridge {
 public:
  explicit FakeChatBridge(testing::Point& point) : point_(point) {}

  bool IsPlatform(std::string_view name) const override { return name == "slack"; }
  ChatAsked Read(const store::Delivery& delivery, std::string_view body) override {
    ChatAsked asked{said, ""};
    asked.event.set_id(delivery.delivery_id);
    asked.event.set_text(std::string(body));
    return asked;
  }
  absl::StatusOr<EffectObservation> Send(const store::Effect& effect) override {
    point_();
    messages.emplace_back(effect.key, effect.action.chat_message().body());
    point_();
    return EffectObservation::Seen("1.1");
  }
  absl::StatusOr<EffectObservation> ReadBack(const store::Effect& effect) override {
    for (const auto& [key, text] : messages) {
      if (key == effect.key) return EffectObservation::Seen("1.1");
    }
    return EffectObservation{};
  }
  bool CanChange(std::string_view) const override { return true; }
  absl::Status Subscribe(const store::Effect& effect) override {
    subscribed.insert(effect.action.chat_subscription().topic());
    return absl::OkStatus();
  }
  absl::Status Link(const store::Effect&) override { return absl::OkStatus(); }
  absl::StatusOr<std::vector<store::Subscription>> Subscriptions() override {
    return std::vector<store::Subscription>();
  }

  v1::Event said;
  std::vector<std::pair<std::string, std::string>> messages;  // key, text
  std::set<std::string> subscribed;

 private:
  testing::Point& point_;
};

class ChatWorld : public testing::CommandWorld {
 public:
  // `handlers`: of the commands; empty: those that are shipped.
  explicit ChatWorld(commands::CommandHandlers handlers = {}) : bridge(point_) {
    if (!handlers.empty()) {
      const auto planner = std::make_shared<commands::CommandPlanner>(
          commands::CommandEnvironment{config_, nullptr, nullptr, std::move(handlers)});
      command_planner_ = planner;
      command_parser_ = planner;
    }
    chat_ = &bridge;
    v1::Event& event = bridge.said;
    event.set_origin(v1::Event::ORIGIN_COMMAND);
    event.set_kind(v1::Event::KIND_COMMENTED);
    event.set_actor("maria");
    event.set_text_author("maria");
    event.mutable_subject()->set_forge("github");
    event.mutable_subject()->set_repository(kRepository);
    event.mutable_subject()->set_kind(v1::SUBJECT_KIND_ISSUE);
    event.mutable_subject()->set_number(1);
    event.mutable_chat()->set_platform("slack");
    event.mutable_chat()->set_channel("C9");
    event.mutable_chat()->set_user("U1");
    event.mutable_chat()->set_login("maria");
    forge_.Open(kRepository, 1, "socket", "x", {});
    Boot();
  }

  void Say(const std::string& text) {
    store::NewDelivery delivery;
    delivery.forge = "slack";
    delivery.delivery_id = "said-" + std::to_string(++delivery_ids_);
    delivery.event = "message";
    // No two deliveries of a platform have the same bytes.
    delivery.body = text + std::string(static_cast<size_t>(delivery_ids_), '\n');
    EXPECT_TRUE(store_->inbox().AddAndWait(std::move(delivery)).ok());
  }
  std::string LastMessage() const { return bridge.messages.empty() ? "" : bridge.messages.back().second; }

  FakeChatBridge bridge;
};

TEST(ChatCommands, WhatMayNotWriteIsNotCarriedOutWhateverAHandlerPlans) {
  // A handler that heeds nothing, of a command that is for reading.
  const auto careless = [](const CommandRun& run) -> absl::StatusOr<CommandResult> {
    run.plan.add_actions()->mutable_add_labels()->add_labels("question");
    run.plan.mutable_actions(0)->mutable_add_labels()->set_command("c");
    run.plan.add_actions()->mutable_chat_subscription()->set_topic("gate");
    run.plan.mutable_actions(1)->mutable_chat_subscription()->set_platform("slack");
    run.plan.mutable_actions(1)->mutable_chat_subscription()->set_channel("C9");
    run.plan.mutable_actions(1)->mutable_chat_subscription()->set_cause("c");
    CommandResult out;
    out.text = "looked";
    out.outcome = "done";
    return out;
  };
  for (const v1::ChatOrigin::WriteBar bar :
       {v1::ChatOrigin::WRITE_BAR_CHANNEL, v1::ChatOrigin::WRITE_BAR_NOBODY, v1::ChatOrigin::WRITE_BAR_UNPROVED,
        v1::ChatOrigin::WRITE_BAR_UNSPECIFIED}) {
    ChatWorld world({{"why", careless}});
    world.bridge.said.mutable_chat()->set_write_bar(bar);
    world.Say("/why");
    world.Run();
    EXPECT_THAT(world.LastMessage(), HasSubstr("looked"));
    const bool free = bar == v1::ChatOrigin::WRITE_BAR_UNSPECIFIED;
    EXPECT_EQ(world.Labels(1).contains("question"), free) << v1::ChatOrigin::WriteBar_Name(bar);
    EXPECT_EQ(world.bridge.subscribed.contains("gate"), free) << v1::ChatOrigin::WriteBar_Name(bar);
    world.ExpectSettled();
  }
}

TEST(ChatCommands, AnUnprovedMessageIsPlannedForTheAccountThatItNamesAndWaitsForACode) {
  ChatWorld world;
  v1::ChatOrigin& chat = *world.bridge.said.mutable_chat();
  chat.clear_login();
  chat.set_unproved(true);
  chat.set_claimed("maria");
  chat.set_write_bar(v1::ChatOrigin::WRITE_BAR_UNPROVED);
  world.bridge.said.set_actor("slack:U1");
  world.bridge.said.set_text_author("slack:U1");
  world.Say("/label question");
  world.Run();
  EXPECT_THAT(world.LastMessage(), HasSubstr("nothing is done yet"));
  EXPECT_THAT(world.LastMessage(), HasSubstr("adds `question`"));
  EXPECT_THAT(world.Labels(1), Not(Contains("question")));
  const size_t at = world.LastMessage().find("`/yes ");
  ASSERT_NE(at, std::string::npos) << world.LastMessage();
  const std::string yes = world.LastMessage().substr(at + 1, 13);
  world.Comment(1, "maria", "/yes");
  world.Run();
  EXPECT_THAT(world.Labels(1), Not(Contains("question"))) << "another yes";
  world.Comment(1, "bob", yes);
  world.Run();
  EXPECT_THAT(world.Labels(1), Not(Contains("question"))) << "somebody else's yes";
  world.Comment(1, "maria", yes);
  world.Run();
  EXPECT_THAT(world.Labels(1), Contains("question"));
  EXPECT_THAT(world.bridge.messages, SizeIs(1)) << "the rest was said on the forge";
}

TEST(ChatCommands, AButtonWorksOnceForEachPerson) {
  ChatWorld world;
  world.bridge.said.mutable_chat()->set_button("m-1.0");
  world.Say("/label question");
  world.Run();
  EXPECT_THAT(world.LastMessage(), HasSubstr("added"));
  world.Say("/label question");
  world.Run();
  EXPECT_THAT(world.LastMessage(), HasSubstr("used already"));
  world.bridge.said.mutable_chat()->set_button("m-1.1");
  world.Say("/label question");
  world.Run();
  EXPECT_THAT(world.LastMessage(), HasSubstr("there already"));
  EXPECT_THAT(world.bridge.messages, SizeIs(3));
}

TEST(ChatCommands, AButtonOfAnAnswerInChineseIsAnsweredInChinese) {
  ChatWorld world;
  world.bridge.said.mutable_chat()->set_button("m-1.0");
  world.bridge.said.mutable_chat()->set_chinese(true);
  world.Say("/label question");
  world.Run();
  EXPECT_THAT(world.LastMessage(), HasSubstr("已添加"));
  world.Say("/label question");
  world.Run();
  EXPECT_THAT(world.LastMessage(), HasSubstr("已经用过"));
}

TEST(ChatCommands, WhoSubscribesToAGateThatNothingIsKnownOfIsToldSo) {
  for (const bool known : {true, false}) {
    ChatWorld world(commands::SubscriptionHandlers([known](const v1::Subject& repository) {
      EXPECT_EQ(repository.repository(), kRepository);
      return known;
    }));
    const auto warns = [&] {
      EXPECT_THAT(world.bridge.subscribed, Contains("gate"));
      return world.LastMessage().find("`pipeline.json`") != std::string::npos;
    };
    world.Say("/yard subscribe sweeps");
    world.Run();
    EXPECT_THAT(world.LastMessage(), AllOf(HasSubstr("is told of"), Not(HasSubstr("pipeline.json"))));
    world.Say("/yard subscribe gate, sweeps");
    world.Run();
    EXPECT_EQ(warns(), !known);
    world.Say("/yard subscribe gate --lang zh");
    world.Run();
    EXPECT_EQ(warns(), !known);
    world.Say("/yard unsubscribe gate");
    world.Run();
    EXPECT_FALSE(warns());
  }
}

TEST(ChatCommands, HelpInChatListsWhatMayBeSaidThere) {
  ChatWorld world;
  world.Say("/help");
  world.Run();
  // The thread is an issue: people name another one behind a command.
  for (const char* command : {"/yard subscribe", "/review", "/squash", "/test", "/label"}) {
    EXPECT_THAT(world.LastMessage(), HasSubstr(command));
  }
  world.Comment(1, "maria", "/help");
  world.Run();
  EXPECT_THAT(world.OnlyAnswer(1), AllOf(HasSubstr("/label"), Not(HasSubstr("/yard subscribe"))));
}

TEST(ChatCommands, DeathAtAnyPointLeavesOneWriteAndOneAnswer) {
  int64_t points = 0;
  {
    ChatWorld world;
    world.Say("/label question");
    world.Run();
    points = world.points_;
    EXPECT_THAT(world.bridge.messages, SizeIs(1));
  }
  ASSERT_GT(points, 5);
  for (int64_t die_at = 1; die_at <= points; die_at += 3) {
    ChatWorld world;
    world.Say("/label question");
    EXPECT_EQ(world.Run(die_at), 1) << die_at;
    EXPECT_THAT(world.bridge.messages, SizeIs(1)) << die_at;
    EXPECT_THAT(world.LastMessage(), HasSubstr("added")) << die_at;
    EXPECT_THAT(world.Labels(1), Contains("question")) << die_at;
    world.ExpectSettled();
  }
}

TEST(ChatCommands, AnAnswerNamesWhatItIsAboutWhereNobodyDid) {
  ChatWorld world;
  world.bridge.said.mutable_chat()->set_recalled(true);
  world.Say("/why");
  world.Run();
  EXPECT_THAT(world.LastMessage(), HasSubstr("(about `octo/repo#\u20601`)"));
}

}  // namespace
}  // namespace yardmaster
