// What the bridge makes of a message: its subject, its account, and what is in the way of writing.
#include "services/chat/platform_bridge.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "clients/chat/button.h"
#include "clients/chat/event_json.h"
#include "services/core/store/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ChatBridgeTest : public ::testing::Test {
 protected:
  ChatBridgeTest() {
    auto chat = std::make_shared<chat::ChatConfig>();
    chat::PlatformConfig& slack = chat->platforms["slack"];
    slack.api_url = "https://slack.com/api";
    slack.secrets.emplace("signing_secret", Secret("s3cret"));
    slack.secrets.emplace("bot_token", Secret("t0ken"));
    slack.users["U1"]["github"] = "alice";
    slack.channels["C9"] = {"github", "o/r", true};
    slack.channels["C7"] = {"github", "o/r", false};
    config_.chat = chat;
    store::StoreOptions options;
    options.data_dir = dir_.path() / "data";
    options.disk_floor_bytes = 1;
    options.single_threaded = true;
    store_ = *store::Store::Open(std::move(options), clock_, nullptr);
    chat->platforms["wecom"].channels["9"] = {"github", "o/r", true};
    Start();
  }
  // As after a start of the daemon.
  void Start() {
    links_ = *AccountLinks::Open(store_->chat_links(), clock_);
    bridge_ = std::make_unique<PlatformBridge>(
        PlatformBridge::Environment{config_, store_->inbox(), store_->ledger(), store_->subscriptions(),
                                    store_->chat_threads(), http_, clock_, *links_});
  }

  static chat::ChatEvent Said(const std::string& text, const std::string& user = "U1",
                              const std::string& channel = "C9") {
    chat::ChatEvent event;
    event.platform = "slack";
    event.id = "E1";
    event.channel = channel;
    event.user = user;
    event.message = "1.1";
    event.text = text;
    event.addressed = true;
    return event;
  }
  ChatAsked Read(const chat::ChatEvent& event, const store::Delivery& delivery = {}) {
    return bridge_->Read(delivery, chat::ToJson(event));
  }
  // An answer of ours as the platform gets it.
  nlohmann::json Sent(const v1::ChatMessage& message) {
    store::Effect effect;
    effect.key = "m-1";
    effect.subject.set_forge("github");
    effect.subject.set_repository("o/r");
    effect.subject.set_number(12);
    effect.subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
    effect.created_at = clock_.Now();
    *effect.action.mutable_chat_message() = message;
    http_.Answer(200, R"({"ok": true, "ts": "2.2"})");
    const absl::StatusOr<EffectObservation> sent = bridge_->Send(effect);
    EXPECT_TRUE(sent.ok()) << sent.status();
    EXPECT_EQ(sent->forge_ref, "2.2");
    return nlohmann::json::parse(http_.requests().back().body);
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  testing::FakeHttpClient http_;
  Config config_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<AccountLinks> links_;
  std::unique_ptr<PlatformBridge> bridge_;
};

TEST_F(ChatBridgeTest, TheChannelGivesTheRepositoryAndTheConfigurationTheAccount) {
  const ChatAsked asked = Read(Said("/why #12"));
  EXPECT_THAT(asked.ignored, IsEmpty());
  EXPECT_EQ(asked.event.subject().repository(), "o/r");
  EXPECT_EQ(asked.event.subject().number(), 12);
  EXPECT_EQ(asked.event.actor(), "alice");
  EXPECT_EQ(asked.event.chat().write_bar(), v1::ChatOrigin::WRITE_BAR_UNSPECIFIED);
  EXPECT_EQ(Read(Said("/why #12", "U2")).event.actor(), "slack:U2") << "no login has a colon";
  EXPECT_EQ(Read(Said("/why #12", "U2")).event.chat().write_bar(), v1::ChatOrigin::WRITE_BAR_NOBODY);
  EXPECT_EQ(Read(Said("/why #12", "U1", "C7")).event.chat().write_bar(), v1::ChatOrigin::WRITE_BAR_CHANNEL);
  EXPECT_THAT(Read(Said("/why #12", "U1", "C1")).ignored, HasSubstr("not configured"));
  chat::ChatEvent unproved = Said("/why #12");
  unproved.proved = false;
  const v1::Event event = Read(unproved).event;
  EXPECT_EQ(event.chat().write_bar(), v1::ChatOrigin::WRITE_BAR_UNPROVED);
  EXPECT_EQ(event.chat().login(), "");
  EXPECT_EQ(event.chat().claimed(), "alice");
  EXPECT_EQ(event.actor(), "slack:U1") << "nobody acts in the name of alice";
  EXPECT_FALSE(event.chat().open_answer()) << "the answer goes to the channel, by the API";
}

TEST_F(ChatBridgeTest, AnotherRepositoryIsOnlyRead) {
  const v1::ChatOrigin chat = Read(Said("/why x/y#3")).event.chat();
  EXPECT_TRUE(chat.other_repository());
  EXPECT_EQ(chat.write_bar(), v1::ChatOrigin::WRITE_BAR_CHANNEL);
  EXPECT_FALSE(Read(Said("/why O/R#3")).event.chat().other_repository()) << "the case of names does not matter";
}

TEST_F(ChatBridgeTest, AThreadKeepsItsSubjectAndADeliveryToo) {
  chat::ChatEvent later = Said("and why?");
  later.thread = "1.1";
  EXPECT_EQ(Read(later).event.subject().number(), 0);
  Read(Said("/why #12"));
  EXPECT_EQ(Read(later).event.subject().number(), 12);
  EXPECT_TRUE(Read(later).event.chat().recalled());
  EXPECT_FALSE(Read(Said("/why #12")).event.chat().recalled());
  Start();
  EXPECT_EQ(Read(later).event.subject().number(), 12) << "it is kept over a start";
  chat::ChatEvent other = Said("and why?");
  other.message = "2.2";
  EXPECT_EQ(Read(other).event.subject().number(), 0) << "a new thread";
  store::Delivery known;
  known.action = kRoutedFromChat;
  known.subject.set_forge("github");
  known.subject.set_repository("o/r");
  EXPECT_EQ(Read(later, known).event.subject().number(), 0) << "what it was about first";
}

TEST_F(ChatBridgeTest, WithoutThreadsAPersonGoesOnWithWhatTheyAskedAbout) {
  chat::ChatEvent first = Said("why 12", "U1", "9");
  first.platform = "wecom";
  chat::ChatEvent next = Said("and why?", "U1", "9");
  next.platform = "wecom";
  next.message = "2";
  chat::ChatEvent slash = Said("why 13");
  slash.message = "";
  chat::ChatEvent next_slash = Said("and why?");
  next_slash.message = "";
  for (const auto& [named, later] : {std::pair(first, next), std::pair(slash, next_slash)}) {
    EXPECT_EQ(Read(later).event.subject().number(), 0);
    const int64_t number = Read(named).event.subject().number();
    EXPECT_EQ(Read(later).event.subject().number(), number);
    chat::ChatEvent somebody = later;
    somebody.user = "U2";
    EXPECT_EQ(Read(somebody).event.subject().number(), 0) << "somebody else's";
    clock_.Advance(std::chrono::minutes(31));
    EXPECT_EQ(Read(later).event.subject().number(), 0) << "long ago";
  }
}

TEST_F(ChatBridgeTest, AMessageIsChangedInPlaceAndNoOftenerThanPeopleRead) {
  v1::ChatMessage message;
  message.set_platform("slack");
  message.set_channel("C9");
  message.set_body("Working.");
  message.set_cause("c");
  message.set_changes(true);
  const auto note = [&](const v1::ChatMessage& one, const std::string& ref) {
    v1::Action action;
    *action.mutable_chat_message() = one;
    v1::Subject subject;
    subject.set_forge("github");
    subject.set_repository("o/r");
    const auto intent = store_->ledger().Intent({ChatMessageKey(one), subject, "chat_message", action, "", 0});
    ASSERT_TRUE(intent.ok());
    ASSERT_TRUE(store_->ledger().Sending(intent->id).ok());
    ASSERT_TRUE(store_->ledger().MarkConfirmed(intent->id, ref).ok());
  };
  const auto effect_of = [&](int64_t revision) {
    message.set_revision(revision);
    store::Effect effect;
    effect.key = ChatMessageKey(message);
    effect.created_at = clock_.Now();
    *effect.action.mutable_chat_message() = message;
    return effect;
  };
  note(message, "1.1");
  message.set_body("Done.");
  http_.Answer(200, R"({"ok": true, "ts": "1.1"})");
  auto sent = bridge_->Send(effect_of(kAnswerForm));
  ASSERT_TRUE(sent.ok()) << sent.status() << " the answer waits for nothing";
  EXPECT_EQ(sent->forge_ref, "1.1");
  EXPECT_THAT(http_.requests().back().url, HasSubstr("chat.update"));
  // It was changed: what comes after it waits.
  message.set_revision(kAnswerForm + 1);
  note(message, "1.1");
  const store::Effect effect = effect_of(kAnswerForm + 2);
  clock_.Advance(std::chrono::seconds(2));
  EXPECT_EQ(bridge_->Send(effect).status().code(), absl::StatusCode::kResourceExhausted) << "a moment ago";
  EXPECT_THAT(http_.requests(), SizeIs(1));
  clock_.Advance(std::chrono::seconds(4));
  http_.Answer(429, "", {{"Retry-After", "30"}});
  EXPECT_FALSE(bridge_->Send(effect).ok());
  clock_.Advance(std::chrono::seconds(20));
  EXPECT_EQ(bridge_->Send(effect).status().code(), absl::StatusCode::kResourceExhausted)
      << "the platform asks for that";
  EXPECT_THAT(http_.requests(), SizeIs(2));
  clock_.Advance(std::chrono::seconds(11));
  http_.Answer(200, R"({"ok": true, "ts": "1.1"})");
  sent = bridge_->Send(effect);
  ASSERT_TRUE(sent.ok()) << sent.status();
  EXPECT_THAT(http_.requests().back().url, HasSubstr("chat.update"));
  // A platform that does not let us gets another message.
  clock_.Advance(std::chrono::seconds(6));
  http_.Answer(200, R"({"ok": false, "error": "cant_update_message"})");
  http_.Answer(200, R"({"ok": true, "ts": "2.2"})");
  sent = bridge_->Send(effect);
  ASSERT_TRUE(sent.ok()) << sent.status();
  EXPECT_EQ(sent->forge_ref, "2.2");
  EXPECT_THAT(http_.requests().back().url, HasSubstr("chat.postMessage"));
}

TEST_F(ChatBridgeTest, WhatThePlatformAsksForIsKeptForTheChannel) {
  v1::ChatMessage message;
  message.set_platform("slack");
  message.set_channel("C9");
  message.set_body("One.");
  store::Effect effect;
  effect.key = "m-1";
  *effect.action.mutable_chat_message() = message;
  http_.Answer(429, "", {{"Retry-After", "30"}});
  EXPECT_FALSE(bridge_->Send(effect).ok());
  clock_.Advance(std::chrono::seconds(20));
  EXPECT_EQ(bridge_->Send(effect).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(http_.requests(), SizeIs(1)) << "nothing is said meanwhile";
  clock_.Advance(std::chrono::seconds(11));
  Sent(message);
}

TEST_F(ChatBridgeTest, AButtonSaysWhatWeSignedForAnHourAndThatChannel) {
  v1::ChatMessage message;
  message.set_platform("slack");
  message.set_channel("C9");
  message.set_body("Sure?");
  v1::ChatButton& yes = *message.add_buttons();
  yes.set_label("Confirm");
  yes.set_says("/yes");
  yes.set_chinese(true);
  const nlohmann::json body = Sent(message);
  chat::ChatEvent press = Said("");
  press.kind = chat::ChatEvent::Kind::kAction;
  press.action = body["blocks"].back()["elements"][0]["value"];
  const ChatAsked asked = Read(press);
  EXPECT_THAT(asked.ignored, IsEmpty());
  EXPECT_EQ(asked.event.text(), "/yes");
  EXPECT_EQ(asked.event.chat().button(), "m-1.0");
  EXPECT_TRUE(asked.event.chat().chinese()) << "it goes on in the language of the question";
  EXPECT_EQ(asked.event.subject().number(), 12);
  EXPECT_EQ(asked.event.subject().kind(), v1::SUBJECT_KIND_PULL_REQUEST);
  press.channel = "C7";
  EXPECT_THAT(Read(press).ignored, HasSubstr("not ours"));
  press.channel = "C9";
  clock_.Advance(std::chrono::hours(1));
  EXPECT_THAT(Read(press).ignored, HasSubstr("its hour is over"));
  press.action = "forged";
  EXPECT_THAT(Read(press).ignored, HasSubstr("not ours"));
}

TEST_F(ChatBridgeTest, AnOfferedLineThatAPersonTypesGoesOnInTheLanguageOfTheQuestion) {
  const auto offer = [this](const std::string& key, const std::string& says, bool chinese) {
    store::NewEffect effect;
    effect.key = key;
    effect.kind = kChatMessageKind;
    effect.subject.set_forge("github");
    effect.subject.set_repository("o/r");
    effect.subject.set_number(12);
    effect.subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
    v1::ChatMessage& message = *effect.action.mutable_chat_message();
    message.set_platform("slack");
    message.set_channel("C9");
    message.set_body("…");
    v1::ChatButton& button = *message.add_buttons();
    button.set_says(says);
    button.set_chinese(chinese);
    ASSERT_TRUE(store_->ledger().Intent(effect).ok());
  };
  const auto chinese = [this](const std::string& text, const std::string& channel = "C9") {
    return Read(Said(text, "U1", channel)).event.chat().chinese();
  };
  EXPECT_FALSE(chinese("/squash #12"));
  offer("m-1", "/squash #12", true);
  offer("m-2", "/review #12", false);
  EXPECT_TRUE(chinese(" /squash #12 "));
  EXPECT_FALSE(chinese("/review #12")) << "asked in English";
  EXPECT_FALSE(chinese("/squash #13")) << "nobody asked about that one";
  EXPECT_FALSE(chinese("/squash #12", "C7")) << "asked elsewhere";
  offer("m-3", "/squash #12", false);
  EXPECT_FALSE(chinese("/squash #12")) << "the newest question counts";
  offer("m-4", "/squash #12", true);
  clock_.Advance(std::chrono::minutes(61));
  EXPECT_FALSE(chinese("/squash #12")) << "that was long ago";
}

TEST_F(ChatBridgeTest, AConversationWithTheBotAloneHasADefaultRepositoryWhereOneIsConfigured) {
  chat::ChatEvent said = Said("/why #12", "U1", "D1");
  said.direct = true;
  EXPECT_THAT(Read(said).ignored, HasSubstr("not configured"));
  auto chat = std::make_shared<chat::ChatConfig>(*config_.chat);
  chat->platforms["slack"].direct = {"github", "o/direct", true};
  config_.chat = chat;
  bridge_->ReplaceSettings(config_);
  EXPECT_EQ(Read(said).event.subject().repository(), "o/direct");
  EXPECT_EQ(Read(said).event.chat().write_bar(), v1::ChatOrigin::WRITE_BAR_UNSPECIFIED);
  said.direct = false;
  EXPECT_THAT(Read(said).ignored, HasSubstr("not configured")) << "a channel that nobody named";
  // A press does not say where it is: the button knows.
  v1::ChatMessage message;
  message.set_platform("slack");
  message.set_channel("D1");
  message.set_direct(true);
  message.set_body("Sure?");
  v1::ChatButton& yes = *message.add_buttons();
  yes.set_label("Confirm");
  yes.set_says("/yes");
  chat::ChatEvent press = Said("", "U1", "D1");
  press.kind = chat::ChatEvent::Kind::kAction;
  press.action = Sent(message)["blocks"].back()["elements"][0]["value"];
  EXPECT_EQ(Read(press).event.text(), "/yes");
  EXPECT_TRUE(Read(press).event.chat().direct()) << "and so do the buttons of its answer";
}

TEST_F(ChatBridgeTest, AButtonOfAnOlderDaemonWorksUntilItsHourIsOver) {
  chat::ChatEvent press = Said("");
  press.kind = chat::ChatEvent::Kind::kAction;
  press.action = chat::SignButton("s3cret", R"(["C9","github","octo/repo",2,12,"/yes","m-1.0"])",
                                  clock_.Now() + chat::kButtonLife);
  const ChatAsked asked = Read(press);
  EXPECT_EQ(asked.event.text(), "/yes");
  EXPECT_FALSE(asked.event.chat().chinese());
}

TEST_F(ChatBridgeTest, AChannelGetsNoMoreThanThePlatformTakes) {
  v1::ChatMessage message;
  message.set_platform("slack");
  message.set_channel("C9");
  message.set_body("One.");
  Sent(message);
  store::Effect second;
  *second.action.mutable_chat_message() = message;
  EXPECT_EQ(bridge_->Send(second).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(http_.requests(), SizeIs(1)) << "nothing was sent";
  clock_.Advance(std::chrono::seconds(1));
  Sent(message);
}

}  // namespace
}  // namespace yardmaster
