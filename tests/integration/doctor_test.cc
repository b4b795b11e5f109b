// `yard doctor` from outside: both faces of the forge, set up rightly and wrongly.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/pipe_fixture.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PipeTest;
using testing::SourcePath;

constexpr const char* kRepository = "octo/repo";

class DoctorTest : public PipeTest, public ::testing::WithParamInterface<std::string> {
 protected:
  // All is as it should be.
  void SetUp() override {
    Start(SourcePath("tests/support/packs").string(), "lantern");
    Forge("labels", {{"forge", forge()},
                     {"repository", kRepository},
                     {"declare", {"new", "area: decode", "area: gpu", "needs details", "sorted-by-bot"}}});
    SetRepository({{"permissions", {{"yardbot", "write"}}}, {"hooks", {Hook()}}});
    if (github()) Forge("account", {{"forge", "github"}, {"scopes", "repo, read:org"}});
    // Every repository of the configuration is there when the daemon asks for them.
    for (const char* name : {"github", "gitcode"}) {
      for (const char* repository : {kRepository, "octo/dry"}) {
        Forge("repository", {{"forge", name}, {"repository", repository}});
      }
    }
    KillDaemon();
    StartDaemon();
    Open(forge(), kRepository, "A first issue", "It is slow.", {"new"});
    Drain();
  }

  const std::string& forge() const { return GetParam(); }
  bool github() const { return forge() == "github"; }
  std::string subject() const { return forge() + ":" + kRepository; }
  void SetRepository(json change) {
    change["forge"] = forge();
    change["repository"] = kRepository;
    Forge("repository", change);
  }
  json Hook() const {
    const std::string url = "https://bot.example/webhooks/" + forge();
    if (github()) {
      return {{"id", 1},
              {"active", true},
              {"events", {"issues", "issue_comment", "pull_request"}},
              {"config", {{"url", url}, {"content_type", "json"}, {"insecure_ssl", "0"}, {"secret", "********"}}}};
    }
    return {{"id", 1},
            {"url", url},
            {"encryption_type", 1},
            {"issues_events", 1},
            {"note_events", 1},
            {"merge_requests_events", 1}};
  }
  // The configuration with a change in this forge's section.
  std::string ConfigWith(const json& change) {
    json config = json::parse(testing::ReadWholeFile(Path("config.json")));
    config["forges"][forge()].update(change);
    dir_.Write("changed.json", config.dump());
    return Path("changed.json");
  }
  Answer Doctor(const std::string& config = "", const std::string& repository = kRepository) {
    Answer answer = Yard({"doctor", "--config", config.empty() ? Path("config.json") : config, "--repository",
                          forge() + ":" + repository, "--json"},
                         /*with_token=*/true);
    EXPECT_THAT(answer.out + answer.err, Not(HasSubstr(testing::kToken)));
    EXPECT_THAT(answer.out + answer.err, Not(HasSubstr(testing::kSecret)));
    return answer;
  }
  // "state: what → fix" of one check.
  static std::string Line(const Answer& answer, const std::string& check) {
    const json document = answer.document();
    for (const json& row : document["checks"]) {
      if (row["check"] != check) continue;
      return row["state"].get<std::string>() + ": " + row["what"].get<std::string>() + " → " +
             row["fix"].get<std::string>();
    }
    return "no such check in " + answer.out + answer.err;
  }
};

INSTANTIATE_TEST_SUITE_P(Faces, DoctorTest, ::testing::Values("github", "gitcode"),
                         [](const auto& info) { return info.param; });

TEST_P(DoctorTest, WhatIsSetUpRightlyIsFineAndNothingIsWritten) {
  const size_t before = Forge("calls").size();
  const Answer answer = Doctor();
  EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
  const json document = answer.document();
  for (const json& row : document["checks"]) {
    EXPECT_TRUE(row["state"] == "ok" || row["state"] == "skipped") << row;
  }
  for (const char* check : {"network", "clock", "credentials", "login", "configuration", "repository", "contents",
                            "issues", "writing", "labels", "webhook", "daemon"}) {
    EXPECT_THAT(Line(answer, check), HasSubstr("ok: ")) << check;
  }
  // GitCode tells neither.
  EXPECT_THAT(Line(answer, "permissions"), HasSubstr(github() ? "ok: scopes of the token: repo, read:org" : "skipped"));
  EXPECT_THAT(Line(answer, "deliveries"), HasSubstr(github() ? "ok: the last" : "skipped: GitCode keeps no record"));

  const json calls = Forge("calls");
  EXPECT_GT(calls.size(), before);
  for (size_t i = before; i < calls.size(); ++i) EXPECT_EQ(calls[i]["method"], "GET") << calls[i];
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_P(DoctorTest, PeopleGetOneLineForEachCheck) {
  SetRepository({{"contents_readable", false}});
  const Answer answer = Yard({"doctor", "--config", Path("config.json"), "--repository", subject()});
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(answer.out, AllOf(HasSubstr("problem  " + subject() + "  contents: files can't be read"),
                                HasSubstr(" → add the permission Contents"), HasSubstr("ok       " + forge())));
}

TEST_P(DoctorTest, WithoutARepositoryAllThatAreConfiguredAreLookedAt) {
  const Answer answer = Yard({"doctor", "--config", Path("config.json")});
  for (const char* expected : {"github:octo/repo", "github:octo/dry", "gitcode:octo/repo", "gitcode:octo/dry"}) {
    EXPECT_THAT(answer.out, HasSubstr(expected));
  }
}

TEST_P(DoctorTest, AWrongTokenIsAProblemAndTheRestIsSkipped) {
  dir_.Write("other-token", "not-the-token");
  const Answer answer = Doctor(ConfigWith({{"token", {{"file", "other-token"}}}}));
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(Line(answer, "network"), HasSubstr("ok: "));
  EXPECT_THAT(Line(answer, "credentials"), AllOf(HasSubstr("problem: the forge refuses the token"), HasSubstr("401"),
                                                 HasSubstr("forges." + forge() + ".token")));
  EXPECT_THAT(Line(answer, "repository"), HasSubstr("skipped: "));
  EXPECT_THAT(answer.out, Not(HasSubstr("not-the-token")));
}

TEST_P(DoctorTest, AForgeThatDoesNotAnswerIsAProblem) {
  const Answer answer = Doctor(
      ConfigWith({{"api_url", "http://127.0.0.1:" + std::to_string(testing::FreePort())}, {"timeout_ms", 1'000}}));
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(Line(answer, "network"), HasSubstr("problem: no answer of http://127.0.0.1:"));
  EXPECT_THAT(Line(answer, "credentials"), HasSubstr("skipped: "));
}

TEST_P(DoctorTest, A404WithGoodCredentialsMeansNoAccess) {
  const Answer answer = Doctor("", "octo/secret");
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(Line(answer, "credentials"), HasSubstr("ok: "));
  EXPECT_THAT(Line(answer, "configuration"), HasSubstr("problem: the configuration has no entry"));
  EXPECT_THAT(Line(answer, "repository"), HasSubstr("problem: does not exist, or yardbot has no access to it"));
  EXPECT_THAT(Line(answer, "labels"), HasSubstr("skipped: "));
}

TEST_P(DoctorTest, AnotherLoginThanTheConfiguredOneIsAProblem) {
  const Answer answer = Doctor(ConfigWith({{"bot_login", "somebody"}}));
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(Line(answer, "login"),
              AllOf(HasSubstr("problem: the bot writes as yardbot"), HasSubstr("\"bot_login\": \"yardbot\"")));
}

TEST_P(DoctorTest, ALabelThatTheRepositoryLacksIsNamed) {
  Forge("labels", {{"forge", forge()},
                   {"repository", kRepository},
                   {"declare", {"new", "Area: GPU", "needs details", "sorted-by-bot"}}});
  const Answer answer = Doctor();
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(Line(answer, "labels"), AllOf(HasSubstr("problem: "), HasSubstr("area: decode")));
}

TEST_P(DoctorTest, WhoMayOnlyReadCannotWriteLabels) {
  SetRepository({{"permissions", {{"yardbot", "read"}}}});
  const Answer answer = Doctor();
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(Line(answer, "writing"), HasSubstr("problem: yardbot has the right \"read\""));
}

TEST_P(DoctorTest, AWebhookThatIsAbsentOrIncompleteIsAProblem) {
  SetRepository({{"hooks", json::array()}});
  Answer answer = Doctor();
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(Line(answer, "webhook"), AllOf(HasSubstr("problem: none points to /webhooks/" + forge()),
                                             HasSubstr("content type application/json")));

  json hook = Hook();
  if (github()) {
    hook["config"]["content_type"] = "form";
    hook["events"] = {"issues"};
    hook["active"] = false;
  } else {
    hook["encryption_type"] = 0;
    hook["note_events"] = 0;
  }
  SetRepository({{"hooks", {hook}}});
  answer = Doctor();
  EXPECT_EQ(answer.code, 1);
  const std::string line = Line(answer, "webhook");
  if (github()) {
    EXPECT_THAT(line, AllOf(HasSubstr("it must be active"), HasSubstr("content type application/json"),
                            HasSubstr("the event issue_comment"), Not(HasSubstr("the event issues"))));
  } else {
    EXPECT_THAT(line, AllOf(HasSubstr("a signature key"), HasSubstr("the event note_events")));
  }
}

TEST_P(DoctorTest, DeliveriesThatFailAreAProblem) {
  if (!github()) GTEST_SKIP() << "GitCode keeps no record of deliveries";
  KillDaemon();
  Open(forge(), kRepository, "Nobody hears of it", "It is slow.", {"new"});
  for (int i = 0; i < 500 && Forge("pending").value("pending", 1) != 0; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  const Answer answer = Doctor();
  EXPECT_EQ(answer.code, 1);
  EXPECT_THAT(Line(answer, "deliveries"), AllOf(HasSubstr("problem: "), HasSubstr("no answer")));
  EXPECT_THAT(Line(answer, "daemon"), AllOf(HasSubstr("skipped: "), HasSubstr("start yardmasterd")));
}

TEST_P(DoctorTest, AClockThatIsOffIsAWarningInTheDoctorAndInTheHealth) {
  Forge("account", {{"forge", forge()}, {"clock_ahead", 600}});
  const Answer answer = Doctor();
  EXPECT_EQ(answer.code, 0) << answer.out << answer.err;
  EXPECT_THAT(Line(answer, "clock"), AllOf(HasSubstr("warning: "), HasSubstr("behind the forge's")));

  // The daemon sees it with its next call.
  Open(forge(), kRepository, "Another issue", "It is slow.", {"new"});
  Drain();
  const Answer health = Yard({"health"});
  EXPECT_EQ(health.code, 0);
  EXPECT_THAT(health.out, AllOf(HasSubstr("clock of " + forge()), HasSubstr("about 10 min behind")));
  EXPECT_EQ(Yard({"health", "--json"}).document()["notices"].size(), 1U);

  Forge("account", {{"forge", forge()}, {"clock_ahead", 0}});
  Open(forge(), kRepository, "A third issue", "It is slow.", {"new"});
  Drain();
  EXPECT_EQ(Yard({"health", "--json"}).document()["notices"], json::array());
}

TEST_P(DoctorTest, WhatTheDaemonWantsFixedIsShown) {
  SetRepository({{"contents_readable", false}});
  // What was read before is forgotten.
  KillDaemon();
  StartDaemon();
  Open(forge(), kRepository, "Another issue", "It is slow.", {"new"});
  Drain();
  const json notices = Yard({"health", "--json"}).document()["notices"];
  ASSERT_EQ(notices.size(), 1U);
  EXPECT_EQ(notices[0]["about"], "files of " + subject());
  EXPECT_THAT(Doctor().out, HasSubstr("files of " + subject()));
}

TEST_P(DoctorTest, ABadConfigurationIsCodeTwo) {
  dir_.Write("bad.json", "{}}");
  EXPECT_EQ(Yard({"doctor", "--config", Path("bad.json")}).code, 2);
  EXPECT_EQ(Yard({"doctor", "--config", Path("absent.json")}).code, 2);
  EXPECT_EQ(Yard({"doctor", "--config", Path("config.json"), "--repository", "nonsense"}).code, 2);
}

}  // namespace
}  // namespace yardmaster
