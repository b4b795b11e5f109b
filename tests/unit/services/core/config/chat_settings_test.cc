#include "services/core/config/chat_settings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "services/core/config/config.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ChatSettingsTest : public ::testing::Test {
 protected:
  std::optional<Config> Parse(const std::string& chat, bool resolve = true) {
    problems_.clear();
    ConfigOptions options;
    options.getenv = [](const std::string& name) -> std::optional<std::string> {
      if (name == "KEY") return "jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C";
      return name == "S" ? std::optional<std::string>("secret-value") : std::nullopt;
    };
    options.resolve_secrets = resolve;
    return ParseConfig(
        "config.json",
        R"({"forges": {"github": {}}, "repositories": [{"forge": "github", "repository": "o/with", "packs": ["a"]}], "chat": )" +
            chat + "}",
        dir_.path(), problems_, options);
  }
  Problem OnlyProblem(const std::string& chat) {
    EXPECT_FALSE(Parse(chat).has_value()) << chat;
    EXPECT_THAT(problems_, SizeIs(1)) << chat << "\n" << All();
    return problems_.empty() ? Problem() : problems_[0];
  }
  std::string All() const {
    std::string out;
    for (const Problem& problem : problems_) out += problem.ToString() + "\n";
    return out;
  }

  testing::TempDir dir_;
  Problems problems_;
};

TEST_F(ChatSettingsTest, EveryPlatformIsRead) {
  const std::optional<Config> config = Parse(R"({
    "slack": {"signing_secret": {"env": "S"}, "bot_token": {"env": "S"}, "api_url": "http://127.0.0.1:99/api/",
              "users": {"U123": {"github": "alice"}},
              "channels": {"C9": {"repository": "github:o/r", "may": ["read", "write"]}, "C8": {"repository": "github:o/r"}}},
    "mattermost": {"token": {"env": "S"}, "api_url": "https://chat.example.org"},
    "feishu": {"app_id": "cli_1", "app_secret": {"env": "S"}, "encrypt_key": {"env": "S"}, "verification_token": {"env": "S"}},
    "dingtalk": {"app_secret": {"env": "S"}},
    "wecom": {"corp_id": "ww1", "token": {"env": "S"}, "encoding_aes_key": {"env": "KEY"}, "agent_id": 218, "secret": {"env": "S"}}})");
  ASSERT_TRUE(config.has_value()) << All();
  ASSERT_NE(config->chat, nullptr);
  EXPECT_THAT(config->chat->platforms, SizeIs(5));
  const chat::PlatformConfig& slack = config->chat->platforms.at("slack");
  EXPECT_EQ(slack.api_url, "http://127.0.0.1:99/api");
  EXPECT_EQ(slack.SecretText("signing_secret"), "secret-value");
  EXPECT_EQ(slack.users.at("U123").at("github"), "alice");
  EXPECT_EQ(slack.channels.at("C9").forge, "github");
  EXPECT_EQ(slack.channels.at("C9").repository, "o/r");
  EXPECT_TRUE(slack.channels.at("C9").may_write);
  EXPECT_FALSE(slack.channels.at("C8").may_write);
  EXPECT_EQ(config->chat->platforms.at("feishu").api_url, "https://open.feishu.cn");
  EXPECT_EQ(config->chat->platforms.at("wecom").Id("agent_id"), "218");
  int secrets = 0;
  config->ForEachSecret([&](const Secret& secret) { secrets += secret.empty() ? 0 : 1; });
  EXPECT_EQ(secrets, 10) << "the redactor knows all of them";
}

TEST_F(ChatSettingsTest, AnEmptySectionIsNoPlatform) { EXPECT_THAT(Parse("{}")->chat->platforms, IsEmpty()); }

TEST_F(ChatSettingsTest, WhatIsMissingIsNamed) {
  struct Case {
    const char* chat;
    const char* pointer;
    const char* key;
  };
  for (const Case& one : std::vector<Case>{
           {R"({"slack": {}})", "/chat/slack", "signing_secret"},
           {R"({"mattermost": {"token": {"env": "S"}}})", "/chat/mattermost", "api_url"},
           {R"({"feishu": {"encrypt_key": {"env": "S"}}})", "/chat/feishu", "verification_token"},
           {R"({"wecom": {"token": {"env": "S"}, "encoding_aes_key": {"env": "KEY"}}})", "/chat/wecom", "corp_id"},
           {R"({"slack": {"signing_secret": {"env": "S"}, "channels": {"C9": {"may": ["read"]}}}})",
            "/chat/slack/channels/C9", "repository"}}) {
    const Problem problem = OnlyProblem(one.chat);
    EXPECT_EQ(problem.pointer, one.pointer);
    EXPECT_THAT(problem.message, HasSubstr(one.key));
  }
}

TEST_F(ChatSettingsTest, WhatIsWrongIsNamed) {
  const auto slack = [](const std::string& more) {
    return R"({"slack": {"signing_secret": {"env": "S"}, )" + more + "}}";
  };
  EXPECT_EQ(OnlyProblem(R"({"irc": {}})").pointer, "/chat/irc");
  EXPECT_EQ(OnlyProblem(R"({"slack": {"signing_secret": "in the open"}})").pointer, "/chat/slack/signing_secret");
  EXPECT_EQ(OnlyProblem(slack(R"("token": {"env": "S"})")).pointer, "/chat/slack/token");
  EXPECT_THAT(OnlyProblem(slack(R"("api_url": "http://slack.example")")).message, HasSubstr("loopback"));
  EXPECT_EQ(OnlyProblem(slack(R"("channels": {"C9": {"repository": "gitcode:o/r"}})")).pointer,
            "/chat/slack/channels/C9/repository");
  EXPECT_EQ(OnlyProblem(slack(R"("channels": {"C9": {"repository": "github:o/*"}})")).pointer,
            "/chat/slack/channels/C9/repository");
  EXPECT_EQ(OnlyProblem(slack(R"("channels": {"C9": {"repository": "github:o/r", "may": ["admin"]}})")).pointer,
            "/chat/slack/channels/C9/may/0");
  EXPECT_EQ(OnlyProblem(slack(R"("direct": {"may": ["read"]})")).pointer, "/chat/slack/direct");
  EXPECT_EQ(OnlyProblem(slack(R"("direct": {"repository": "github:o/*"})")).pointer, "/chat/slack/direct/repository");
  EXPECT_EQ(OnlyProblem(slack(R"("direct": {"repository": "github:o/r", "may": ["admin"]})")).pointer,
            "/chat/slack/direct/may/0");
  EXPECT_THAT(OnlyProblem(R"({"wecom": {"corp_id": "ww1", "token": {"env": "S"}, "encoding_aes_key": {"env": "KEY"},
                                         "direct": {"repository": "github:o/r"}}})")
                  .message,
              HasSubstr("use \"channels\""));
  EXPECT_EQ(OnlyProblem(slack(R"("users": {"U 1": {"github": "a"}})")).pointer, "/chat/slack/users/U 1");
  EXPECT_EQ(OnlyProblem(slack(R"("users": {"U1": {"github": "../a"}})")).pointer, "/chat/slack/users/U1/github");
  EXPECT_EQ(
      OnlyProblem(R"({"wecom": {"corp_id": "ww1", "token": {"env": "S"}, "encoding_aes_key": {"env": "S"}}})").pointer,
      "/chat/wecom/encoding_aes_key");
}

TEST_F(ChatSettingsTest, DirectConversationsHaveADefault) {
  const std::optional<Config> config = Parse(
      R"({"slack": {"signing_secret": {"env": "S"}, "direct": {"repository": "github:o/with", "may": ["write"]}}})");
  ASSERT_TRUE(config.has_value()) << All();
  const auto& direct = config->chat->platforms.at("slack").direct;
  ASSERT_TRUE(direct.has_value());
  EXPECT_EQ(direct->repository, "o/with");
  EXPECT_TRUE(direct->may_write);
  EXPECT_THAT(config->warnings, ::testing::Not(Contains(HasSubstr("/chat"))));
}

TEST_F(ChatSettingsTest, AMapOfAnotherForgeIsOnlyAWarning) {
  const std::optional<Config> config =
      Parse(R"({"slack": {"signing_secret": {"env": "S"}, "users": {"U1": {"gitcode": "a"}}}})");
  ASSERT_TRUE(config.has_value()) << All();
  EXPECT_THAT(config->warnings, Contains(HasSubstr("/chat/slack/users/U1/gitcode")));
}

TEST_F(ChatSettingsTest, AChannelAboutARepositoryWithoutPacksIsAWarning) {
  const std::optional<Config> config = Parse(
      R"({"slack": {"signing_secret": {"env": "S"}, "channels": {"C9": {"repository": "github:o/r"}, "C8": {"repository": "github:o/with"}}}})");
  ASSERT_TRUE(config.has_value()) << All();
  EXPECT_THAT(config->warnings, Contains(HasSubstr("/chat/slack/channels/C9/repository")));
  EXPECT_THAT(config->warnings, ::testing::Not(Contains(HasSubstr("/chat/slack/channels/C8"))));
}

TEST_F(ChatSettingsTest, OnAnotherMachineSecretsAreCheckedInFormOnly) {
  EXPECT_TRUE(Parse(R"({"slack": {"signing_secret": {"env": "NOT_HERE"}}})", /*resolve=*/false).has_value()) << All();
  EXPECT_THAT(problems_, IsEmpty());
}

}  // namespace
}  // namespace yardmaster
