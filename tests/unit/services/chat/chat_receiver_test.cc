#include "services/chat/chat_receiver.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>

#include "absl/strings/str_cat.h"
#include "clients/chat/event_json.h"
#include "services/core/store/store.h"
#include "tests/support/fake_clock.h"
#include "tests/support/temp_dir.h"
#include "tests/unit/clients/chat/vectors.h"

namespace yardmaster {
namespace {

using chat::testing::VectorConfig;
using chat::testing::VectorOf;
using chat::testing::VectorRequest;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

class ChatReceiverTest : public ::testing::Test {
 protected:
  ChatReceiverTest() : logger_(Quiet()) {
    clock_.Advance(chat::testing::VectorTime() - clock_.Now());
    config_ = WithPlatforms();
    Open();
  }

  static LoggerOptions Quiet() {
    LoggerOptions options;
    options.level = LogLevel::kError;
    options.async = false;
    return options;
  }

  // All but Mattermost.
  static Config WithPlatforms() {
    auto platforms = std::make_shared<chat::ChatConfig>();
    for (const char* name : {"slack", "feishu", "dingtalk", "wecom"}) {
      platforms->platforms.emplace(name, VectorConfig(name));
    }
    Config config;
    config.chat = platforms;
    return config;
  }

  void Open(uint64_t free_disk = uint64_t{1} << 40) {
    receiver_.reset();
    store_.reset();
    store::StoreOptions options;
    options.data_dir = dir_.path() / "data";
    options.disk_floor_bytes = 1'000;
    options.single_threaded = true;
    options.free_disk_bytes = [free_disk](const std::filesystem::path&) { return free_disk; };
    auto store = store::Store::Open(std::move(options), clock_, nullptr);
    ASSERT_TRUE(store.ok()) << store.status();
    store_ = *std::move(store);
    receiver_ = std::make_unique<ChatReceiver>(config_, store_->inbox(), clock_, logger_);
  }

  ChatResponse Send(const std::string& platform, const VectorRequest& request) {
    chat::ChatRequest sent;
    sent.method = request.method;
    sent.query = request.query;
    sent.body = request.body;
    sent.header = [&](std::string_view name) -> std::string_view {
      const auto header = request.headers.find(std::string(name));
      return header == request.headers.end() ? std::string_view() : std::string_view(header->second);
    };
    std::optional<ChatResponse> answer;
    receiver_->Receive(platform, sent, "r1", [&](ChatResponse given) {
      EXPECT_FALSE(answer.has_value()) << "answered twice";
      answer = std::move(given);
    });
    EXPECT_TRUE(answer.has_value());
    return answer.value_or(ChatResponse());
  }

  std::vector<store::Delivery> Kept() {
    const auto page = store_->inbox().List({}, {0, 500});
    EXPECT_TRUE(page.ok()) << page.status();
    return page.ok() ? page->items : std::vector<store::Delivery>();
  }

  testing::TempDir dir_;
  testing::FakeClock clock_;
  Logger logger_;
  Config config_;
  std::unique_ptr<store::Store> store_;
  std::unique_ptr<ChatReceiver> receiver_;
};

TEST_F(ChatReceiverTest, AMessageIsKeptBeforeItIsAnsweredAndOnce) {
  for (const auto& [platform, name] : std::vector<std::pair<std::string, std::string>>{{"slack", "mention"},
                                                                                       {"slack", "command"},
                                                                                       {"slack", "button"},
                                                                                       {"feishu", "message"},
                                                                                       {"dingtalk", "message"},
                                                                                       {"wecom", "message"},
                                                                                       {"wecom", "button"}}) {
    SCOPED_TRACE(absl::StrCat(platform, " ", name));
    const size_t before = Kept().size();
    const VectorRequest request = VectorOf(platform, name);
    const ChatResponse first = Send(platform, request);
    EXPECT_EQ(first.status, 200) << first.body;
    ASSERT_EQ(Kept().size(), before + 1);
    // The platform sends it again, perhaps because the answer was late.
    const ChatResponse again = Send(platform, request);
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.body, first.body);
    EXPECT_EQ(Kept().size(), before + 1);
    const chat::ChatEvent event = *chat::testing::Read(platform, request).event;
    const auto delivery = store_->inbox().Find(platform, event.id);
    ASSERT_TRUE(delivery.ok()) << delivery.status();
    const auto body = store_->inbox().Body(delivery->id);
    ASSERT_TRUE(body.ok()) << body.status();
    EXPECT_EQ(chat::EventFromJson(*body), event) << *body;
  }
}

TEST_F(ChatReceiverTest, TheReasonSaysWhatIsMissing) {
  ASSERT_EQ(Send("slack", VectorOf("slack", "mention")).status, 200);
  EXPECT_EQ(Kept().front().reason, "no-repository: the channel is not configured");
  Config config = WithPlatforms();
  auto platforms = std::make_shared<chat::ChatConfig>();
  platforms->platforms.emplace("slack", VectorConfig("slack"));
  platforms->platforms["slack"].channels["C9"] = {"github", "o/r", false};
  config.chat = platforms;
  receiver_->ReplaceSettings(config);
  ASSERT_EQ(Send("slack", VectorOf("slack", "command")).status, 200);
  EXPECT_EQ(Kept().front().state, store::DeliveryState::kReceived) << "for the pipe";
  EXPECT_EQ(Kept().front().subject.forge(), "github");
  EXPECT_EQ(Kept().front().subject.repository(), "o/r");
}

TEST_F(ChatReceiverTest, APressPerhapsInADirectConversationIsForThePipe) {
  Config config = WithPlatforms();
  auto platforms = std::make_shared<chat::ChatConfig>(*config.chat);
  platforms->platforms["slack"].direct = {"github", "o/r", false};
  config.chat = platforms;
  receiver_->ReplaceSettings(config);
  ASSERT_EQ(Send("slack", VectorOf("slack", "button")).status, 200);
  EXPECT_EQ(Kept().front().state, store::DeliveryState::kReceived);
  ASSERT_EQ(Send("slack", VectorOf("slack", "mention")).status, 200);
  EXPECT_EQ(Kept().front().reason, "no-repository: the channel is not configured");
  ASSERT_EQ(Send("slack", VectorOf("slack", "direct")).status, 200);
  EXPECT_EQ(Kept().front().subject.repository(), "o/r");
}

TEST_F(ChatReceiverTest, ItIsThereAfterARestart) {
  ASSERT_EQ(Send("feishu", VectorOf("feishu", "message")).status, 200);
  Open();
  EXPECT_EQ(Kept().size(), 1U);
  EXPECT_EQ(Send("feishu", VectorOf("feishu", "message")).status, 200);
  EXPECT_EQ(Kept().size(), 1U);
}

TEST_F(ChatReceiverTest, TheSecretsOfARequestAreNotKept) {
  // The body of Feishu's events names the verification token.
  ASSERT_EQ(Send("feishu", VectorOf("feishu", "button")).status, 200);
  const auto body = store_->inbox().Body(Kept().front().id);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_THAT(*body, Not(HasSubstr("v_token_9Kx")));
}

TEST_F(ChatReceiverTest, WhatIsRefusedIsNotKept) {
  VectorRequest wrong = VectorOf("slack", "mention");
  wrong.headers["X-Slack-Signature"] = "v0=00";
  EXPECT_EQ(Send("slack", wrong).status, 401);
  EXPECT_EQ(Send("slack", VectorOf("slack", "stale")).status, 401);
  EXPECT_EQ(Send("slack", VectorOf("slack", "without_id")).status, 400);
  EXPECT_EQ(Send("feishu", VectorOf("feishu", "unsigned_message")).status, 401);
  EXPECT_EQ(Send("wecom", VectorOf("wecom", "another_receiver")).status, 401);
  VectorRequest type = VectorOf("dingtalk", "message");
  type.headers["Content-Type"] = "text/plain";
  EXPECT_EQ(Send("dingtalk", type).status, 415);
  // Another platform's request.
  EXPECT_EQ(Send("slack", VectorOf("dingtalk", "message")).status, 401);
  EXPECT_THAT(Kept(), IsEmpty());
}

TEST_F(ChatReceiverTest, WhatIsNoMessageIsAnsweredAndNotKept) {
  EXPECT_EQ(Send("slack", VectorOf("slack", "challenge")).body, "3eZbrw1aB10H");
  EXPECT_EQ(Send("feishu", VectorOf("feishu", "check")).body, R"({"challenge":"ajls384kdjx98XX"})");
  EXPECT_EQ(Send("wecom", VectorOf("wecom", "check")).body, "1616140317555161061");
  EXPECT_EQ(Send("slack", VectorOf("slack", "of_a_bot")).status, 200);
  EXPECT_THAT(Kept(), IsEmpty());
}

TEST_F(ChatReceiverTest, PathsAndMethodsThatAreNotThere) {
  EXPECT_EQ(Send("mattermost", VectorOf("slack", "mention")).status, 404);
  EXPECT_EQ(Send("irc", VectorOf("slack", "mention")).status, 404);
  VectorRequest get = VectorOf("slack", "mention");
  get.method = "GET";
  const ChatResponse refused = Send("slack", get);
  EXPECT_EQ(refused.status, 405);
  EXPECT_EQ(refused.allow, "POST");
}

TEST_F(ChatReceiverTest, AMebibyteIsTheLimit) {
  VectorRequest large = VectorOf("slack", "mention");
  large.body.assign(chat::kMaxChatBodyBytes, ' ');
  EXPECT_EQ(Send("slack", large).status, 401) << "read, and not signed";
  large.body.push_back(' ');
  EXPECT_EQ(Send("slack", large).status, 413);
}

TEST_F(ChatReceiverTest, WhatCantBeKeptIsNotConfirmed) {
  Open(/*free_disk=*/10);
  const ChatResponse answer = Send("slack", VectorOf("slack", "mention"));
  EXPECT_EQ(answer.status, 503);
  EXPECT_GT(answer.retry_after_s, 0);
  Open();
  EXPECT_THAT(Kept(), IsEmpty());
}

TEST_F(ChatReceiverTest, NewSecretsAreTakenUp) {
  Config other = WithPlatforms();
  auto platforms = std::make_shared<chat::ChatConfig>();
  platforms->platforms.emplace("slack", VectorConfig("slack"));
  platforms->platforms["slack"].secrets.find("signing_secret")->second = Secret("another");
  other.chat = platforms;
  receiver_->ReplaceSettings(other);
  EXPECT_EQ(Send("slack", VectorOf("slack", "mention")).status, 401);
  EXPECT_EQ(Send("feishu", VectorOf("feishu", "message")).status, 404);
}

TEST(ChatEventJson, OnlyWhatWasWrittenIsRead) {
  for (const char* text : {"", "{}", "[]", R"({"kind":"message"})",
                           R"({"kind":"message","id":"a","addressed":true,"proved":1,"reply_until":0})",
                           R"({"kind":"message","id":"a","addressed":true,"proved":true,"reply_until":-1})",
                           R"({"kind":"other","id":"a","addressed":true,"proved":true,"reply_until":0})"}) {
    EXPECT_FALSE(chat::EventFromJson(text).has_value()) << text;
  }
  EXPECT_TRUE(
      chat::EventFromJson(R"({"kind":"message","id":"a","addressed":true,"proved":true,"reply_until":0})").has_value());
}

}  // namespace
}  // namespace yardmaster
