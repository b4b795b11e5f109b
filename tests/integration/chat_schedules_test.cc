// Work that comes by the clock, and channels that are told what is new, from outside: the real daemon, a forge, and a
// chat platform that listens.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "tests/integration/pipe_fixture.h"
#include "tests/support/chat_faces.h"
#include "tests/support/chat_listener.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using std::chrono::system_clock;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::HeardInChat;
using testing::kNewYear;
using ::testing::Not;
using testing::RawConnection;
using testing::SayInChat;
using testing::SignedChatRequest;
using ::testing::SizeIs;
using testing::SourcePath;
using ::testing::StartsWith;

constexpr const char* kHome = "octo/repo";
constexpr const char* kGateBot = "micro-compass";

class SchedulesTest : public testing::PipeTest {
 protected:
  // u1 is maria, who may write; u2 is bob, who may not. Channel 9 is the repository's.
  void StartAll(const json& schedules) {
    dir_.Write("chat.secret", std::string(testing::kChatSecret));
    const json secret = {{"file", "chat.secret"}};
    chat_ = {{"slack",
              {{"signing_secret", secret},
               {"bot_token", secret},
               {"api_url", listener_.url("slack")},
               {"users", {{"u1", {{"github", "maria"}}}, {"u2", {{"github", "bob"}}}}},
               {"channels", {{"9", {{"repository", "github:octo/repo"}, {"may", {"write"}}}}}}}}};
    schedules_ = schedules;
    Start(SourcePath("rules/packs").string(), "hyper-parallel");
    Forge("repository", {{"forge", "github"}, {"repository", kHome}, {"permissions", {{"maria", "write"}}}});
  }
  static json Schedule(const std::string& name, const std::string& run, const json& more = json::object()) {
    json schedule = {{"name", name}, {"cron", kNewYear}, {"run", run}, {"repository", "github:octo/repo"}};
    schedule.update(more);
    return schedule;
  }
  // What `yard schedule run` says of it.
  json Run(const std::string& which, int code = 0) {
    const Answer answer = Yard({"schedule", "run", which, "--timeout", "60", "--json"}, true);
    EXPECT_EQ(answer.code, code) << answer.out << answer.err;
    Drain();
    return json::parse(answer.out, nullptr, false);
  }
  HeardInChat Ask(const std::string& user, const std::string& text) {
    const size_t before = listener_.Heard().size();
    const SignedChatRequest request =
        SayInChat("slack", {std::to_string(++said_), user, "9", text, ""}, system_clock::now());
    RawConnection connection(static_cast<uint16_t>(std::stoi(http_.substr(http_.find(':') + 1))));
    std::string raw = "POST /chat/slack HTTP/1.1\r\nHost: " + http_ +
                      "\r\nContent-Length: " + std::to_string(request.body.size()) + "\r\nConnection: close\r\n";
    for (const auto& [name, value] : request.headers) raw.append(name).append(": ").append(value).append("\r\n");
    connection.Send(raw.append("\r\n").append(request.body));
    EXPECT_THAT(connection.ReadToEnd(), StartsWith("HTTP/1.1 200 "));
    EXPECT_TRUE(listener_.WaitFor("slack", before + 1)) << text;
    Drain();
    const std::vector<HeardInChat> heard = listener_.Heard();
    EXPECT_THAT(heard, SizeIs(before + 1)) << text;
    return heard.empty() ? HeardInChat{} : heard.back();
  }
  int64_t Pull(const std::string& user) {
    const json opened = Forge("pulls", {{"forge", "github"},
                                        {"repository", kHome},
                                        {"title", "A change"},
                                        {"body", ""},
                                        {"user", user},
                                        {"files", {{{"filename", "core/mesh.py"}, {"status", "modified"}}}}});
    Drain();
    return opened.value("number", int64_t{0});
  }

  testing::ChatListener listener_;
  int said_ = 1'000;
};

TEST_F(SchedulesTest, SchedulesAreListedRunAndRunAgainWhenTheyFailed) {
  StartAll({Schedule("nightly", "sweep", {{"time_zone", "Asia/Shanghai"}, {"jitter_seconds", 60}}),
            Schedule("homeless", "digest")});
  const json listed = json::parse(Yard({"schedule", "list", "--json"}).out);
  std::vector<std::string> names;
  for (const json& one : listed["schedules"]) names.push_back(one["name"]);
  EXPECT_EQ(names, (std::vector<std::string>{"check-repositories", "follow-gates", "homeless", "news", "nightly",
                                             "watch-gates"}));
  const json nightly = listed["schedules"][4];
  EXPECT_EQ(nightly["time_zone"], "Asia/Shanghai");
  EXPECT_THAT(nightly["next_at"].get<std::string>(), HasSubstr("-12-31T19:0")) << "3 o'clock in Shanghai";
  EXPECT_EQ(nightly["last"], nullptr);

  const json done = Run("nightly");
  EXPECT_EQ(done["state"], "done");
  EXPECT_THAT(done["outcome"].get<std::string>(), HasSubstr("github:octo/repo"));
  EXPECT_EQ(done["asked_by"], "ops");
  const json shown = json::parse(Yard({"schedule", "show", "nightly", "--json"}).out);
  EXPECT_THAT(shown["runs"], SizeIs(1));

  const json failed = Run("homeless", 1);
  EXPECT_EQ(failed["state"], "failed");
  EXPECT_THAT(failed["outcome"].get<std::string>(), HasSubstr("give it \"issue\" or \"chat\""));
  const std::string row = std::to_string(failed["id"].get<int64_t>());
  EXPECT_THAT(Yard({"schedule", "list", "--failed"}).out, HasSubstr("homeless"));
  EXPECT_EQ(Run(row, 1)["id"], failed["id"]) << "again, and it fails again";
  EXPECT_EQ(Yard({"schedule", "run", "4711"}, true).code, 1);
  const Answer unknown = Yard({"schedule", "run", "nightlt"}, true);
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("nightly"));
  EXPECT_EQ(Yard({"schedule", "run", "nightly"}).code, 3) << "a viewer may not";
  // What is known of them survives the daemon.
  KillDaemon();
  StartDaemon();
  EXPECT_THAT(Yard({"schedule", "list", "--failed"}).out, HasSubstr("homeless"));
}

TEST_F(SchedulesTest, ADigestIsACommentAndAMessage) {
  StartAll(json::array({Schedule("weekly", "digest", {{"issue", 1}, {"chat", "slack:9"}})}));
  ASSERT_EQ(Open("github", kHome, "Crash in fully_shard <!channel> @maria", "`fully_shard` fails.", {}), 1);
  Drain();
  const size_t before = Subject("github", kHome, 1)["comments"].size();
  EXPECT_EQ(Run("weekly")["state"], "done");
  ASSERT_TRUE(listener_.WaitFor("slack", 1));
  EXPECT_THAT(listener_.Heard()[0].text, HasSubstr("decided about"));
  const json comments = Subject("github", kHome, 1)["comments"];
  ASSERT_THAT(comments, SizeIs(before + 1));
  EXPECT_THAT(comments.back()["body"].get<std::string>(), HasSubstr("the last 7 days"));
  EXPECT_THAT(listener_.Heard(), SizeIs(1));
}

TEST_F(SchedulesTest, AChannelIsToldWhatItSubscribedToAndOnce) {
  StartAll({Schedule("watch", "pipeline-watch"), Schedule("homeless", "digest")});
  EXPECT_THAT(Ask("u2", "/yard subscribe gate").text, HasSubstr("not carried out"));
  EXPECT_THAT(Ask("u1", "/yard subscribe weather").text, HasSubstr("dead-letters"));
  EXPECT_THAT(Ask("u1", "/yard subscriptions").text, HasSubstr("told of nothing"));
  EXPECT_THAT(Ask("u1", "/yard subscribe gate, schedules").text, HasSubstr("is told of"));
  EXPECT_THAT(Ask("u2", "/yard subscriptions").text, HasSubstr("schedules"));

  // A gate: the first look says nothing, a change is told once.
  const int64_t number = Pull("alice");
  ASSERT_GT(number, 0);
  const size_t before = listener_.Heard().size();
  EXPECT_THAT(Run("watch")["outcome"].get<std::string>(), HasSubstr("1 open, 0 changed"));
  Forge("labels", {{"forge", "github"},
                   {"repository", kHome},
                   {"number", number},
                   {"pull", true},
                   {"user", kGateBot},
                   {"add", {"pr-check-pass"}}});
  Drain();
  EXPECT_THAT(Run("watch")["outcome"].get<std::string>(), HasSubstr("1 changed"));
  EXPECT_THAT(Run("watch")["outcome"].get<std::string>(), HasSubstr("0 changed"));
  ASSERT_TRUE(listener_.WaitFor("slack", before + 1));
  ASSERT_THAT(listener_.Heard(), SizeIs(before + 1));
  EXPECT_THAT(listener_.Heard().back().text, HasSubstr("P1_OK"));
  EXPECT_THAT(Run("watch-gates")["outcome"].get<std::string>(), HasSubstr("no channel waits"))
      << "the schedule watches them";

  // A run that failed is news, once, over a kill too.
  Run("news");
  Run("homeless", 1);
  Run("news");
  ASSERT_TRUE(listener_.WaitFor("slack", before + 2));
  EXPECT_THAT(listener_.Heard().back().text, HasSubstr("homeless"));
  KillDaemon();
  StartDaemon();
  Run("news");
  EXPECT_THAT(listener_.Heard(), SizeIs(before + 2));

  EXPECT_THAT(Ask("u1", "/yard unsubscribe").text, HasSubstr("no longer"));
  Run("homeless", 1);
  Run("news");
  EXPECT_THAT(listener_.Heard(), SizeIs(before + 3)) << "nothing but the answer to the command";
}

TEST_F(SchedulesTest, ASweepThatSomebodyAskedForIsToldToTheChannelAndOnce) {
  StartAll(json::array());
  EXPECT_THAT(Ask("u1", "/yard subscribe sweeps").text, HasSubstr("is told of"));
  Run("news");
  ASSERT_GT(Open("github", kHome, "Crash in fully_shard", "`fully_shard` fails with an error.", {}), 0);
  Drain();
  const size_t before = listener_.Heard().size();
  const Answer swept = Yard({"sweep", "github:octo/repo"}, true);
  ASSERT_EQ(swept.code, 0) << swept.out << swept.err;
  Drain();
  Run("news");
  Run("news");
  ASSERT_TRUE(listener_.WaitFor("slack", before + 1));
  ASSERT_THAT(listener_.Heard(), SizeIs(before + 1));
  EXPECT_THAT(listener_.Heard().back().text, HasSubstr("sweep with the pack"));
  EXPECT_THAT(listener_.Heard().back().text, HasSubstr("hyper-parallel"));
}

TEST_F(SchedulesTest, AGateThatWasStartedFromChatIsFollowedInItsAnswer) {
  StartAll(json::array());
  const std::string number = std::to_string(Pull("alice"));
  const auto label = [&](const std::string& name) {
    Forge("labels", {{"forge", "github"},
                     {"repository", kHome},
                     {"number", std::stoi(number)},
                     {"pull", true},
                     {"user", kGateBot},
                     {"add", {name}}});
    Drain();
  };
  EXPECT_THAT(Ask("u1", "/check-pr #" + number).text, HasSubstr("posted"));
  EXPECT_EQ(Run("follow-gates")["outcome"], "1 gates, 1 told");
  EXPECT_THAT(listener_.Heard()[0].text, HasSubstr("P1_WAIT"));
  EXPECT_EQ(Run("follow-gates")["outcome"], "1 gates, 0 told") << "nothing is new";
  label("pr-check-pass");
  EXPECT_EQ(Run("follow-gates")["outcome"], "1 gates, 1 told");
  EXPECT_EQ(Run("follow-gates")["outcome"], "1 gates, 0 told") << "nothing is to be waited for";
  ASSERT_THAT(listener_.Heard(), SizeIs(1)) << "one message";
  EXPECT_THAT(listener_.Heard()[0].text, HasSubstr("P1_OK"));
  EXPECT_THAT(listener_.Heard()[0].texts, SizeIs(3));

  // No schedule watches gates here: who subscribes is told all the same, in their language.
  EXPECT_THAT(Run("watch-gates")["outcome"].get<std::string>(), HasSubstr("no channel waits"));
  EXPECT_THAT(Ask("u1", "/yard subscribe gate --lang zh").text, HasSubstr("is told of"));
  EXPECT_EQ(Run("watch-gates")["outcome"], "github:octo/repo 1 open, 0 changed");
  label("ci-pipeline-running");
  EXPECT_EQ(Run("watch-gates")["outcome"], "github:octo/repo 1 open, 1 changed");
  ASSERT_TRUE(listener_.WaitFor("slack", 3));
  EXPECT_THAT(listener_.Heard().back().text, HasSubstr("P2_RUNNING*，下一步 `wait`：门禁正在运行"));
  EXPECT_EQ(Run("watch-gates")["outcome"], "github:octo/repo 1 open, 0 changed");
  EXPECT_THAT(listener_.Heard(), SizeIs(3));
}

TEST_F(SchedulesTest, PullRequestsThatNobodyReviewedAreReviewed) {
  review_ = {{"events", true}, {"publish", {"comment"}}};
  StartAll({Schedule("renew", "stale-reviews"), Schedule("remind", "approval-reminder", {{"days", 1}})});
  const int64_t number = Pull("alice");
  ASSERT_GT(number, 0);
  const std::string outcome = Run("renew")["outcome"];
  EXPECT_THAT(outcome, HasSubstr("1 open"));
  EXPECT_THAT(Run("remind")["outcome"].get<std::string>(), HasSubstr("1 open, 0 waiting"));
  // Who asks in chat is told there what it says, and where it stands.
  const std::string told = Ask("u1", "/review #" + std::to_string(number)).text;
  EXPECT_THAT(told, HasSubstr("/pull/" + std::to_string(number) + "|#"));
  EXPECT_THAT(told, HasSubstr("*Review of `"));
  EXPECT_THAT(told, Not(HasSubstr("<details>")));
  EXPECT_THAT(Ask("u1", "帮我检视一下 #" + std::to_string(number)).text,
              AllOf(HasSubstr("的检视：新增 "), HasSubstr("HP-PR-001")));
}

TEST_F(SchedulesTest, ANewRevisionOfAPackIsTriedOnTheLastIssues) {
  std::filesystem::copy(SourcePath("rules/packs"), Path("next"), std::filesystem::copy_options::recursive);
  const std::string file = "next/hyper-parallel/pack.json";
  json pack = json::parse(testing::ReadWholeFile(Path(file)));
  pack["title"] = "The next revision";
  dir_.Write(file, pack.dump());
  StartAll(json::array(
      {Schedule("try", "backtest", {{"pack", "hyper-parallel@next"}, {"issues", 5}, {"chat", "slack:9"}})}));
  ASSERT_GT(Open("github", kHome, "Crash in fully_shard", "`fully_shard` fails with an error.", {}), 0);
  Drain();
  EXPECT_THAT(Run("try")["outcome"].get<std::string>(), HasSubstr("1 issues, 0 would come out differently"));
  ASSERT_TRUE(listener_.WaitFor("slack", 1));
  EXPECT_THAT(listener_.Heard()[0].text, HasSubstr("Backtest of"));
  EXPECT_THAT(Run("try")["outcome"].get<std::string>(), HasSubstr("compared before"));
  EXPECT_THAT(listener_.Heard(), SizeIs(1));
}

}  // namespace
}  // namespace yardmaster
