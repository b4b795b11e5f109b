// What the desk makes of a message: its subject, its account, and what is in the way of writing.
#include "services/chat/chat_desk.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <nlohmann/json.hpp>

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

class ChatDeskTest : public ::testing::Test {
 protected:
  ChatDeskTest() {
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
    desk_ = std::make_unique<PlatformDesk>(config_, store_->inbox(), store_->ledger(), store_->subscriptions(), http_,
                                           clock_);
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
    return desk_->Read(delivery, chat::ToJson(event));
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
    const absl::StatusOr<EffectObservation> sent = desk_->Send(effect);
    EXPECT_TRUE(sent.ok()) << sent.status();
    EXPECT_EQ(sent->forge_ref, "2.2");
    return nlohmann::json::parse(http_.requests().back().body);
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  testing::FakeHttpClient http_;
  Config config_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<PlatformDesk> desk_;
};

TEST_F(ChatDeskTest, TheChannelGivesTheRepositoryAndTheConfigurationTheAccount) {
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
  EXPECT_EQ(Read(unproved).event.chat().write_bar(), v1::ChatOrigin::WRITE_BAR_UNPROVED);
}

TEST_F(ChatDeskTest, AnotherRepositoryIsOnlyRead) {
  const v1::ChatOrigin chat = Read(Said("/why x/y#3")).event.chat();
  EXPECT_TRUE(chat.other_repository());
  EXPECT_EQ(chat.write_bar(), v1::ChatOrigin::WRITE_BAR_CHANNEL);
  EXPECT_FALSE(Read(Said("/why O/R#3")).event.chat().other_repository()) << "the case of names does not matter";
}

TEST_F(ChatDeskTest, AThreadKeepsItsSubjectAndADeliveryToo) {
  chat::ChatEvent later = Said("and why?");
  later.thread = "1.1";
  EXPECT_EQ(Read(later).event.subject().number(), 0);
  Read(Said("/why #12"));
  EXPECT_EQ(Read(later).event.subject().number(), 12);
  store::Delivery known;
  known.action = kRoutedFromChat;
  known.subject.set_forge("github");
  known.subject.set_repository("o/r");
  EXPECT_EQ(Read(later, known).event.subject().number(), 0) << "what it was about first";
}

TEST_F(ChatDeskTest, AButtonSaysWhatWeSignedForAnHourAndThatChannel) {
  v1::ChatMessage message;
  message.set_platform("slack");
  message.set_channel("C9");
  message.set_body("Sure?");
  v1::ChatButton& yes = *message.add_buttons();
  yes.set_label("Confirm");
  yes.set_says("/yes");
  const nlohmann::json body = Sent(message);
  chat::ChatEvent press = Said("");
  press.kind = chat::ChatEvent::Kind::kAction;
  press.action = body["blocks"].back()["elements"][0]["value"];
  const ChatAsked asked = Read(press);
  EXPECT_THAT(asked.ignored, IsEmpty());
  EXPECT_EQ(asked.event.text(), "/yes");
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

TEST_F(ChatDeskTest, AChannelGetsNoMoreThanThePlatformTakes) {
  v1::ChatMessage message;
  message.set_platform("slack");
  message.set_channel("C9");
  message.set_body("One.");
  Sent(message);
  store::Effect second;
  *second.action.mutable_chat_message() = message;
  EXPECT_EQ(desk_->Send(second).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(http_.requests(), SizeIs(1)) << "nothing was sent";
  clock_.Advance(std::chrono::seconds(1));
  Sent(message);
}

}  // namespace
}  // namespace yardmaster
