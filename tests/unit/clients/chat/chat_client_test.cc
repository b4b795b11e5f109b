#include "clients/chat/chat_client.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "clients/chat/platform.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_http_client.h"

namespace yardmaster::chat {
namespace {

using nlohmann::json;
using std::chrono::minutes;
using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;
using Kind = ChatSent::Kind;

class ChatClientTest : public ::testing::Test {
 protected:
  // With every id and secret that the platform has.
  static PlatformConfig Full(std::string_view platform) {
    const ChatPlatform& row = *FindChatPlatform(platform);
    PlatformConfig config;
    config.api_url = "http://127.0.0.1:99";
    for (const KeyRule& rule : row.ids) config.ids.emplace(rule.key, rule.key == "agent_id" ? "218" : "id&1");
    for (const KeyRule& rule : row.secrets) config.secrets.emplace(rule.key, Secret("s+" + std::string(rule.key)));
    return config;
  }
  ChatSent Send(std::string_view platform, const ChatPlace& place) {
    return ChatClient(platform, Full(platform), http_, clock_).Send(place, {"hello <!channel>"}, "key-1");
  }
  static std::string HeaderOf(const OutgoingRequest& request, std::string_view name) {
    for (const HttpHeader& header : request.headers) {
      if (header.name == name) return header.value;
    }
    return {};
  }

  testing::FakeHttpClient http_;
  testing::FakeClock clock_;
  const ChatPlace place_{"C9", "u1", "m1", "", "", {}};
};

TEST_F(ChatClientTest, TheAddressOfTheEventIsUsedWhileItIsGood) {
  ChatPlace place = place_;
  place.reply_url = "https://hooks.slack.com/x";
  place.reply_until = clock_.Now() + minutes(30);
  http_.Answer(200, "ok");
  EXPECT_EQ(Send("slack", place).kind, Kind::kSent);
  EXPECT_EQ(http_.requests()[0].url, place.reply_url);
  EXPECT_THAT(HeaderOf(http_.requests()[0], "Authorization"), IsEmpty()) << "the address is the credential";
  // Near its end the API is called.
  place.reply_until = clock_.Now() + kReplyMargin;
  http_.Answer(200, R"({"ok":true,"ts":"1.2"})");
  EXPECT_EQ(Send("slack", place), (ChatSent{Kind::kSent, "1.2", "", {}}));
  EXPECT_EQ(http_.requests()[1].url, "http://127.0.0.1:99/chat.postMessage");
  EXPECT_EQ(HeaderOf(http_.requests()[1], "Authorization"), "Bearer s+bot_token");
  const json body = json::parse(http_.requests()[1].body);
  EXPECT_EQ(body["channel"], "C9");
  EXPECT_EQ(body["thread_ts"], "m1");
  EXPECT_FALSE(body.contains("response_type"));
}

TEST_F(ChatClientTest, WithoutAnAddressAndCredentialsThereIsNoPlace) {
  EXPECT_EQ(Send("dingtalk", place_).kind, Kind::kNoPlace);
  PlatformConfig bare = Full("slack");
  bare.secrets.erase("bot_token");
  EXPECT_EQ(ChatClient("slack", bare, http_, clock_).Send(place_, {"x"}, "k").kind, Kind::kNoPlace);
  EXPECT_THAT(http_.requests(), IsEmpty());
}

TEST_F(ChatClientTest, MattermostAnswersInTheThread) {
  http_.Answer(201, R"({"id":"p2"})");
  EXPECT_EQ(Send("mattermost", place_), (ChatSent{Kind::kSent, "p2", "", {}}));
  const json body = json::parse(http_.requests()[0].body);
  EXPECT_EQ(body["root_id"], "m1");
  EXPECT_EQ(body["props"]["attachments"].size(), 1U);
}

TEST_F(ChatClientTest, ATokenIsAskedForOnceAndAgainBeforeItEnds) {
  ChatClient client("feishu", Full("feishu"), http_, clock_);
  const auto send = [&] { return client.Send(place_, {"x"}, "key-1"); };
  const std::string sent = R"({"code":0,"data":{"message_id":"om_2"}})";
  http_.Answer(200, R"({"code":0,"tenant_access_token":"t-1","expire":7200})");
  http_.Answer(200, sent);
  http_.Answer(200, sent);
  EXPECT_EQ(send(), (ChatSent{Kind::kSent, "om_2", "", {}}));
  EXPECT_EQ(send().kind, Kind::kSent);
  ASSERT_THAT(http_.requests(), SizeIs(3));
  EXPECT_EQ(HeaderOf(http_.requests()[2], "Authorization"), "Bearer t-1");
  EXPECT_EQ(http_.requests()[1].url, "http://127.0.0.1:99/open-apis/im/v1/messages/m1/reply");
  EXPECT_EQ(json::parse(http_.requests()[1].body)["uuid"], "key-1");
  clock_.Advance(seconds(7200) - kTokenMargin);
  http_.Answer(200, R"({"code":0,"tenant_access_token":"t-2","expire":7200})");
  http_.Answer(200, sent);
  EXPECT_EQ(send().kind, Kind::kSent);
  EXPECT_EQ(HeaderOf(http_.requests().back(), "Authorization"), "Bearer t-2");
}

TEST_F(ChatClientTest, ARefusedTokenIsReplacedOnce) {
  http_.Answer(200, R"({"errcode":0,"access_token":"a","expires_in":7200})");
  http_.Answer(200, R"({"errcode":42001,"errmsg":"access_token expired"})");
  http_.Answer(200, R"({"errcode":0,"access_token":"b","expires_in":7200})");
  http_.Answer(200, R"({"errcode":0,"msgid":"m7"})");
  EXPECT_EQ(Send("wecom", place_), (ChatSent{Kind::kSent, "m7", "", {}}));
  EXPECT_EQ(http_.requests()[0].url, "http://127.0.0.1:99/cgi-bin/gettoken?corpid=id%261&corpsecret=s%2Bsecret");
  EXPECT_THAT(http_.requests()[3].url, HasSubstr("access_token=b"));
  const json body = json::parse(http_.requests()[3].body);
  EXPECT_EQ(body["agentid"], 218);
  EXPECT_EQ(body["touser"], "u1");
  EXPECT_EQ(body["enable_duplicate_check"], 1);
  // A platform that refuses them all is not asked for ever.
  http_.Otherwise([](const OutgoingRequest& request) -> HttpResult {
    const bool token = request.url.find("gettoken") != std::string::npos;
    return OutgoingResponse{
        200,
        {},
        token ? R"({"errcode":0,"access_token":"c","expires_in":7200})" : R"({"errcode":40014,"errmsg":"no"})"};
  });
  EXPECT_EQ(Send("wecom", place_).kind, Kind::kNoToken);
  EXPECT_THAT(http_.requests(), SizeIs(8));
}

TEST_F(ChatClientTest, WithoutATokenNothingIsSent) {
  http_.Answer(200, R"({"code":10014,"msg":"app secret invalid"})");
  const ChatSent refused = Send("feishu", place_);
  EXPECT_EQ(refused.kind, Kind::kNoToken);
  EXPECT_THAT(refused.reason, HasSubstr("app secret invalid"));
  http_.Fail(HttpFailure::Kind::kReset, /*sent=*/true);
  EXPECT_EQ(Send("feishu", place_).kind, Kind::kNotSent) << "the question was lost, not the answer";
  EXPECT_THAT(http_.requests(), SizeIs(2));
}

TEST_F(ChatClientTest, WhatMayBeThereIsNotCalledRefused) {
  struct Case {
    int status;
    std::string body;
    Kind kind;
  };
  for (const Case& one : std::vector<Case>{{500, "", Kind::kUnknown},
                                           {200, "<html>", Kind::kUnknown},
                                           {200, R"({"ok":false,"error":"internal_error"})", Kind::kUnknown},
                                           {200, R"({"ok":false,"error":"channel_not_found"})", Kind::kRefused},
                                           {200, R"({"ok":false,"error":"ratelimited"})", Kind::kLimited},
                                           {404, "no_service", Kind::kRefused}}) {
    http_.Answer(one.status, one.body);
    EXPECT_EQ(Send("slack", place_).kind, one.kind) << one.status << one.body;
  }
  http_.Answer(429, "", {{"Retry-After", "30"}});
  EXPECT_EQ(Send("slack", place_), (ChatSent{Kind::kLimited, "", "status 429", seconds(30)}));
  http_.Fail(HttpFailure::Kind::kTimeout, /*sent=*/true);
  EXPECT_EQ(Send("slack", place_).kind, Kind::kUnknown);
  http_.Fail(HttpFailure::Kind::kConnect, /*sent=*/false);
  EXPECT_EQ(Send("slack", place_).kind, Kind::kNotSent);
}

TEST_F(ChatClientTest, DingtalkAnswersByItsAddress) {
  ChatPlace place = place_;
  place.reply_url = "https://oapi.dingtalk.com/robot/sendBySession?session=x";
  place.reply_until = clock_.Now() + minutes(30);
  http_.Answer(200, R"({"errcode":0,"errmsg":"ok"})");
  EXPECT_EQ(Send("dingtalk", place).kind, Kind::kSent);
  http_.Answer(200, R"({"errcode":130101,"errmsg":"send too fast"})");
  EXPECT_EQ(Send("dingtalk", place).kind, Kind::kLimited);
  http_.Answer(200, R"({"errcode":310000,"errmsg":"no"})");
  EXPECT_THAT(Send("dingtalk", place).reason, StartsWith("310000"));
}

TEST_F(ChatClientTest, AUserOutsideOfTheAppIsARefusal) {
  http_.Answer(200, R"({"errcode":0,"access_token":"a","expires_in":7200})");
  http_.Answer(200, R"({"errcode":0,"invaliduser":"u1"})");
  EXPECT_EQ(Send("wecom", place_).kind, Kind::kRefused);
}

TEST(ChatApiTable, EveryPlatformHasARow) {
  for (const ChatPlatform& platform : ChatPlatforms()) {
    const ChatApi* api = FindChatApi(platform.name);
    ASSERT_NE(api, nullptr) << platform.name;
    EXPECT_EQ(api->ask_token == nullptr, api->read_token == nullptr);
  }
  EXPECT_EQ(FindChatApi("irc"), nullptr);
}

TEST_F(ChatClientTest, WhatIsRefusedInThePlatformsFormIsSaidPlainly) {
  http_.Answer(200, R"({"ok": false, "error": "invalid_blocks"})");
  http_.Answer(200, R"({"ok": true, "ts": "1.2"})");
  EXPECT_EQ(Send("slack", place_), (ChatSent{ChatSent::Kind::kSent, "1.2", "", {}}));
  EXPECT_THAT(http_.requests()[0].body, HasSubstr("blocks"));
  EXPECT_THAT(http_.requests()[1].body, Not(HasSubstr("blocks")));
  EXPECT_THAT(http_.requests()[1].body, Not(HasSubstr("<!channel>")));
}

TEST_F(ChatClientTest, WhatWasPerhapsSentIsLookedForOrSentUnderItsKey) {
  ChatAnswer answer{"hello"};
  answer.key = "key-1";
  const auto again = [&](std::string_view platform) {
    return ChatClient(platform, Full(platform), http_, clock_).SendAgain(place_, answer, answer.key);
  };
  http_.Answer(200, R"({"messages": [{"ts": "7", "blocks": [{"block_id": "key-1"}]}], "has_more": false})");
  EXPECT_EQ(again("slack"), (ChatSent{ChatSent::Kind::kSent, "7", "", {}}));
  EXPECT_EQ(http_.requests().back().method, "GET");
  http_.Answer(200, R"({"messages": [{"ts": "7"}], "has_more": false})");
  EXPECT_EQ(again("slack").kind, ChatSent::Kind::kNotSent);
  http_.Answer(200, R"({"messages": [], "has_more": true})");
  EXPECT_EQ(again("slack").kind, ChatSent::Kind::kUnknown) << "not all of it was seen";
  http_.Answer(200, R"({"posts": {"p1": {"props": {"yardmaster_key": "key-1"}}}})");
  EXPECT_EQ(again("mattermost"), (ChatSent{ChatSent::Kind::kSent, "p1", "", {}}));
  http_.Answer(403, R"({"message": "no"})");
  EXPECT_EQ(again("mattermost").kind, ChatSent::Kind::kUnknown);
  const size_t before = http_.requests().size();
  EXPECT_EQ(again("dingtalk").kind, ChatSent::Kind::kUnknown);
  EXPECT_EQ(http_.requests().size(), before) << "nobody could tell";
  http_.Answer(200, R"({"code": 0, "tenant_access_token": "t", "expire": 7200})");
  http_.Answer(200, R"({"code": 0, "data": {"message_id": "m2"}})");
  EXPECT_EQ(again("feishu"), (ChatSent{ChatSent::Kind::kSent, "m2", "", {}})) << "it takes one of two";
}

}  // namespace
}  // namespace yardmaster::chat
