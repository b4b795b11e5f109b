#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "clients/chat/button.h"
#include "clients/chat/chat_answer.h"
#include "clients/chat/crypto.h"
#include "clients/chat/feishu_text.h"
#include "clients/chat/form.h"
#include "clients/chat/platform.h"
#include "clients/chat/reply_url.h"
#include "clients/chat/slack_markup.h"
#include "clients/chat/slack_text.h"
#include "clients/chat/wecom_xml.h"

namespace yardmaster::chat {
namespace {

using std::chrono::seconds;
using ::testing::HasSubstr;
using ::testing::Not;

const std::chrono::system_clock::time_point kNow{seconds(1'764'000'000)};

TEST(Crypto, KnownAnswers) {
  // RFC 4231, case 2; RFC 3174, "abc".
  EXPECT_EQ(HmacSha256Hex("Jefe", "what do ya want for nothing?"),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(Sha1Hex("abc"), "a9993e364706816aba3e25717850c26c9cd0d89d");
}

TEST(Crypto, SecretsAreTheSameOrNot) {
  EXPECT_TRUE(SameSecret("abc", "abc"));
  EXPECT_FALSE(SameSecret("abd", "abc"));
  EXPECT_FALSE(SameSecret("ab", "abc"));
  EXPECT_FALSE(SameSecret("", ""));
}

TEST(Crypto, WhatIsNoBlockIsNotDecrypted) {
  const std::string key(32, 'k');
  const std::string iv(16, 'i');
  EXPECT_FALSE(DecryptAes256Cbc(key, iv, "", 16).has_value());
  EXPECT_FALSE(DecryptAes256Cbc(key, iv, std::string(15, 'x'), 16).has_value());
  EXPECT_FALSE(DecryptAes256Cbc("short", iv, std::string(16, 'x'), 16).has_value());
  EXPECT_FALSE(DecryptAes256Cbc(key, iv, std::string(16, 'x'), 16).has_value()) << "wrong padding";
}

TEST(Crypto, AKeyWhoseLastBitsAreNotZeroIsAKey) {
  // 43 characters are 258 bits: platforms draw all of them at random.
  const std::vector<KeyRule>& rules = FindChatPlatform("wecom")->secrets;
  EXPECT_EQ(rules[1].check("jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2D"), "");
  EXPECT_NE(rules[1].check("short"), "");
  EXPECT_NE(rules[1].check(std::string(43, '!')), "");
}

TEST(FormText, FieldsAreDecoded) {
  const std::optional<Form> form = Form::Parse("a=1+2&b=%E4%B8%AD&c&&d==");
  ASSERT_TRUE(form.has_value());
  EXPECT_EQ(form->Get("a"), "1 2");
  EXPECT_EQ(form->Get("b"), "中");
  EXPECT_TRUE(form->Has("c"));
  EXPECT_EQ(form->Get("d"), "=");
  EXPECT_EQ(form->Get("e"), "");
}

TEST(FormText, WhatIsAmbiguousOrBrokenIsNoForm) {
  for (const char* text : {"a=1&a=2", "a=%", "a=%1", "a=%gg", "a=%00", "%ff=1"}) {
    EXPECT_FALSE(Form::Parse(text).has_value()) << text;
  }
  std::string many;
  for (size_t i = 0; i <= kMaxFormFields; ++i) many += "f" + std::to_string(i) + "=1&";
  EXPECT_FALSE(Form::Parse(many).has_value());
}

TEST(DingtalkCard, ItsButtonsSayTheCommandForThePerson) {
  ChatAnswer answer{"which one, @all?"};
  answer.choices = {{"/test ut #12", "signed", "/test ut #12"}, {"/retest of everything #12", "signed", "/retest #12"}};
  const auto card = nlohmann::json::parse(RenderDingtalk(answer));
  EXPECT_EQ(card["msgtype"], "actionCard");
  EXPECT_EQ(card["actionCard"]["btns"][0]["actionURL"],
            "dtmd://dingtalkclient/sendMessage?content=%2Ftest%20ut%20%2312");
  EXPECT_EQ(card["actionCard"]["btns"][0]["title"], "/test ut #12");
  EXPECT_EQ(card["actionCard"]["btns"][1]["title"], "/retest of everyt…");
  EXPECT_THAT(card.dump(), Not(HasSubstr("signed"))) << "whoever sees the card sees its links";
  EXPECT_THAT(card["actionCard"]["text"].get<std::string>(), Not(HasSubstr("@all")));
  answer.choices = {{"long", "signed", std::string(600, 'x')}};
  EXPECT_EQ(nlohmann::json::parse(RenderDingtalk(answer))["msgtype"], "markdown") << "its text says what to write";
}

TEST(SlackText, ReferencesAndEscapesBecomeText) {
  EXPECT_EQ(SlackPlainText(" <@U1> <@U2|bot> triage &lt;b&gt; &amp;lt; in <#C1|general> "),
            "triage <b> &lt; in #general");
  EXPECT_EQ(SlackPlainText("<https://a.example/x?y=1&amp;z=2|here>"), "https://a.example/x?y=1&z=2");
  EXPECT_EQ(SlackPlainText("<@U1"), "<@U1");
  EXPECT_EQ(SlackPlainText("a < b"), "a < b");
}

TEST(FeishuText, NamesStandForPlaces) {
  const nlohmann::json mentions =
      nlohmann::json::parse(R"([{"key":"@_user_1","name":"Yard"},{"key":"@_user_12","name":"A"}])");
  EXPECT_EQ(FeishuPlainText("@_user_1 ask @_user_12 or @_user_3", &mentions, "@_user_1"), "ask @A or @_user_3");
  EXPECT_EQ(FeishuPlainText("please @_user_1 ask @_user_12", &mentions, "@_user_1"), "please ask @A");
  EXPECT_EQ(FeishuPlainText("@_user_12 and @_user_1", &mentions, "@_user_1"), "@A and");
  EXPECT_EQ(FeishuPlainText("plain", nullptr, ""), "plain");
}

TEST(FeishuText, TheBotIsKnownAmongThoseWhoAreMentioned) {
  const nlohmann::json untyped = nlohmann::json::parse(
      R"([{"key":"@_user_1","id":{"open_id":"ou_a"}},{"key":"@_user_2","id":{"open_id":"ou_bot"}}])");
  EXPECT_EQ(FeishuBotPlace("@_user_1 @_user_2", &untyped, "ou_bot"), "@_user_2");
  EXPECT_EQ(FeishuBotPlace("@_user_1 @_user_2", &untyped, "ou_other"), "") << "somebody else is meant";
  EXPECT_EQ(FeishuBotPlace("@_user_1 @_user_2", &untyped, ""), "@_user_1") << "nobody says which";
  const nlohmann::json typed = nlohmann::json::parse(
      R"([{"key":"@_user_1","mentioned_type":"user"},{"key":"@_user_2","mentioned_type":"bot"}])");
  EXPECT_EQ(FeishuBotPlace("@_user_1 @_user_2", &typed, ""), "@_user_2");
  const nlohmann::json people = nlohmann::json::parse(R"([{"key":"@_user_1","mentioned_type":"user"}])");
  EXPECT_EQ(FeishuBotPlace("@_user_1 hello", &people, ""), "");
  EXPECT_EQ(FeishuBotPlace("@_user_1 hello", nullptr, ""), "@_user_1");
  EXPECT_EQ(FeishuBotPlace("hello", nullptr, ""), "");
  const nlohmann::json everybody = nlohmann::json::parse(R"([{"key":"@_all"}])");
  EXPECT_EQ(FeishuBotPlace("@_all hello", &everybody, ""), "") << "everybody is not the bot";
}

TEST(SlackText, MarkdownIsTranslatedAndEverythingElseIsText) {
  EXPECT_EQ(SlackMarkup("**done**: [#12](https://forge.example/o/r/issues/12?a=1&b=2), see"),
            "*done*: <https://forge.example/o/r/issues/12?a=1&amp;b=2|#12>, see");
  EXPECT_EQ(SlackMarkup("## Heading **strong**\n* one\n  - two\nthree"), "*Heading strong*\n• one\n  • two\nthree");
  EXPECT_EQ(SlackMarkup("`**a** [b](https://c)` and ``x ` **y**``"), "`**a** [b](https://c)` and ``x ` **y**``");
  EXPECT_EQ(SlackMarkup("```\n* **not** bold\n```\n**bold**"), "```\n* **not** bold\n```\n*bold*");
  // No link of ours, and nothing that calls.
  for (const char* text : {"[a](javascript:x)", "[a](https://x|y)", "[a](https://x y)", "[a]", "[", "[](https://x)"}) {
    EXPECT_EQ(SlackMarkup(text), text);
  }
  EXPECT_EQ(SlackMarkup("[<!channel>](https://x)"), "<https://x|&lt;!channel&gt;>");
  EXPECT_EQ(SlackMarkup("[a](https://x><!channel>)"), "[a](https://x&gt;&lt;!channel&gt;)");
}

TEST(WecomXml, OnlyTextsOfOneElementAreRead) {
  const std::optional<WecomFields> fields =
      ParseWecomXml("<xml><A><![CDATA[1<2]]></A><B>&lt;x&#65;</B><C><D>in</D></C></xml>");
  ASSERT_TRUE(fields.has_value());
  EXPECT_EQ(fields->at("A"), "1<2");
  EXPECT_EQ(fields->at("B"), "<xA");
  EXPECT_EQ(fields->at("C"), "");
}

TEST(WecomXml, EntitiesAndWhatElseIsStrangeAreRefused) {
  for (const char* xml :
       {"", "<xml>", "<other/>", "<xml><A>1</A><A>2</A></xml>", "<!DOCTYPE xml><xml><A>1</A></xml>",
        "<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><xml><A>&b;</A></xml>", "<xml><A>\xff</A></xml>"}) {
    EXPECT_FALSE(ParseWecomXml(xml).has_value()) << xml;
  }
  std::string many = "<xml>";
  for (size_t i = 0; i < kMaxWecomElements; ++i) many += "<a/><b/>";
  EXPECT_FALSE(ParseWecomXml(many + "</xml>").has_value());
  std::string deep;
  for (size_t i = 0; i < 9'000; ++i) deep += "<a>";
  EXPECT_FALSE(ParseWecomXml("<xml>" + deep).has_value());
  // Entities that nobody declared stay as they are.
  EXPECT_EQ(ParseWecomXml("<xml><A>&file;</A></xml>")->at("A"), "&file;");
}

TEST(ButtonValue, OnlyWhatWeSignedOpensAndOnlyInTime) {
  const std::string value = SignButton("secret", "yes 7", kNow + kButtonLife);
  EXPECT_EQ(OpenButton("secret", value, kNow), "yes 7");
  EXPECT_FALSE(OpenButton("secret", value, kNow + kButtonLife).has_value());
  EXPECT_FALSE(OpenButton("other", value, kNow).has_value());
  EXPECT_FALSE(OpenButton("", value, kNow).has_value());
  for (size_t i = 0; i < value.size(); ++i) {
    std::string changed = value;
    changed[i] = changed[i] == '1' ? '2' : '1';
    EXPECT_FALSE(OpenButton("secret", changed, kNow).has_value()) << changed;
  }
  for (const char* text : {"", ".", "..", "1.2", "a.b.c"}) {
    EXPECT_FALSE(OpenButton("secret", text, kNow).has_value()) << text;
  }
}

TEST(ReplyUrl, OnlyThePlatformsOwnHosts) {
  const std::vector<std::string_view> hosts = {"hooks.slack.com"};
  const char* api = "http://127.0.0.1:8123/api";
  for (const char* url :
       {"https://hooks.slack.com/a?b=c", "https://hooks.slack.com:443/a", "http://127.0.0.1:8123/x"}) {
    EXPECT_EQ(AllowedReplyUrl(url, hosts, api), url);
  }
  for (const char* url : {"", "http://hooks.slack.com/a", "https://hooks.slack.com.evil.example/a",
                          "https://evil.example/hooks.slack.com", "https://hooks.slack.com@evil.example/",
                          "https://evil.example\\@hooks.slack.com/", "https://hooks.slack.com:8443/a",
                          "http://127.0.0.1:8124/x", "https://127.0.0.1:8123/x", "http://127.0.0.1/x",
                          "https://hooks.slack.com/a b", "https://hooks.slack.com/a\n"}) {
    EXPECT_EQ(AllowedReplyUrl(url, hosts, api), "") << url;
  }
}

// What an issue may hold in the hope that the bot says it again.
constexpr std::string_view kHostile =
    "<!channel> <!here> <@U1> <#C1> @channel @all @here @alice ~town-square <at id=all></at> <@all> <font> & **bold**";

TEST(Answers, NothingCallsAnybody) {
  const std::string slack = RenderSlack({std::string(kHostile)});
  for (const char* bad : {"<!", "<@", "<#"}) EXPECT_THAT(slack, Not(HasSubstr(bad)));
  EXPECT_THAT(slack, HasSubstr("\"verbatim\":true"));
  const std::string mattermost = RenderMattermost({std::string(kHostile)});
  for (const char* bad : {"@a", "@c", "@h", "~t"}) EXPECT_THAT(mattermost, Not(HasSubstr(bad)));
  const std::string feishu = RenderFeishu({std::string(kHostile)});
  for (const char* bad : {"<at", "<@", "</"}) EXPECT_THAT(feishu, Not(HasSubstr(bad)));
  const std::string dingtalk = RenderDingtalk({std::string(kHostile)});
  for (const char* bad : {"@a", "@c", "@h", "\"isAtAll\":true"}) EXPECT_THAT(dingtalk, Not(HasSubstr(bad)));
  const std::string wecom = RenderWecom({std::string(kHostile)});
  for (const char* bad : {"<@", "@a", "<font"}) EXPECT_THAT(wecom, Not(HasSubstr(bad)));
}

TEST(Answers, TheLimitsOfThePlatformsHold) {
  std::string text;
  for (int i = 0; i < 6'000; ++i) text += i % 7 == 0 ? "行<&@\n" : "word <&> ";
  const nlohmann::json slack = nlohmann::json::parse(RenderSlack({text}));
  size_t all = 0;
  for (const auto& block : slack["blocks"]) {
    EXPECT_LE(block["text"]["text"].get<std::string>().size(), 3'000U);
    all += block["text"]["text"].get<std::string>().size();
  }
  EXPECT_GT(all, 8'000U);
  EXPECT_LE(all, 13'200U) << "over all blocks";
  EXPECT_THAT(slack["blocks"].back()["text"]["text"].get<std::string>(), HasSubstr("…"));
  EXPECT_LE(nlohmann::json::parse(RenderMattermost({text}))["attachments"][0]["text"].get<std::string>().size(),
            16'383U);
  EXPECT_LE(nlohmann::json::parse(RenderFeishu({text}))["content"].get<std::string>().size(), 30'000U);
  // DingTalk's newer calls take it as JSON in JSON.
  EXPECT_LE(nlohmann::json::parse(RenderDingtalk({text}))["markdown"].dump().size(), 15'000U);
  EXPECT_LE(nlohmann::json::parse(RenderWecom({text}))["markdown"]["content"].get<std::string>().size(), 2'048U);
}

TEST(Answers, WecomTakesTwoAnswersThatSayTheSame) {
  ChatAnswer first{"There is nothing to do."};
  ChatAnswer second = first;
  first.key = "m-1";
  second.key = "m-2";
  EXPECT_NE(RenderWecom(first), RenderWecom(second));
  EXPECT_EQ(RenderWecom(first), RenderWecom(first)) << "one that is sent again is the same";
  EXPECT_NE(RenderPlain("wecom", first), RenderPlain("wecom", second));
  first.text = std::string(5'000, 'x');
  EXPECT_LE(nlohmann::json::parse(RenderWecom(first))["markdown"]["content"].get<std::string>().size(), 2'048U);
}

TEST(Answers, ButtonsAreShownWhereThePlatformHasThem) {
  ChatAnswer answer{"**Sure?**\nIt rewrites `topic`."};
  answer.key = "m-1";
  answer.choices = {{"Confirm", "signed-1"}, {"Other", "signed-2"}};
  const auto slack = nlohmann::json::parse(RenderSlack(answer));
  EXPECT_EQ(slack["blocks"].back()["elements"][1]["value"], "signed-2");
  const auto card = nlohmann::json::parse(nlohmann::json::parse(RenderFeishu(answer))["content"].get<std::string>());
  EXPECT_EQ(card["elements"].back()["actions"][0]["value"]["value"], "signed-1");
  EXPECT_FALSE(nlohmann::json::parse(RenderMattermost(answer))["attachments"][0].contains("actions"))
      << "nobody said where the server reaches us";
  answer.callback_url = "https://yard.example/chat/mattermost";
  const auto attachment = nlohmann::json::parse(RenderMattermost(answer))["attachments"][0];
  EXPECT_EQ(attachment["actions"][0]["integration"]["url"], answer.callback_url);
  EXPECT_EQ(attachment["actions"][0]["integration"]["context"]["value"], "signed-1");
  EXPECT_EQ(attachment["actions"][1]["name"], "Other");
  const auto wecom = nlohmann::json::parse(RenderWecom(answer));
  EXPECT_EQ(wecom["msgtype"], "template_card");
  EXPECT_EQ(wecom["template_card"]["task_id"], "m-1");
  EXPECT_EQ(wecom["template_card"]["button_list"][0]["key"], "signed-1");
  EXPECT_EQ(wecom["template_card"]["main_title"]["title"], "Sure?");
  EXPECT_THAT(wecom["template_card"]["sub_title_text"].get<std::string>(), HasSubstr("It rewrites topic."));
  answer.plain = true;
  EXPECT_THAT(RenderPlain("wecom", answer), Not(HasSubstr("signed")));
}

TEST(Answers, AShortTextIsWhole) {
  const std::string text = "**done**: `a < b`\nsecond line";
  EXPECT_EQ(nlohmann::json::parse(RenderSlack({text, true}))["response_type"], "ephemeral");
  EXPECT_EQ(nlohmann::json::parse(RenderSlack({text}))["blocks"][0]["text"]["text"], "*done*: `a &lt; b`\nsecond line");
  EXPECT_EQ(nlohmann::json::parse(RenderDingtalk({text}))["markdown"]["text"], text);
  EXPECT_EQ(nlohmann::json::parse(RenderMattermost({text}))["attachments"][0]["fallback"], "**done**: `a < b`");
}

}  // namespace
}  // namespace yardmaster::chat
