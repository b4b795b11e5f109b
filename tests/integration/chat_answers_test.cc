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
#include "tests/support/git_programs.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using std::chrono::system_clock;
using ::testing::HasSubstr;
using testing::HeardInChat;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::RawConnection;
using testing::SayInChat;
using testing::SignedChatRequest;
using ::testing::SizeIs;
using testing::SourcePath;
using ::testing::StartsWith;

const std::vector<std::string> kListeners = {"slack", "mattermost", "feishu", "dingtalk", "wecom"};
constexpr const char* kChatRepository = "octo/repo";
// u1 is maria, who may write; u2 is bob, who may not; u3 is nobody. In channel 9 may be written, in 7 not.
constexpr const char* kWriter = "u1";
constexpr const char* kForbidden = "u2";
constexpr const char* kStranger = "u3";
// Wrote the pull request.
constexpr const char* kAuthor = "u4";

class ChatAnswersTest : public testing::PipeTest {
 protected:
  void StartChat(const std::string& faults = "") {
    dir_.Write("chat.secret", std::string(testing::kChatSecret));
    dir_.Write("chat.aes", std::string(testing::kChatAesKey));
    const json secret = {{"file", "chat.secret"}};
    const json users = {
        {kWriter, {{"github", "maria"}}}, {kForbidden, {{"github", "bob"}}}, {kAuthor, {{"github", "alice"}}}};
    const json channels = {{"9", {{"repository", "github:octo/repo"}, {"may", {"write"}}}},
                           {"7", {{"repository", "github:octo/repo"}, {"may", {"read"}}}},
                           {"5", {{"repository", "github:octo/dry"}, {"may", {"write"}}}}};
    chat_ = {
        {"slack", {{"signing_secret", secret}, {"bot_token", secret}}},
        {"mattermost", {{"token", secret}, {"bot_token", secret}}},
        {"feishu", {{"encrypt_key", secret}, {"verification_token", secret}, {"app_id", "a1"}, {"app_secret", secret}}},
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

  std::string Git(const std::string& arguments, const std::string& folder = "work") const {
    testing::Process process({"sh", "-c", "cd '" + Path(folder) + "' && git " + arguments},
                             testing::GitEnvironment(dir_.path()));
    EXPECT_EQ(process.Wait(seconds(60)), 0) << arguments << process.Stderr();
    return process.Stdout();
  }
  void Commit(const std::string& file, const std::string& message) {
    dir_.Write("work/" + file, message + "\n");
    Git("add -A");
    Git("-c user.name=Alice -c user.email=alice@example.com commit -q -m '" + message + "'");
  }
  // alice's pull request of two commits.
  int64_t StartPull() {
    git_root_ = Path("served");
    for (const std::string name : {"octo/repo", "alice/repo"}) {
      Git("init -q --bare -b main " + git_root_ + "/" + name + ".git", ".");
      Git("-C " + git_root_ + "/" + name + ".git config http.receivepack true", ".");
    }
    Git("init -q -b main work", ".");
    Commit("a.py", "base");
    for (const std::string name : {"octo/repo", "alice/repo"}) Git("push -q " + git_root_ + "/" + name + ".git main");
    Git("checkout -q -b topic");
    Commit("b.py", "feat(b): add two");
    Commit("c.py", "feat(c): add three");
    Git("push -q " + git_root_ + "/alice/repo.git topic");
    StartChat();
    for (const std::string name : {"octo/repo", "alice/repo"}) {
      Forge("repository",
            {{"forge", "github"}, {"repository", name}, {"permissions", {{"maria", "write"}, {"yardbot", "write"}}}});
    }
    const json opened = Forge("pulls", {{"forge", "github"},
                                        {"repository", kChatRepository},
                                        {"title", "Two more"},
                                        {"body", "By hand."},
                                        {"user", "alice"},
                                        {"head_repository", "alice/repo"},
                                        {"head_ref", "topic"},
                                        {"base_ref", "main"},
                                        {"follow", true}});
    Drain();
    return opened.value("number", int64_t{0});
  }
  std::string Commits() const { return Git("log --format=%s main..topic", "served/alice/repo.git"); }

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

TEST_F(ChatAnswersTest, AButtonConfirmsOnceAndForItsPersonAlone) {
  const std::string number = std::to_string(StartPull());
  const std::string before = Commits();
  const HeardInChat asked = Ask("slack", kAuthor, "please squash PR " + number);
  EXPECT_THAT(asked.text, HasSubstr("nothing is done yet"));
  ASSERT_THAT(asked.button, Not(IsEmpty())) << asked.text;
  EXPECT_EQ(Commits(), before);
  const auto press = [&](const char* user) {
    const size_t heard = listener_.Heard("slack").size();
    const SignedChatRequest request =
        testing::PressInSlack({std::to_string(++said_), user, "9", asked.button}, system_clock::now());
    EXPECT_THAT(Send("slack", request), StartsWith("HTTP/1.1 200 "));
    EXPECT_TRUE(listener_.WaitFor("slack", heard + 1)) << Yard({"deliveries", "list"}).out;
    Drain();
    return listener_.Heard("slack").back().text;
  };
  EXPECT_THAT(press(kStranger), HasSubstr("the operator to add"));
  EXPECT_THAT(press(kWriter), HasSubstr("no command of yours waits"));
  EXPECT_EQ(Commits(), before);
  EXPECT_THAT(press(kAuthor), Not(HasSubstr("did not work")));
  EXPECT_EQ(Commits().find('\n'), Commits().size() - 1) << "one commit";
  const std::string after = Commits();
  EXPECT_THAT(press(kAuthor), HasSubstr("no command of yours waits"));
  EXPECT_EQ(Commits(), after);
}

TEST_F(ChatAnswersTest, ADryRunIsAnsweredAndWritesNothing) {
  StartChat();
  const int64_t issue = Issue("octo/dry");
  Drain();
  const json before = Subject("github", "octo/dry", issue);
  EXPECT_THAT(Ask("slack", kWriter, "/triage #" + std::to_string(issue), "5").text, HasSubstr("/triage"));
  EXPECT_EQ(Subject("github", "octo/dry", issue), before);
}

// The code that an answer of the bot gives out.
std::string CodeIn(const std::string& text) {
  static constexpr std::string_view kBefore = "/yard link ";
  const size_t at = text.find(kBefore);
  return at == std::string::npos ? "" : text.substr(at + kBefore.size(), 14);
}

TEST_F(ChatAnswersTest, PeopleLinkTheirAccountsThemselves) {
  StartChat();
  const int64_t issue = Issue();
  const std::string triage = "/triage #" + std::to_string(issue);
  Drain();
  const auto comment = [&](const std::string& user, const std::string& body) {
    Forge("comments",
          {{"forge", "github"}, {"repository", kChatRepository}, {"number", issue}, {"user", user}, {"body", body}});
    Drain();
    const json comments = Subject("github", kChatRepository, issue)["comments"];
    return comments.empty() ? std::string() : comments.back()["body"].get<std::string>();
  };
  std::string code;
  for (const std::string& platform : kListeners) {
    SCOPED_TRACE(platform);
    if (platform == "dingtalk") {
      EXPECT_THAT(Ask(platform, kStranger, "/yard link").text, HasSubstr("does not prove who said it"));
      continue;
    }
    code = CodeIn(Ask(platform, kStranger, "/yard link", "7").text);
    ASSERT_THAT(code, SizeIs(14));
    EXPECT_THAT(comment("maria", "/yard link " + code), HasSubstr("with your rights here"));
    const std::string done = Ask(platform, kStranger, triage).text;
    EXPECT_THAT(done, Not(HasSubstr("did not work")));
    EXPECT_THAT(done, Not(HasSubstr("not carried out")));
  }
  // The link lasts, and no log has the code.
  KillDaemon();
  EXPECT_THAT(daemon_->Stderr(), Not(HasSubstr(code)));
  StartDaemon();
  const std::string platform = "mattermost";
  EXPECT_THAT(Ask(platform, kStranger, triage).text, Not(HasSubstr("did not work")));
  EXPECT_THAT(Ask(platform, kStranger, "/yard unlink").text, HasSubstr("github:maria"));
  EXPECT_THAT(Ask(platform, kStranger, triage).text, HasSubstr("Say `/yard link`"));
  EXPECT_THAT(Ask(platform, kStranger, "/yard unlink").text, HasSubstr("not linked"));
  for (const std::string command : {"/yard link", "/yard unlink"}) {
    EXPECT_THAT(Ask(platform, kWriter, command).text, HasSubstr("configuration")) << command;
  }
  // Codes that are not good: one that another took the place of, one that nobody made, none, and a used one.
  const std::string first = CodeIn(Ask(platform, kStranger, "/yard link").text);
  const std::string second = CodeIn(Ask(platform, kStranger, "/yard link").text);
  EXPECT_NE(first, second);
  EXPECT_THAT(Ask(platform, kStranger, "/yard link " + second).text, HasSubstr("posted on the forge"));
  EXPECT_THAT(comment("maria", "/yard link " + first), HasSubstr("not good"));
  EXPECT_THAT(comment("maria", "/yard link ABCD-EFGH-JKLM"), HasSubstr("not good"));
  EXPECT_THAT(comment("maria", "/yard link"), HasSubstr("in chat first"));
  EXPECT_THAT(comment("maria", "/yard link " + second), HasSubstr("with your rights here"));
  EXPECT_THAT(comment("bob", "/yard link " + second), HasSubstr("not good"));
}

}  // namespace
}  // namespace yardmaster
