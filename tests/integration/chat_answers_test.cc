// Commands from chat, from outside: five platforms say what people say and hear what the real daemon answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/pipe_fixture.h"
#include "tests/support/chat_faces.h"
#include "tests/support/chat_listener.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using testing::HeardInChat;
using testing::RawConnection;
using testing::SayInChat;
using testing::SignedChatRequest;
using testing::SourcePath;
using ::testing::StartsWith;

const std::vector<std::string> kListeners = {"slack", "mattermost", "feishu", "dingtalk", "wecom"};
constexpr const char* kChatRepository = "octo/repo";
// u1 is maria, who may write; u2 is bob, who may not; u3 is nobody. In channel 9 may be written, in 7 not.
constexpr const char* kWriter = "u1";
constexpr const char* kForbidden = "u2";
constexpr const char* kStranger = "u3";

class ChatAnswersTest : public testing::PipeTest {
 protected:
  void StartChat(const std::string& faults = "") {
    dir_.Write("chat.secret", std::string(testing::kChatSecret));
    dir_.Write("chat.aes", std::string(testing::kChatAesKey));
    const json secret = {{"file", "chat.secret"}};
    const json users = {{kWriter, {{"github", "maria"}}}, {kForbidden, {{"github", "bob"}}}};
    const json channels = {{"9", {{"repository", "github:octo/repo"}, {"may", {"write"}}}},
                           {"7", {{"repository", "github:octo/repo"}, {"may", {"read"}}}},
                           {"5", {{"repository", "github:octo/dry"}, {"may", {"write"}}}}};
    chat_ = {{"slack", {{"signing_secret", secret}, {"bot_token", secret}}},
             {"mattermost", {{"token", secret}, {"bot_token", secret}}},
             {"feishu",
              {{"encrypt_key", secret}, {"verification_token", secret}, {"app_id", "a1"}, {"app_secret", secret}}},
             {"dingtalk", {{"app_secret", secret}}},
             {"wecom",
              {{"corp_id", std::string(testing::kChatAppId)},
               {"token", secret},
               {"encoding_aes_key", {{"file", "chat.aes"}}},
               {"agent_id", "9"},
               {"secret", secret}}}};
    for (auto& [platform, config] : chat_.items()) {
      config["api_url"] = listener_.url(platform);
      config["users"] = users;
      config["channels"] = channels;
    }
    Start(SourcePath("rules/packs").string(), "hyper-parallel", faults);
    for (const std::string repository : {kChatRepository, "octo/dry"}) {
      Forge("repository", {{"forge", "github"}, {"repository", repository}, {"permissions", {{"maria", "write"}}}});
    }
  }

  std::string Send(const std::string& platform, const SignedChatRequest& request) {
    RawConnection connection(static_cast<uint16_t>(std::stoi(http_.substr(http_.find(':') + 1))));
    std::string text = "POST /chat/" + platform + (request.query.empty() ? "" : "?" + request.query) +
                       " HTTP/1.1\r\nHost: " + http_ + "\r\nContent-Length: " + std::to_string(request.body.size()) +
                       "\r\nConnection: close\r\n";
    for (const auto& [name, value] : request.headers) text.append(name).append(": ").append(value).append("\r\n");
    connection.Send(text.append("\r\n").append(request.body));
    return connection.ReadToEnd();
  }
  SignedChatRequest Says(const std::string& platform, const std::string& user, const std::string& text,
                         const std::string& channel = "9") {
    const std::string reply = platform == "dingtalk" ? listener_.url(platform) + "/session" : "";
    return SayInChat(platform, {std::to_string(++said_), user, channel, text, reply}, system_clock::now());
  }
  // What is answered to it, once everything is done; exactly one message.
  HeardInChat Ask(const std::string& platform, const std::string& user, const std::string& text,
                  const std::string& channel = "9") {
    const size_t before = listener_.Heard(platform).size();
    EXPECT_THAT(Send(platform, Says(platform, user, text, channel)), StartsWith("HTTP/1.1 200 "));
    if (!listener_.WaitFor(platform, before + 1)) {
      ADD_FAILURE() << platform << ": no answer to " << text;
      return {};
    }
    Drain();
    const std::vector<HeardInChat> heard = listener_.Heard(platform);
    EXPECT_THAT(heard, SizeIs(before + 1)) << platform << ": " << text;
    return heard.empty() ? HeardInChat{} : heard.back();
  }
  // An issue that is in the pack's queue.
  int64_t Issue(const std::string& repository = kChatRepository) {
    return Open("github", repository, "Crash in fully_shard", "`fully_shard` fails with an error.", {});
  }

  testing::ChatListener listener_;
  int said_ = 1'000;
};

TEST_F(ChatAnswersTest, EveryPlatformIsAnsweredOnceHoweverOftenItSends) {
  StartChat();
  const std::string number = std::to_string(Issue());
  Drain();
  for (const std::string& platform : kListeners) {
    SCOPED_TRACE(platform);
    const HeardInChat help = Ask(platform, kStranger, "/help");
    EXPECT_THAT(help.text, HasSubstr("/why"));
    const SignedChatRequest request = Says(platform, kStranger, "/why #" + number);
    const size_t before = listener_.Heard(platform).size();
    for (int i = 0; i < 4; ++i) EXPECT_THAT(Send(platform, request), StartsWith("HTTP/1.1 200 "));
    EXPECT_TRUE(listener_.WaitFor(platform, before + 1));
    Drain();
    EXPECT_THAT(listener_.Heard(platform), SizeIs(before + 1)) << "the platform sent it four times";
    EXPECT_THAT(listener_.Heard(platform).back().text, HasSubstr("/why"));
    // A sentence, a number that nobody has, and no number.
    EXPECT_THAT(Ask(platform, kStranger, "why was #" + number + " labelled that way?").text, Not(IsEmpty()));
    EXPECT_THAT(Ask(platform, kStranger, "/why #4711").text, HasSubstr("no issue or pull request"));
    EXPECT_THAT(Ask(platform, kStranger, "/why").text, HasSubstr("number"));
  }
}

TEST_F(ChatAnswersTest, WhoMayNotWriteIsToldTheWayOut) {
  StartChat();
  for (const std::string& platform : kListeners) {
    SCOPED_TRACE(platform);
    const int64_t issue = Issue();
    const std::string command = "/triage #" + std::to_string(issue);
    Drain();
    const auto labels = Labels(Subject("github", kChatRepository, issue));
    EXPECT_THAT(Ask(platform, kStranger, command).text, HasSubstr("the operator to add"));
    EXPECT_THAT(Ask(platform, kWriter, command, "7").text, HasSubstr("for reading"));
    const HeardInChat forbidden = Ask(platform, kForbidden, command);
    const HeardInChat writer = Ask(platform, kWriter, command);
    if (platform == "dingtalk") {
      // Its signature does not cover the body: nobody writes.
      EXPECT_THAT(forbidden.text, HasSubstr("does not prove"));
      EXPECT_THAT(writer.text, HasSubstr("does not prove"));
      continue;
    }
    EXPECT_THAT(forbidden.text, HasSubstr("not carried out"));
    EXPECT_THAT(forbidden.text, HasSubstr("may triage or write"));
    EXPECT_THAT(writer.text, Not(HasSubstr("not carried out")));
    EXPECT_THAT(writer.text, Not(HasSubstr("did not work")));
    EXPECT_EQ(Labels(Subject("github", kChatRepository, issue)).size() >= labels.size(), true);
  }
}

TEST_F(ChatAnswersTest, AForgeThatIsSlowHoldsUpTheAnswerAndNotTheReceipt) {
  StartChat();
  const std::string number = std::to_string(Issue());
  Drain();
  Forge("faults", {{"slow", 100}});
  for (const std::string& platform : kListeners) {
    SCOPED_TRACE(platform);
    const SignedChatRequest request = Says(platform, kWriter, "/why #" + number);
    const auto before = steady_clock::now();
    EXPECT_THAT(Send(platform, request), StartsWith("HTTP/1.1 200 "));
    EXPECT_LT(steady_clock::now() - before, seconds(1));
    // The platform has lost our receipt.
    EXPECT_THAT(Send(platform, request), StartsWith("HTTP/1.1 200 "));
  }
  EXPECT_THAT(listener_.Heard(), IsEmpty()) << "the forge has said nothing yet";
  Forge("faults", {{"slow", 0}});
  for (const std::string& platform : kListeners) EXPECT_TRUE(listener_.WaitFor(platform, 1, seconds(30))) << platform;
  Drain();
  for (const std::string& platform : kListeners) EXPECT_THAT(listener_.Heard(platform), SizeIs(1)) << platform;
}

TEST_F(ChatAnswersTest, AKillAnywhereLeadsToOneAnswer) {
  StartChat();
  const std::string number = std::to_string(Issue());
  Drain();
  // 1. Between the receipt and the work.
  for (const std::string& platform : kListeners) {
    EXPECT_THAT(Send(platform, Says(platform, kStranger, "/why #" + number)), StartsWith("HTTP/1.1 200 "));
  }
  KillDaemon();
  StartDaemon();
  for (const std::string& platform : kListeners) EXPECT_TRUE(listener_.WaitFor(platform, 1)) << platform;
  Drain();
  for (const std::string& platform : kListeners) EXPECT_THAT(listener_.Heard(platform), SizeIs(1)) << platform;
  // 2. The platform has the message, and we never learnt it.
  for (const std::string& platform : kListeners) {
    SCOPED_TRACE(platform);
    listener_.DelayAnswers(milliseconds(2'000));
    EXPECT_THAT(Send(platform, Says(platform, kStranger, "/help")), StartsWith("HTTP/1.1 200 "));
    EXPECT_TRUE(listener_.WaitFor(platform, 2));
    KillDaemon();
    listener_.DelayAnswers(milliseconds(0));
    StartDaemon();
    Drain();
    EXPECT_THAT(listener_.Heard(platform), SizeIs(2));
  }
}

TEST_F(ChatAnswersTest, NothingThatIsRepeatedCallsAnybody) {
  StartChat();
  for (const std::string& platform : kListeners) {
    SCOPED_TRACE(platform);
    const HeardInChat heard = Ask(platform, kStranger, "/sqaush @all @channel <!channel> <at id=all></at> <@all>");
    // What each of them would take for a call.
    const std::map<std::string, std::vector<std::string>> calls = {{"slack", {"<!", "<@"}},
                                                                   {"mattermost", {"@all", "@channel"}},
                                                                   {"feishu", {"<at "}},
                                                                   {"dingtalk", {"@all"}},
                                                                   {"wecom", {"<@"}}};
    for (const std::string& call : calls.at(platform)) EXPECT_THAT(heard.text, Not(HasSubstr(call)));
  }
}

TEST_F(ChatAnswersTest, WhatThePlatformRefusesInItsOwnFormIsSaidPlainly) {
  StartChat();
  listener_.RefuseForms(true);
  for (const std::string& platform : kListeners) {
    SCOPED_TRACE(platform);
    EXPECT_THAT(Ask(platform, kStranger, "/help").text, HasSubstr("/why"));
  }
}

TEST_F(ChatAnswersTest, ADryRunIsAnsweredAndWritesNothing) {
  StartChat();
  const int64_t issue = Issue("octo/dry");
  Drain();
  const json before = Subject("github", "octo/dry", issue);
  EXPECT_THAT(Ask("slack", kWriter, "/triage #" + std::to_string(issue), "5").text, HasSubstr("/triage"));
  EXPECT_EQ(Subject("github", "octo/dry", issue), before);
}

}  // namespace
}  // namespace yardmaster
