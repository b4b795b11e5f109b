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
    for (const KeyRule& rule : row.ids) {
      if (rule.key == "robot_code") continue;
      config.ids.emplace(rule.key, rule.key == "agent_id" ? "218" : "id&1");
    }
    for (const KeyRule& rule : row.secrets) config.secrets.emplace(rule.key, Secret("s+" + std::string(rule.key)));
    return config;
  }
  ChatSent Send(std::string_view platform, const ChatPlace& place) {
    return ChatClient(platform, Full(platform), http_, clock_).Send(place, {"hello <!channel>"}, "key-1");
  }
  // What came with an address for its answers.
  ChatPlace Answered(const std::string& url) const {
    ChatPlace place = place_;
    place.reply_url = url;
    place.reply_until = clock_.Now() + minutes(30);
    return place;
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
  ChatPlace place = Answered("https://hooks.slack.com/x");
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
  PlatformConfig keyless = Full("dingtalk");
  keyless.ids.erase("app_key");
  EXPECT_EQ(ChatClient("dingtalk", keyless, http_, clock_).Send(place_, {"x"}, "k").kind, Kind::kNoPlace);
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
  const ChatPlace place = Answered("https://oapi.dingtalk.com/robot/sendBySession?session=x");
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
    return ChatClient(platform, Full(platform), http_, clock_).SendAgain(place_, answer, answer.key, clock_.Now());
  };
  http_.Answer(200, R"({"messages": [{"ts": "7", "blocks": [{"block_id": "key-1"}]}], "has_more": false})");
  EXPECT_EQ(again("slack"), (ChatSent{ChatSent::Kind::kSent, "7", "", {}}));
  EXPECT_EQ(http_.requests().back().method, "GET");
  http_.Answer(200, R"({"messages": [{"ts": "7"}], "has_more": false})");
  EXPECT_EQ(again("slack").kind, ChatSent::Kind::kNotSent);
  http_.Answer(200, R"({"messages": [{"metadata": {"event_payload": {"key": "key-1"}}, "ts": "8"}]})");
  EXPECT_EQ(again("slack").message, "8") << "a message without blocks";
  http_.Answer(200, R"({"messages": [], "has_more": true})");
  EXPECT_EQ(again("slack").kind, ChatSent::Kind::kUnknown) << "not all of it was seen";
  http_.Answer(200, R"({"messages": [], "has_more": true, "response_metadata": {"next_cursor": "c="}})");
  http_.Answer(200, R"({"messages": [{"ts": "9", "blocks": [{"block_id": "key-1"}]}], "has_more": false})");
  EXPECT_EQ(again("slack").message, "9") << "on the next page";
  EXPECT_THAT(http_.requests().back().url, HasSubstr("&cursor=c%3D"));
  http_.Answer(200, R"({"posts": {"p1": {"props": {"yardmaster_key": "key-1"}}}})");
  EXPECT_EQ(again("mattermost"), (ChatSent{ChatSent::Kind::kSent, "p1", "", {}}));
  const auto since =
      std::chrono::duration_cast<std::chrono::milliseconds>((clock_.Now() - seconds(60)).time_since_epoch());
  EXPECT_THAT(http_.requests().back().url, HasSubstr("/posts?since=" + std::to_string(since.count())));
  http_.Answer(200, R"({"posts": {"p1": {"props": {}}}})");
  EXPECT_EQ(again("mattermost").kind, ChatSent::Kind::kNotSent) << "all since it was sent";
  http_.Answer(403, R"({"message": "no"})");
  EXPECT_EQ(again("mattermost").kind, ChatSent::Kind::kUnknown);
  const size_t before = http_.requests().size();
  EXPECT_EQ(again("dingtalk").kind, ChatSent::Kind::kUnknown);
  EXPECT_EQ(http_.requests().size(), before) << "nobody could tell";
  http_.Answer(200, R"({"code": 0, "tenant_access_token": "t", "expire": 7200})");
  http_.Answer(200, R"({"code": 0, "data": {"message_id": "m2"}})");
  EXPECT_EQ(again("feishu"), (ChatSent{ChatSent::Kind::kSent, "m2", "", {}})) << "it takes one of two";
}

TEST_F(ChatClientTest, APlainTextByAnAddressIsFoundAgain) {
  const ChatPlace place = Answered("https://hooks.slack.com/x");
  ChatAnswer answer{"hello"};
  answer.key = "key-1";
  ChatClient slack("slack", Full("slack"), http_, clock_);
  const std::string refused = R"({"ok": false, "error": "invalid_blocks"})";
  // Refused in its own form, by the address and by the API; then said plainly, and the answer to that is lost.
  http_.Answer(200, refused);
  http_.Answer(200, refused);
  http_.Fail(HttpFailure::Kind::kTimeout, /*sent=*/true);
  EXPECT_EQ(slack.Send(place, answer, answer.key).kind, Kind::kUnknown);
  EXPECT_EQ(http_.requests().back().url, place.reply_url);
  // What Slack keeps of it.
  const json said = {{"ts", "7"}, {"text", json::parse(http_.requests().back().body)["text"]}};
  const json other = {{"ts", "6"}, {"text", "hello"}};
  http_.Answer(200, json{{"messages", {other, said}}, {"has_more", false}}.dump());
  EXPECT_EQ(slack.SendAgain(place, answer, answer.key, clock_.Now()), (ChatSent{Kind::kSent, "7", "", {}}));
  http_.Answer(200, json{{"messages", {other}}, {"has_more", false}}.dump());
  EXPECT_EQ(slack.SendAgain(place, answer, answer.key, clock_.Now()).kind, Kind::kNotSent);
}

TEST_F(ChatClientTest, AKeyIsTrustedForAsLongAsThePlatformLooksAtIt) {
  const auto again = [&](std::string_view platform, std::chrono::minutes age) {
    return ChatClient(platform, Full(platform), http_, clock_)
        .SendAgain(place_, {"hello"}, "key-1", clock_.Now() - age);
  };
  EXPECT_EQ(again("feishu", minutes(60)).kind, Kind::kUnknown);
  EXPECT_EQ(again("wecom", minutes(30)).kind, Kind::kUnknown);
  EXPECT_THAT(http_.requests(), IsEmpty()) << "a second message would be one too many";
  http_.Answer(200, R"({"errcode":0,"access_token":"a","expires_in":7200})");
  http_.Answer(200, R"({"errcode":0,"msgid":"m7"})");
  EXPECT_EQ(again("wecom", minutes(20)).kind, Kind::kSent);
}

TEST_F(ChatClientTest, ATokenThatIsRefusedWhileLookingSaysNothingAboutTheMessage) {
  const auto again = [&](std::string_view platform) {
    return ChatClient(platform, Full(platform), http_, clock_).SendAgain(place_, {"hello"}, "key-1", clock_.Now());
  };
  http_.Answer(200, R"({"ok":false,"error":"token_revoked"})");
  EXPECT_EQ(again("slack").kind, Kind::kLimited) << "it is looked for again once there is another";
  http_.Answer(200, R"({"ok":false,"error":"ratelimited"})");
  EXPECT_EQ(again("slack").kind, Kind::kLimited);
  http_.Answer(200, R"({"ok":false,"error":"not_in_channel"})");
  EXPECT_EQ(again("slack").kind, Kind::kUnknown);
  http_.Answer(401, R"({"message":"Invalid or expired session"})");
  EXPECT_EQ(again("mattermost").kind, Kind::kLimited);
  http_.Answer(200, R"({"ok":false,"error":"invalid_auth"})");
  EXPECT_EQ(Send("slack", place_).kind, Kind::kNoToken) << "an operator replaces it, and nothing is lost";
}

TEST_F(ChatClientTest, AnAnswerByMattermostsAddressCarriesItsKeyToo) {
  const ChatPlace place = Answered("http://127.0.0.1:99/hooks/commands/x");
  ChatAnswer answer{"hello"};
  answer.key = "key-1";
  http_.Answer(200, R"({"status":"OK"})");
  EXPECT_EQ(ChatClient("mattermost", Full("mattermost"), http_, clock_).Send(place, answer, answer.key).kind,
            Kind::kSent);
  EXPECT_EQ(json::parse(http_.requests()[0].body)["props"]["yardmaster_key"], "key-1");
  // An address that has ended before its time.
  http_.Answer(404, R"({"message":"hook not found"})");
  http_.Answer(201, R"({"id":"p2"})");
  EXPECT_EQ(ChatClient("mattermost", Full("mattermost"), http_, clock_).Send(place, answer, answer.key).message, "p2");
  EXPECT_EQ(json::parse(http_.requests()[2].body)["props"]["yardmaster_key"], "key-1");
}

TEST_F(ChatClientTest, WhatChangesGoesWhereItCanBeChanged) {
  const ChatPlace place = Answered("https://hooks.slack.com/x");
  ChatAnswer answer{"working"};
  answer.changes = true;
  ChatClient slack("slack", Full("slack"), http_, clock_);
  http_.Answer(200, R"({"ok":true,"ts":"1.2"})");
  EXPECT_EQ(slack.Send(place, answer, "k").message, "1.2");
  EXPECT_THAT(http_.requests()[0].url, HasSubstr("chat.postMessage"));
  http_.Answer(200, R"({"ok":false,"error":"not_in_channel"})");
  http_.Answer(200, "ok");
  EXPECT_EQ(slack.Send(place, answer, "k").kind, Kind::kSent) << "a channel that the bot is not in";
  EXPECT_EQ(http_.requests()[2].url, place.reply_url);
}

TEST_F(ChatClientTest, AMessageIsChangedWhereThePlatformCanDoThat) {
  const ChatAnswer answer{"done"};
  const auto edit = [&](std::string_view platform) {
    return ChatClient(platform, Full(platform), http_, clock_).Edit(place_, "m/1", answer);
  };
  http_.Answer(200, R"({"ok":true,"ts":"m/1"})");
  EXPECT_EQ(edit("slack").kind, Kind::kSent);
  EXPECT_THAT(http_.requests().back().url, HasSubstr("/chat.update"));
  EXPECT_EQ(json::parse(http_.requests().back().body)["ts"], "m/1");
  http_.Answer(200, R"({"id":"m/1"})");
  EXPECT_EQ(edit("mattermost").kind, Kind::kSent);
  EXPECT_EQ(http_.requests().back().method, "PUT");
  EXPECT_THAT(http_.requests().back().url, HasSubstr("/api/v4/posts/m%2F1/patch"));
  http_.Answer(200, R"({"code":0,"tenant_access_token":"t-1","expire":7200})");
  http_.Answer(200, R"({"code":0})");
  EXPECT_EQ(edit("feishu").kind, Kind::kSent);
  EXPECT_EQ(http_.requests().back().method, "PATCH");
  EXPECT_THAT(json::parse(http_.requests().back().body)["content"].get<std::string>(), HasSubstr("update_multi"));
  EXPECT_EQ(edit("dingtalk").kind, Kind::kNoPlace);
  EXPECT_EQ(edit("wecom").kind, Kind::kNoPlace);
}

TEST_F(ChatClientTest, WhatIsForOnePersonIsShownToThemAlone) {
  ChatAnswer answer{"the code"};
  answer.only_for_asker = true;
  const auto send = [&](std::string_view platform, ChatPlace place) {
    return ChatClient(platform, Full(platform), http_, clock_).Send(place, answer, "key-1");
  };
  http_.Answer(200, R"({"ok":true,"message_ts":"1.2"})");
  EXPECT_EQ(send("slack", place_).kind, Kind::kSent);
  EXPECT_THAT(http_.requests().back().url, HasSubstr("chat.postEphemeral"));
  EXPECT_EQ(json::parse(http_.requests().back().body)["user"], "u1");
  http_.Answer(201, R"({"id":"p2"})");
  EXPECT_EQ(send("mattermost", place_).kind, Kind::kSent);
  EXPECT_EQ(json::parse(http_.requests().back().body)["user_id"], "u1");
  http_.Answer(403, R"({"message":"You do not have the appropriate permissions"})");
  http_.Answer(201, R"({"id":"p3"})");
  EXPECT_EQ(send("mattermost", place_).message, "p3") << "better told to all than not at all";
  EXPECT_FALSE(json::parse(http_.requests().back().body).contains("user_id"));
  http_.Answer(200, R"({"code":0,"tenant_access_token":"t-1","expire":7200})");
  http_.Answer(200, R"({"code":0,"data":{"message_id":"om_2"}})");
  EXPECT_EQ(send("feishu", place_).kind, Kind::kSent);
  EXPECT_EQ(json::parse(http_.requests().back().body)["receive_id"], "u1");
  http_.Answer(200, R"({"accessToken":"a","expireIn":7200})");
  http_.Answer(200, R"({"processQueryKey":"q"})");
  EXPECT_EQ(send("dingtalk", place_).kind, Kind::kSent);
  EXPECT_EQ(json::parse(http_.requests().back().body)["userIds"], json::array({"u1"}));
  // It is in no list, so nobody can tell whether it was sent.
  ChatClient slack("slack", Full("slack"), http_, clock_);
  EXPECT_EQ(slack.SendAgain(place_, answer, "key-1", clock_.Now()).kind, Kind::kUnknown);
}

TEST_F(ChatClientTest, DingtalkSaysItInTheChannelWithTheKeyOfTheApplication) {
  http_.Answer(200, R"({"accessToken":"a","expireIn":7200})");
  http_.Answer(200, R"({"processQueryKey":"q"})");
  EXPECT_EQ(Send("dingtalk", place_), (ChatSent{Kind::kSent, "q", "", {}}));
  EXPECT_EQ(http_.requests()[0].url, "http://127.0.0.1:99/v1.0/oauth2/accessToken");
  EXPECT_EQ(json::parse(http_.requests()[0].body)["appSecret"], "s+app_secret");
  EXPECT_EQ(http_.requests()[1].url, "http://127.0.0.1:99/v1.0/robot/groupMessages/send");
  EXPECT_EQ(HeaderOf(http_.requests()[1], "x-acs-dingtalk-access-token"), "a");
  const json body = json::parse(http_.requests()[1].body);
  EXPECT_EQ(body["openConversationId"], "C9");
  EXPECT_EQ(body["robotCode"], "id&1");
  EXPECT_THAT(json::parse(body["msgParam"].get<std::string>())["text"].get<std::string>(), HasSubstr("hello"));
  // By default the newer calls are at another host than the older ones.
  PlatformConfig shipped = Full("dingtalk");
  shipped.api_url = FindChatPlatform("dingtalk")->api_url;
  http_.Answer(200, R"({"accessToken":"a","expireIn":7200})");
  http_.Answer(403, R"({"code":"Forbidden.AccessDenied.QpsLimitForApi","message":"slow down"})");
  ChatPlace direct = place_;
  direct.direct = true;
  EXPECT_EQ(ChatClient("dingtalk", shipped, http_, clock_).Send(direct, {"x"}, "k").kind, Kind::kLimited);
  EXPECT_EQ(http_.requests().back().url, "https://api.dingtalk.com/v1.0/robot/oToMessages/batchSend");
}

TEST_F(ChatClientTest, DingtalksCardsHaveTheTemplateOfTheirNumberOfButtons) {
  ChatClient client("dingtalk", Full("dingtalk"), http_, clock_);
  http_.Answer(200, R"({"accessToken":"a","expireIn":7200})");
  ChatAnswer answer{"which one?"};
  const auto sent = [&] {
    http_.Answer(200, R"({"processQueryKey":"q"})");
    EXPECT_EQ(client.Send(place_, answer, "k").kind, Kind::kSent);
    return json::parse(http_.requests().back().body);
  };
  answer.choices = {{"one", "", "/one"}};
  json body = sent();
  EXPECT_EQ(body["msgKey"], "sampleActionCard");
  json shown = json::parse(body["msgParam"].get<std::string>());
  EXPECT_EQ(shown["singleTitle"], "one");
  EXPECT_EQ(shown["singleURL"], "dtmd://dingtalkclient/sendMessage?content=%2Fone");
  answer.choices.push_back({"two", "", "/two"});
  answer.choices.push_back({"three", "", "/three"});
  body = sent();
  EXPECT_EQ(body["msgKey"], "sampleActionCard3");
  EXPECT_EQ(body["openConversationId"], "C9");
  shown = json::parse(body["msgParam"].get<std::string>());
  EXPECT_EQ(shown["actionTitle3"], "three");
  EXPECT_EQ(shown["actionURL3"], "dtmd://dingtalkclient/sendMessage?content=%2Fthree");
  EXPECT_EQ(shown["text"], "which one?");
}

TEST_F(ChatClientTest, ThePlatformSaysHowLongToWait) {
  const ChatPlace place = Answered("https://oapi.dingtalk.com/robot/sendBySession?session=x");
  http_.Answer(200, R"({"errcode":130101,"errmsg":"send too fast"})");
  EXPECT_EQ(Send("dingtalk", place).wait, minutes(10)) << "it is blocked for so long";
  http_.Answer(200, R"({"code":0,"tenant_access_token":"t-1","expire":7200})");
  http_.Answer(400, R"({"code":99991400,"msg":"request trigger frequency limit"})", {{"x-ogw-ratelimit-reset", "17"}});
  EXPECT_EQ(Send("feishu", place_).wait, seconds(17));
  http_.Answer(200, R"({"code":0,"tenant_access_token":"t-1","expire":7200})");
  http_.Answer(429, "", {{"x-ogw-ratelimit-reset", "23"}});
  EXPECT_EQ(Send("feishu", place_).wait, seconds(23));
}

}  // namespace
}  // namespace yardmaster::chat
