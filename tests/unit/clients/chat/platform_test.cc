#include "clients/chat/platform.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

#include "clients/chat/button.h"
#include "tests/unit/clients/chat/vectors.h"

namespace yardmaster::chat {
namespace {

using std::chrono::hours;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::Read;
using testing::ReadAt;
using testing::VectorConfig;
using testing::VectorOf;
using testing::VectorRequest;
using testing::Vectors;
using testing::VectorTime;

// Answered with `status`, and nothing to do.
void ExpectNothing(const ChatReading& reading, int status) {
  EXPECT_EQ(reading.status, status) << reading.reason;
  EXPECT_FALSE(reading.event.has_value());
  EXPECT_NE(reading.reason, "");
}

TEST(SlackRequest, AMentionIsAnEvent) {
  const ChatReading reading = Read("slack", VectorOf("slack", "mention"));
  ASSERT_TRUE(reading.event.has_value()) << reading.reason;
  EXPECT_EQ(reading.status, 200);
  ChatEvent expected;
  expected.platform = "slack";
  expected.id = "Ev0PV52K21";
  expected.channel = "C9";
  expected.user = "U123";
  expected.message = "1764000000.000100";
  expected.thread = "1763999000.000200";
  expected.text = "/why 12 & https://example.org/a";
  expected.addressed = true;
  EXPECT_EQ(*reading.event, expected) << reading.event->text;
}

TEST(SlackRequest, ACommandIsAnsweredWithNothingAndHasAnAddressForItsAnswer) {
  const ChatReading reading = Read("slack", VectorOf("slack", "command"));
  ASSERT_TRUE(reading.event.has_value()) << reading.reason;
  EXPECT_THAT(reading.body, IsEmpty());
  EXPECT_EQ(reading.event->text, "why 12");
  EXPECT_EQ(reading.event->reply_url, "https://hooks.slack.com/commands/T1/2/abc");
  EXPECT_EQ(reading.event->reply_until, VectorTime() + minutes(30));
}

TEST(SlackRequest, AButtonBringsItsValueAndAForeignAddressIsDropped) {
  const ChatReading reading = Read("slack", VectorOf("slack", "button"));
  ASSERT_TRUE(reading.event.has_value()) << reading.reason;
  EXPECT_EQ(reading.event->kind, ChatEvent::Kind::kAction);
  EXPECT_EQ(reading.event->action, "signed");
  EXPECT_EQ(reading.event->message, "1764000000.000300");
  EXPECT_THAT(reading.event->reply_url, IsEmpty());
}

TEST(SlackRequest, TheChallengeIsSaidAgain) {
  const ChatReading reading = Read("slack", VectorOf("slack", "challenge"));
  EXPECT_EQ(reading.status, 200);
  EXPECT_EQ(reading.body, "3eZbrw1aB10H");
  EXPECT_FALSE(reading.event.has_value());
}

TEST(SlackRequest, FiveMinutesAreTheLimit) {
  ExpectNothing(Read("slack", VectorOf("slack", "stale")), 401);
  const VectorRequest mention = VectorOf("slack", "mention");
  for (const seconds off : {seconds(300), seconds(-300)}) {
    EXPECT_EQ(ReadAt("slack", VectorConfig("slack"), mention, VectorTime() + off).status, 200);
  }
  for (const seconds off : {seconds(301), seconds(-301)}) {
    ExpectNothing(ReadAt("slack", VectorConfig("slack"), mention, VectorTime() + off), 401);
  }
}

TEST(SlackRequest, OnlyWhatPeopleSayToTheBotIsAnEvent) {
  for (const char* name : {"of_a_bot", "edited", "in_a_channel"}) {
    SCOPED_TRACE(name);
    ExpectNothing(Read("slack", VectorOf("slack", name)), 200);
  }
  const ChatReading direct = Read("slack", VectorOf("slack", "direct"));
  ASSERT_TRUE(direct.event.has_value()) << direct.reason;
  EXPECT_EQ(direct.event->text, "/help");
  EXPECT_TRUE(direct.event->direct);
  EXPECT_FALSE(Read("slack", VectorOf("slack", "mention")).event->direct);
  ExpectNothing(Read("slack", VectorOf("slack", "without_id")), 400);
}

TEST(SlackRequest, OtherTypesAreRefused) {
  VectorRequest request = VectorOf("slack", "mention");
  request.headers["Content-Type"] = "text/plain";
  ExpectNothing(Read("slack", request), 415);
}

// One byte of the body, the signature or the time, another request's signature, another secret.
TEST(EveryPlatform, WhatWasChangedIsRefused) {
  struct Case {
    std::string platform;
    std::string name;
    std::string header;  // that signs; empty: the query does
  };
  const std::vector<Case> cases = {{"slack", "mention", "X-Slack-Signature"},
                                   {"slack", "command", "X-Slack-Signature"},
                                   {"feishu", "message", "X-Lark-Signature"},
                                   {"feishu", "button", "X-Lark-Signature"},
                                   {"dingtalk", "message", "sign"},
                                   {"wecom", "message", ""},
                                   {"wecom", "button", ""}};
  for (const Case& one : cases) {
    SCOPED_TRACE(one.platform + " " + one.name);
    const VectorRequest good = VectorOf(one.platform, one.name);
    ASSERT_TRUE(Read(one.platform, good).event.has_value()) << Read(one.platform, good).reason;
    std::vector<VectorRequest> bad;
    if (one.platform != "dingtalk") {
      bad.push_back(good);
      const size_t middle = good.body.size() / 2;
      bad.back().body[middle] = good.body[middle] == 'A' ? 'B' : 'A';
    }
    if (one.header.empty()) {
      bad.push_back(good);
      bad.back().query.replace(good.query.find("1372623149"), 10, "1372623140");
      bad.push_back(good);
      bad.back().query = "";
    } else {
      for (const char* value : {"", "v0=", "AAAA"}) {
        bad.push_back(good);
        bad.back().headers[one.header] = value;
      }
    }
    for (const VectorRequest& request : bad) ExpectNothing(Read(one.platform, request), 401);
    PlatformConfig other = VectorConfig(one.platform);
    for (auto& [key, secret] : other.secrets) {
      if (key != "encoding_aes_key") secret = Secret(secret.Reveal() + "x");
    }
    ExpectNothing(ReadAt(one.platform, other, good, VectorTime()), 401);
    // A config that was only checked has no secrets: nothing fits.
    for (auto& [key, secret] : other.secrets) secret = Secret();
    ExpectNothing(ReadAt(one.platform, other, good, VectorTime()), 401);
  }
}

TEST(EveryPlatform, ASignatureOfAnotherRequestIsRefused) {
  VectorRequest slack = VectorOf("slack", "mention");
  slack.headers["X-Slack-Signature"] = VectorOf("slack", "challenge").headers["X-Slack-Signature"];
  ExpectNothing(Read("slack", slack), 401);
  VectorRequest feishu = VectorOf("feishu", "message");
  feishu.headers["X-Lark-Signature"] = VectorOf("feishu", "button").headers["X-Lark-Signature"];
  ExpectNothing(Read("feishu", feishu), 401);
  VectorRequest wecom = VectorOf("wecom", "message");
  wecom.query = VectorOf("wecom", "button").query;
  ExpectNothing(Read("wecom", wecom), 401);
}

TEST(FeishuRequest, AnEncryptedMessageIsAnEvent) {
  const ChatReading reading = Read("feishu", VectorOf("feishu", "message"));
  ASSERT_TRUE(reading.event.has_value()) << reading.reason;
  EXPECT_EQ(reading.event->id, "5e3702a84e847582be8db7fb73283c02");
  EXPECT_EQ(reading.event->text, "为什么 12，@李雷？");
  EXPECT_EQ(reading.event->user, "ou_alice");
  EXPECT_EQ(reading.event->channel, "oc_9");
  EXPECT_EQ(reading.event->message, "om_1");
  EXPECT_EQ(reading.event->thread, "om_0");
  EXPECT_TRUE(reading.event->proved);
}

TEST(FeishuRequest, AButtonIsAnEvent) {
  const ChatReading reading = Read("feishu", VectorOf("feishu", "button"));
  ASSERT_TRUE(reading.event.has_value()) << reading.reason;
  EXPECT_EQ(reading.event->action, "signed");
  EXPECT_EQ(reading.event->user, "ou_alice");
}

TEST(FeishuRequest, TheUrlCheckIsProvedByItsToken) {
  for (const char* name : {"check", "plain_check"}) {
    const ChatReading reading = Read("feishu", VectorOf("feishu", name));
    EXPECT_EQ(reading.status, 200) << reading.reason;
    EXPECT_EQ(reading.body, R"({"challenge":"ajls384kdjx98XX"})");
  }
  ExpectNothing(Read("feishu", VectorOf("feishu", "check_with_wrong_token")), 401);
}

TEST(FeishuRequest, NothingElseComesWithoutASignature) {
  ExpectNothing(Read("feishu", VectorOf("feishu", "unsigned_message")), 401);
  // What can't be decrypted looks the same: the answers tell nothing about the padding.
  VectorRequest broken = VectorOf("feishu", "unsigned_message");
  broken.body = R"({"encrypt":"AAAA"})";
  ExpectNothing(Read("feishu", broken), 401);
  EXPECT_EQ(Read("feishu", broken).body, Read("feishu", VectorOf("feishu", "unsigned_message")).body);
}

TEST(FeishuRequest, AWrongTokenIsRefusedAndAnOldMessageIsLeftAlone) {
  ExpectNothing(Read("feishu", VectorOf("feishu", "wrong_token")), 401);
  ExpectNothing(Read("feishu", VectorOf("feishu", "old")), 200);
}

TEST(DingtalkRequest, AMessageIsAnEventThatProvesNothing) {
  const ChatReading reading = Read("dingtalk", VectorOf("dingtalk", "message"));
  ASSERT_TRUE(reading.event.has_value()) << reading.reason;
  EXPECT_FALSE(reading.event->proved);
  EXPECT_EQ(reading.event->id, "msg1==");
  EXPECT_EQ(reading.event->user, "manager1");
  EXPECT_EQ(reading.event->channel, "cidABC==");
  EXPECT_EQ(reading.event->text, "/why 12");
  EXPECT_EQ(reading.event->reply_url, "https://oapi.dingtalk.com/robot/sendBySession?session=xxxx");
  EXPECT_EQ(reading.event->reply_until, VectorTime() + minutes(90));
}

TEST(DingtalkRequest, AnHourIsTheLimit) {
  ExpectNothing(Read("dingtalk", VectorOf("dingtalk", "stale")), 401);
  const VectorRequest message = VectorOf("dingtalk", "message");
  EXPECT_EQ(ReadAt("dingtalk", VectorConfig("dingtalk"), message, VectorTime() + hours(1)).status, 200);
  ExpectNothing(ReadAt("dingtalk", VectorConfig("dingtalk"), message, VectorTime() + hours(1) + milliseconds(1)), 401);
}

TEST(DingtalkRequest, AnotherBodyUnderTheSameHeadersStaysUnproved) {
  VectorRequest request = VectorOf("dingtalk", "message");
  request.body =
      R"({"msgId":"m2","msgtype":"text","conversationId":"c","senderStaffId":"boss","text":{"content":"/label x"}})";
  const ChatReading reading = Read("dingtalk", request);
  ASSERT_TRUE(reading.event.has_value());
  EXPECT_FALSE(reading.event->proved);
}

TEST(WecomRequest, TheUrlCheckIsDecrypted) {
  const ChatReading reading = Read("wecom", VectorOf("wecom", "check"));
  EXPECT_EQ(reading.status, 200) << reading.reason;
  EXPECT_EQ(reading.body, "1616140317555161061");
  EXPECT_THAT(reading.content_type, HasSubstr("text/plain"));
}

TEST(WecomRequest, AMessageIsAnEvent) {
  const ChatReading reading = Read("wecom", VectorOf("wecom", "message"));
  ASSERT_TRUE(reading.event.has_value()) << reading.reason;
  EXPECT_THAT(reading.body, IsEmpty());
  EXPECT_EQ(reading.event->id, "4561255354251345929");
  EXPECT_EQ(reading.event->user, "mycreate");
  EXPECT_EQ(reading.event->channel, "218");
  EXPECT_EQ(reading.event->text, "为什么 12 < 13");
}

TEST(WecomRequest, TheTypeIsXmlOrUnsaid) {
  VectorRequest request = VectorOf("wecom", "message");
  request.headers.erase("Content-Type");
  EXPECT_TRUE(Read("wecom", request).event.has_value());
  request.headers["Content-Type"] = "application/json";
  ExpectNothing(Read("wecom", request), 415);
}

TEST(WecomRequest, AButtonIsAnEvent) {
  const ChatReading reading = Read("wecom", VectorOf("wecom", "button"));
  ASSERT_TRUE(reading.event.has_value()) << reading.reason;
  EXPECT_EQ(reading.event->kind, ChatEvent::Kind::kAction);
  EXPECT_EQ(reading.event->action, "signed");
  EXPECT_EQ(reading.event->id, "rc1");
}

TEST(WecomRequest, AnotherReceiverIsRefusedAndEntitiesAreNotRead) {
  ExpectNothing(Read("wecom", VectorOf("wecom", "another_receiver")), 401);
  ExpectNothing(Read("wecom", VectorOf("wecom", "with_entities")), 400);
}

TEST(WecomRequest, ADayIsTheLimit) {
  ExpectNothing(
      ReadAt("wecom", VectorConfig("wecom"), VectorOf("wecom", "message"), VectorTime() + hours(24) + seconds(1)), 200);
}

VectorRequest MattermostForm(const std::string& header, const std::string& token) {
  VectorRequest request;
  request.headers["Content-Type"] = "application/x-www-form-urlencoded";
  if (!header.empty()) request.headers["Authorization"] = "Token " + header;
  request.body = "channel_id=c9&user_id=u1&command=%2Fyard&text=why+12&trigger_id=" + std::string(300, 't') +
                 "&response_url=https%3A%2F%2Fchat.example.org%2Fhooks%2Fcommands%2Fx";
  if (!token.empty()) request.body += "&token=" + token;
  return request;
}

TEST(MattermostRequest, HeaderAndFormMustFitWhereTheyAre) {
  const std::string token = Vectors()["mattermost"]["token"];
  for (const auto& [header, form] :
       std::vector<std::pair<std::string, std::string>>{{token, token}, {token, ""}, {"", token}}) {
    const ChatReading reading = Read("mattermost", MattermostForm(header, form));
    ASSERT_TRUE(reading.event.has_value()) << reading.reason;
    EXPECT_EQ(reading.event->text, "why 12");
    EXPECT_EQ(reading.event->reply_url, "https://chat.example.org/hooks/commands/x");
    EXPECT_EQ(reading.event->id.size(), 64U) << "long ids are known by their digest";
  }
  for (const auto& [header, form] :
       std::vector<std::pair<std::string, std::string>>{{"", ""}, {token, "x"}, {"x", token}, {"x", ""}, {"", "x"}}) {
    ExpectNothing(Read("mattermost", MattermostForm(header, form)), 401);
  }
}

TEST(MattermostRequest, AWebhookOfJsonIsReadToo) {
  VectorRequest request;
  request.headers["Content-Type"] = "application/json";
  request.body = R"({"token":"xr3j5x3p4pfk7kk6ck7b4e6ghh","channel_id":"c9","user_id":"u1","post_id":"p1",)"
                 R"("trigger_word":"@yard","text":"@yard why 12"})";
  const ChatReading reading = Read("mattermost", request);
  ASSERT_TRUE(reading.event.has_value()) << reading.reason;
  EXPECT_EQ(reading.event->id, "p1");
  EXPECT_EQ(reading.event->text, "why 12");
}

TEST(MattermostRequest, AButtonIsProvedByItsValue) {
  VectorRequest request;
  request.headers["Content-Type"] = "application/json";
  const auto body = [](const std::string& value) {
    return nlohmann::json({{"user_id", "u1"},
                           {"channel_id", "c9"},
                           {"post_id", "p1"},
                           {"trigger_id", "t1"},
                           {"context", {{"value", value}}}})
        .dump();
  };
  const std::string token = Vectors()["mattermost"]["token"];
  request.body = body(SignButton(token, "yes 1", VectorTime() + kButtonLife));
  ASSERT_TRUE(Read("mattermost", request).event.has_value()) << Read("mattermost", request).reason;
  request.body = body(SignButton("other", "yes 1", VectorTime() + kButtonLife));
  ExpectNothing(Read("mattermost", request), 401);
  request.body = body(SignButton(token, "yes 1", VectorTime()));
  ExpectNothing(Read("mattermost", request), 401);
}

TEST(EveryPlatform, AProvedBodyThatIsMalformedIsABadRequest) {
  VectorRequest mattermost = MattermostForm(Vectors()["mattermost"]["token"], "");
  for (const char* body : {"a=1&a=2", "text=%zz", "text=%ff", "text=1"}) {
    mattermost.body = body;
    ExpectNothing(Read("mattermost", mattermost), 400);
  }
  VectorRequest dingtalk = VectorOf("dingtalk", "message");
  for (const char* body :
       {"", "[]", "{\"a\":1,\"a\":2}", R"({"msgtype":"text"})", R"({"msgtype":"text","msgId":"a b"})"}) {
    dingtalk.body = body;
    ExpectNothing(Read("dingtalk", dingtalk), 400);
  }
}

TEST(ChatPlatformTable, NamesAreKnownOnce) {
  std::set<std::string_view> names;
  for (const ChatPlatform& row : ChatPlatforms()) {
    EXPECT_TRUE(names.insert(row.name).second);
    EXPECT_EQ(FindChatPlatform(row.name), &row);
    EXPECT_NE(row.read, nullptr);
    EXPECT_NE(row.render, nullptr);
  }
  EXPECT_EQ(names.size(), 5U);
  EXPECT_EQ(FindChatPlatform("irc"), nullptr);
}

}  // namespace
}  // namespace yardmaster::chat
