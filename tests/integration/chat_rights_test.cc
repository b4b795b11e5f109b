// Who may do what from chat, from outside: every command that is given there, by people who may and who may not; what
// the platform does not prove; and what a channel may not see.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/integration/chat_fixture.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using testing::HeardInChat;
using ::testing::IsEmpty;
using testing::kAuthor;
using testing::kChatRepository;
using testing::kForbidden;
using testing::kStranger;
using testing::kWriter;
using ::testing::Not;
using testing::SignedChatRequest;
using ::testing::SizeIs;
using testing::SourcePath;
using ::testing::StartsWith;

class ChatRightsTest : public testing::ChatPipeTest {
 protected:
  // What the forge, its git server and the dispatcher hold.
  std::string Everything() {
    const json state = Forge("state");
    return state["github"].dump() + Commits() + Yard({"test", "list", "--json"}).out;
  }
  // One way to write each command of the table that works in chat, about the issue or the pull request.
  struct Written {
    std::string id;
    std::string text;
    bool acts = false;
    bool publishes = false;
    bool anyone = false;  // may ask for it
  };
  static std::vector<Written> Table(const std::string& issue, const std::string& pull) {
    std::vector<Written> out;
    const std::string file = testing::ReadWholeFile(SourcePath("rules/packs/common/commands.json").string());
    const json table = json::parse(file);
    for (const json& command : table["commands"]) {
      const auto has = [&](const char* key, const char* value) {
        const auto& list = command[key];
        return std::find(list.begin(), list.end(), value) != list.end();
      };
      if (!has("where", "chat") || command["state"] != "works") continue;
      Written one;
      one.id = command["id"];
      for (const json& example : command["examples"]) {
        if (!example.value("phrase", false) && one.text.empty()) one.text = example["text"];
      }
      // The command's own way to name it, or any.
      const std::string& subject = has("where", "issue") ? issue : pull;
      const size_t digits = one.text.find_first_of("0123456789", one.text.find(' '));
      if (command["group"] == "gate" && digits != std::string::npos) one.text.erase(digits - 1);
      if (command["group"] != "chat" && command["group"] != "help") one.text += " #" + subject;
      one.publishes = command.value("publishes", false);
      one.acts = command["access"] == "write" || one.publishes || command.value("trusted_only", false);
      one.anyone = has("who", "anyone");
      out.push_back(one);
    }
    return out;
  }
  // Everybody says it at once; the answers by who was answered, once all of them are there.
  struct Asked {
    std::string platform;
    std::string user;
    std::string channel;
  };
  std::map<std::string, std::string> AskAll(const std::vector<Written>& table, const std::vector<Asked>& people) {
    std::map<std::string, std::string> whose;
    std::map<std::string, size_t> before;
    size_t sent = 0;
    for (const Asked& one : people) before[one.platform] = listener_.Heard(one.platform).size();
    for (const Written& written : table) {
      for (const Asked& one : people) {
        EXPECT_THAT(Send(one.platform, Says(one.platform, one.user, written.text, one.channel)),
                    StartsWith("HTTP/1.1 200 "));
        const std::string message = (one.platform == "feishu" ? "m" : "") + std::to_string(said_);
        whose[one.platform + " " + message] = written.id + " " + one.user + " " + one.channel;
        ++sent;
      }
    }
    Drain();
    std::map<std::string, std::string> texts;
    size_t heard = 0;
    for (const auto& [platform, count] : before) {
      const std::vector<HeardInChat> all = listener_.Heard(platform);
      heard += all.size() - count;
      for (size_t i = count; i < all.size(); ++i) texts[whose[platform + " " + all[i].answers]] = all[i].text;
    }
    EXPECT_EQ(heard, sent) << "each is answered once";
    return texts;
  }
};

TEST_F(ChatRightsTest, EveryCommandAsksWhoGivesItAndWhere) {
  const std::string pull = std::to_string(StartPull());
  const std::string issue = std::to_string(Issue());
  Drain();
  const std::string before = Everything();
  const std::vector<Written> table = Table(issue, pull);
  EXPECT_GE(table.size(), 25U);
  std::map<std::string, std::string> answers =
      AskAll(table, {{"mattermost", kStranger, "9"}, {"feishu", kForbidden, "9"}, {"feishu", kWriter, "7"}});
  for (const Written& one : table) {
    SCOPED_TRACE(one.id + ": " + one.text);
    const std::string stranger = answers[one.id + " " + kStranger + " 9"];
    const std::string forbidden = answers[one.id + " " + kForbidden + " 9"];
    const std::string reading = answers[one.id + " " + kWriter + " 7"];
    if (one.publishes) {
      EXPECT_THAT(stranger, HasSubstr("was not carried out"));
      EXPECT_THAT(forbidden, HasSubstr("was not carried out"));
      EXPECT_THAT(reading, HasSubstr("Nothing was published"));
    } else if (one.acts) {
      EXPECT_THAT(stranger, HasSubstr("nobody knows which account is yours"));
      EXPECT_THAT(reading, HasSubstr("this channel is for reading"));
      EXPECT_THAT(forbidden, AnyOf(HasSubstr("was not carried out"), HasSubstr("no command of yours waits")));
    } else if (one.anyone) {
      for (const std::string& text : {stranger, forbidden, reading}) {
        EXPECT_THAT(text, Not(HasSubstr("was not carried out")));
      }
    }
  }
  EXPECT_EQ(Everything(), before) << "nobody was allowed to change anything";
}

TEST_F(ChatRightsTest, EveryCommandOfSomebodyWhoMayIsAnsweredOnce) {
  const std::string pull = std::to_string(StartPull());
  const std::string issue = std::to_string(Issue());
  Drain();
  const std::vector<Written> table = Table(issue, pull);
  std::map<std::string, std::string> answers = AskAll(table, {{"mattermost", kWriter, "9"}});
  for (const Written& one : table) {
    const std::string text = answers[one.id + " " + kWriter + " 9"];
    SCOPED_TRACE(one.id + ": " + one.text + ": " + text);
    EXPECT_THAT(text, Not(IsEmpty()));
    EXPECT_THAT(text, Not(HasSubstr("for reading")));
    EXPECT_THAT(text, Not(HasSubstr("which account is yours")));
  }
  EXPECT_THAT(answers["subscribe " + std::string(kWriter) + " 9"], HasSubstr("is told of"));
  EXPECT_THAT(answers["label " + std::string(kWriter) + " 9"], Not(HasSubstr("can be given in")));
}

TEST_F(ChatRightsTest, WhatDingtalkDoesNotProveDoesNothingUntilTheAccountSaysYesOnTheForge) {
  const std::string pull = std::to_string(StartPull());
  const std::string issue = std::to_string(Issue());
  Drain();
  const std::string before = Everything();
  // Under headers that somebody saw, and with maria's name in it. The platform takes 20 a minute of one group.
  const std::vector<Written> table = Table(issue, pull);
  for (size_t i = 0; i < table.size(); ++i) {
    EXPECT_THAT(Send("dingtalk", Says("dingtalk", kWriter, table[i].text, i % 2 == 0 ? "8" : "9")),
                StartsWith("HTTP/1.1 200 "));
  }
  Drain();
  EXPECT_THAT(listener_.Heard("dingtalk"), SizeIs(table.size()));
  EXPECT_EQ(Everything(), before);
  int plans = 0;
  for (const HeardInChat& heard : listener_.Heard("dingtalk")) {
    if (heard.text.find("nothing is done yet") != std::string::npos) ++plans;
  }
  EXPECT_GE(plans, 3);
}

// The code that a plan is confirmed with.
std::string CodeIn(const std::string& text) {
  const size_t at = text.find("`/yes ");
  return at == std::string::npos ? "" : text.substr(at + 6, 8);
}

TEST_F(ChatRightsTest, TheForgeConfirmsWhatDingtalkAskedFor) {
  const int64_t pull = StartPull();
  const std::string number = std::to_string(pull);
  const std::string before = Commits();
  const auto comment = [&](const std::string& user, const std::string& body) {
    Forge("comments", {{"forge", "github"},
                       {"repository", kChatRepository},
                       {"number", pull},
                       {"pull", true},
                       {"user", user},
                       {"body", body}});
    Drain();
    std::string last;
    const json state = Forge("state");
    for (const json& subject : state["github"][kChatRepository]["subjects"]) {
      if (subject["number"] == pull && subject["pull"] == true) last = subject["comments"].back()["body"];
    }
    return last;
  };
  const std::string planned = Ask("dingtalk", kAuthor, "/squash " + number).text;
  EXPECT_THAT(planned, HasSubstr("nothing is done yet"));
  EXPECT_THAT(planned, HasSubstr("2 commits into one"));
  const std::string code = CodeIn(planned);
  ASSERT_THAT(code, SizeIs(8)) << planned;
  EXPECT_THAT(Ask("dingtalk", kAuthor, "/yes " + code + " #" + number).text, HasSubstr("does not prove"));
  EXPECT_EQ(Commits(), before);
  // A yes to something else never means it, and nobody else's does.
  EXPECT_THAT(comment("alice", "/yes"), HasSubstr("no command of yours waits"));
  EXPECT_THAT(comment("maria", "/yes " + code), HasSubstr("no command of yours waits"));
  EXPECT_EQ(Commits(), before);
  EXPECT_THAT(comment("alice", "/yes " + code), HasSubstr("2 commits into one"));
  EXPECT_EQ(Commits().find('\n'), Commits().size() - 1) << "one commit";
  EXPECT_THAT(comment("alice", "/yes " + code + " "), HasSubstr("no command of yours waits"));
}

TEST_F(ChatRightsTest, AnotherRepositoryIsToldOnlyToWhoMayReadIt) {
  StartChat();
  Forge("repository", {{"forge", "github"}, {"repository", "octo/dry"}, {"private", true}});
  const std::string there = "octo/dry#" + std::to_string(Issue("octo/dry"));
  Drain();
  const std::string on = "mattermost";
  const std::string no_right = "only people whose account is known and may read it";
  // Nothing tells a number that there is from one that there is not, and the forge is not asked.
  EXPECT_THAT(Ask(on, kStranger, "/why " + there).text, HasSubstr(no_right));
  EXPECT_THAT(Ask(on, kStranger, "/why octo/dry#4711").text, HasSubstr(no_right));
  EXPECT_THAT(Ask(on, kForbidden, "/why " + there).text, HasSubstr(no_right));
  EXPECT_THAT(Ask(on, kForbidden, "/why octo/dry#4711").text, HasSubstr(no_right));
  EXPECT_THAT(Ask("dingtalk", kWriter, "/why " + there).text, HasSubstr(no_right)) << "anybody may write the name";
  for (const json& call : Forge("calls")) {
    EXPECT_EQ(call["target"].get<std::string>().find("/repos/octo/dry/issues/4711"), std::string::npos) << call;
  }
  Forge("repository", {{"forge", "github"}, {"repository", "octo/dry"}, {"permissions", {{"maria", "read"}}}});
  EXPECT_THAT(Ask(on, kWriter, "/why " + there).text, Not(HasSubstr(no_right)));
  EXPECT_THAT(Ask(on, kWriter, "/why octo/dry#4711").text, HasSubstr("no issue or pull request"));
  EXPECT_THAT(Ask(on, kWriter, "/triage " + there).text, HasSubstr("this channel is for reading"));
}

TEST_F(ChatRightsTest, DingtalksAnswersGoToTheGroupOrTellWhatIsPublic) {
  StartChat();
  const std::string why = "/why #" + std::to_string(Issue());
  Drain();
  // With the application's key, whatever address the body names.
  EXPECT_EQ(Ask("dingtalk", kStranger, why).channel, "9");
  // Without it the address is all there is.
  json config = json::parse(testing::ReadWholeFile(Path("config.json")));
  config["chat"]["dingtalk"].erase("app_key");
  dir_.Write("config.json", config.dump());
  KillDaemon();
  StartDaemon();
  const HeardInChat open = Ask("dingtalk", kStranger, why);
  EXPECT_EQ(open.channel, "");
  EXPECT_THAT(open.text, HasSubstr("/why"));
  Forge("repository", {{"forge", "github"}, {"repository", kChatRepository}, {"private", true}});
  const std::string text = Ask("dingtalk", kWriter, why).text;
  EXPECT_THAT(text, HasSubstr("the repository is not public"));
  EXPECT_THAT(Ask("dingtalk", kWriter, "/why #4711").text, HasSubstr("the repository is not public"));
}

}  // namespace
}  // namespace yardmaster
