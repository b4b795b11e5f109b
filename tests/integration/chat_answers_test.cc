// Commands from chat, from outside: five platforms say what people say and hear what the real daemon answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/chat_fixture.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using std::chrono::milliseconds;
using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;
using testing::HeardInChat;
using ::testing::IsEmpty;
using ::testing::Not;
using testing::SignedChatRequest;
using ::testing::SizeIs;
using ::testing::StartsWith;

using testing::kAuthor;
using testing::kChatRepository;
using testing::kForbidden;
using testing::kListeners;
using testing::kStranger;
using testing::kWriter;

class ChatAnswersTest : public testing::ChatPipeTest {};

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
    EXPECT_THAT(forbidden.text, HasSubstr("not carried out"));
    EXPECT_THAT(forbidden.text, HasSubstr("may triage or write"));
    if (platform == "dingtalk") {
      // Its signature does not cover the body: nobody writes from there.
      EXPECT_THAT(writer.text, HasSubstr("nothing is done yet"));
      EXPECT_EQ(Labels(Subject("github", kChatRepository, issue)), labels);
      continue;
    }
    EXPECT_THAT(writer.text, Not(HasSubstr("not carried out")));
    EXPECT_THAT(writer.text, Not(HasSubstr("did not work")));
    EXPECT_EQ(Labels(Subject("github", kChatRepository, issue)).size() >= labels.size(), true);
  }
}

TEST_F(ChatAnswersTest, AForgeThatIsTenSecondsSlowHoldsUpTheAnswerAndNotTheReceipt) {
  StartChat();
  std::vector<std::string> numbers;
  for (size_t i = 0; i < kListeners.size(); ++i) numbers.push_back(std::to_string(Issue()));
  Drain();
  const auto calls = [&] { return Forge("calls").size(); };
  const size_t calls_before = calls();
  Forge("faults", {{"slow_ms", 10'000}});
  const auto begin = steady_clock::now();
  for (size_t i = 0; i < kListeners.size(); ++i) {
    const std::string& platform = kListeners[i];
    SCOPED_TRACE(platform);
    const SignedChatRequest request = Says(platform, kWriter, "/why #" + numbers[i]);
    const auto before = steady_clock::now();
    EXPECT_THAT(Send(platform, request), StartsWith("HTTP/1.1 200 "));
    EXPECT_LT(steady_clock::now() - before, seconds(1));
    // The platform has lost our receipt.
    EXPECT_THAT(Send(platform, request), StartsWith("HTTP/1.1 200 "));
  }
  EXPECT_THAT(listener_.Heard(), IsEmpty()) << "the forge has said nothing yet";
  // The first call for each takes ten seconds; those behind it would only make the test longer.
  while (calls() < calls_before + kListeners.size() && steady_clock::now() - begin < seconds(9)) {
    std::this_thread::sleep_for(milliseconds(20));
  }
  EXPECT_GE(calls(), calls_before + kListeners.size()) << "none waits for another's";
  Forge("faults", {{"slow_ms", 0}});
  for (const std::string& platform : kListeners) EXPECT_TRUE(listener_.WaitFor(platform, 1, seconds(60))) << platform;
  Drain();
  EXPECT_GE(steady_clock::now() - begin, seconds(10));
  for (const std::string& platform : kListeners) EXPECT_THAT(listener_.Heard(platform), SizeIs(1)) << platform;
}

TEST_F(ChatAnswersTest, AKillBetweenAWriteToTheForgeAndItsAnswerLeadsToOneOfEach) {
  StartChat();
  const int64_t issue = Open("github", kChatRepository, "A question", "How do I start?", {});
  Drain();
  Forge("faults", {{"slow_ms", 1'500}});
  EXPECT_THAT(Send("slack", Says("slack", kWriter, "/label area/dtensor #" + std::to_string(issue))),
              StartsWith("HTTP/1.1 200 "));
  const auto writes = [&] {
    int count = 0;
    const json calls = Forge("calls");
    for (const json& call : calls) {
      const std::string target = call["target"];
      const bool labels = target.find("/issues/" + std::to_string(issue) + "/labels") != std::string::npos;
      if (call["method"] == "POST" && labels) ++count;
    }
    return count;
  };
  const int before = writes();
  for (int i = 0; i < 2'000 && writes() == before && listener_.Heard().empty(); ++i) {
    std::this_thread::sleep_for(milliseconds(10));
  }
  ASSERT_EQ(writes(), before + 1) << "the forge has the label";
  ASSERT_THAT(listener_.Heard(), IsEmpty()) << "and we do not know it yet";
  KillDaemon();
  Forge("faults", {{"slow_ms", 0}});
  StartDaemon();
  ASSERT_TRUE(listener_.WaitFor("slack", 1, seconds(30)));
  Drain();
  EXPECT_THAT(listener_.Heard(), SizeIs(1));
  EXPECT_EQ(writes(), before + 1) << "it is not written a second time";
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
  listener_.side().RefuseForms(true);
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
    EXPECT_THAT(Send("slack", Presses("slack", user, asked.button)), StartsWith("HTTP/1.1 200 "));
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
  EXPECT_THAT(press(kAuthor), HasSubstr("used already"));
  EXPECT_EQ(Commits(), after);
}

TEST_F(ChatAnswersTest, ButtonsArePressedOnEveryPlatformThatHasSome) {
  const std::string number = std::to_string(StartPull());
  std::map<std::string, std::string> buttons;
  for (const std::string platform : {"mattermost", "feishu", "wecom"}) {
    SCOPED_TRACE(platform);
    buttons[platform] = Ask(platform, kAuthor, "please squash PR " + number).button;
    ASSERT_THAT(buttons[platform], Not(IsEmpty()));
  }
  const auto press = [&](const std::string& platform, const std::string& value) {
    const size_t heard = listener_.Heard(platform).size();
    EXPECT_THAT(Send(platform, Presses(platform, kAuthor, value)), StartsWith("HTTP/1.1 200 "));
    EXPECT_TRUE(listener_.WaitFor(platform, heard + 1, seconds(30))) << Yard({"deliveries", "list"}).out;
    Drain();
    return listener_.Heard(platform).back().text;
  };
  EXPECT_THAT(press("mattermost", buttons["mattermost"]), HasSubstr("commits into one"));
  EXPECT_EQ(Commits().find('\n'), Commits().size() - 1) << "one commit";
  // What waited there is done.
  EXPECT_THAT(press("feishu", buttons["feishu"]), HasSubstr("no command of yours waits"));
  EXPECT_THAT(press("wecom", buttons["wecom"]), HasSubstr("no command of yours waits"));
  // A value that somebody made up is nobody's.
  EXPECT_THAT(Send("mattermost", Presses("mattermost", kAuthor, buttons["mattermost"] + "0")),
              StartsWith("HTTP/1.1 401 "));
}

TEST_F(ChatAnswersTest, ASentenceThatMayMeanSeveralThingsIsAskedBackWithAButtonForEach) {
  const std::string number = std::to_string(StartPull());
  for (const std::string platform : {"slack", "mattermost", "feishu", "wecom"}) {
    SCOPED_TRACE(platform);
    const HeardInChat asked = Ask(platform, kWriter, "合并 #" + number);
    EXPECT_THAT(asked.text, HasSubstr("还是"));
    ASSERT_THAT(asked.buttons, SizeIs(::testing::Ge(2U))) << asked.text;
    const size_t heard = listener_.Heard(platform).size();
    EXPECT_THAT(Send(platform, Presses(platform, kWriter, asked.buttons[0])), StartsWith("HTTP/1.1 200 "));
    EXPECT_TRUE(listener_.WaitFor(platform, heard + 1, seconds(30)));
    Drain();
    EXPECT_THAT(listener_.Heard(platform).back().text, HasSubstr("/squash"));
    EXPECT_THAT(Send(platform, Presses(platform, kWriter, asked.buttons[0])), StartsWith("HTTP/1.1 200 "));
    EXPECT_TRUE(listener_.WaitFor(platform, heard + 2, seconds(30)));
    Drain();
    EXPECT_THAT(listener_.Heard(platform).back().text, HasSubstr("已经用过")) << "in the language of the sentence";
  }
  // DingTalk's buttons are links, by which the person says the command.
  const HeardInChat asked = Ask("dingtalk", kWriter, "合并 #" + number);
  ASSERT_THAT(asked.buttons, SizeIs(::testing::Ge(2U))) << asked.raw;
  EXPECT_THAT(asked.buttons[0], StartsWith("dtmd://dingtalkclient/sendMessage?content=%2Fsquash"));
  EXPECT_THAT(Ask("dingtalk", kWriter, "/squash").text, HasSubstr("about `octo/repo"));
}

TEST_F(ChatAnswersTest, APlatformThatComesWithSighupIsAnswered) {
  StartChat();
  const json config = json::parse(testing::ReadWholeFile(Path("config.json")));
  json without = config;
  without.erase("chat");
  dir_.Write("config.json", without.dump());
  KillDaemon();
  StartDaemon();
  EXPECT_THAT(Send("slack", Says("slack", kStranger, "/help")), StartsWith("HTTP/1.1 404 "));
  dir_.Write("config.json", config.dump());
  daemon_->Signal(SIGHUP);
  std::string answer;
  for (int i = 0; i < 500 && !answer.starts_with("HTTP/1.1 200 "); ++i) {
    answer = Send("slack", Says("slack", kStranger, "/help"));
    std::this_thread::sleep_for(milliseconds(10));
  }
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200 "));
  ASSERT_TRUE(listener_.WaitFor("slack", 1));
  EXPECT_THAT(listener_.Heard("slack")[0].text, HasSubstr("/why"));
  EXPECT_THAT(Ask("feishu", kStranger, "/help").text, HasSubstr("/why"));
}

TEST_F(ChatAnswersTest, AnswersToSlashCommandsAreFoundAfterAKill) {
  StartChat();
  for (const std::string platform : {"slack", "mattermost"}) {
    SCOPED_TRACE(platform);
    testing::SaidInChat said{std::to_string(++said_), kStranger, "9", "help", listener_.url(platform) + "/session"};
    said.slash = true;
    listener_.DelayAnswers(milliseconds(2'000));
    EXPECT_THAT(Send(platform, testing::SayInChat(platform, said, std::chrono::system_clock::now())),
                StartsWith("HTTP/1.1 200 "));
    EXPECT_TRUE(listener_.WaitFor(platform, 1));
    KillDaemon();
    listener_.DelayAnswers(milliseconds(0));
    StartDaemon();
    Drain();
    EXPECT_THAT(listener_.Heard(platform), SizeIs(1)) << "it is there, and known by its key";
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
  for (const std::string& code_in_chat : {second, std::string("ABCD-EFGH-JKLM")}) {
    EXPECT_THAT(Ask(platform, kStranger, "/yard link " + code_in_chat).text, HasSubstr("posted on the forge"));
  }
  EXPECT_THAT(comment("maria", "/yard link " + first), HasSubstr("not good"));
  EXPECT_THAT(comment("maria", "/yard link ABCD-EFGH-JKLM"), HasSubstr("not good"));
  EXPECT_THAT(comment("maria", "/yard link"), HasSubstr("in chat first"));
  EXPECT_THAT(comment("maria", "/yard link " + second), HasSubstr("with your rights here"));
  EXPECT_THAT(comment("bob", "/yard link " + second), HasSubstr("not good"));
}

}  // namespace
}  // namespace yardmaster
