// Commands from outside: people write them on both faces of the forge, the real daemon answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/integration/pipe_fixture.h"
#include "tests/support/faces.h"
#include "tests/support/rounds.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;
using testing::PipeTest;
using testing::SourcePath;

constexpr const char* kRepository = "octo/repo";
// maria may write, nobody else may: alice opens things, bob walks by.
constexpr const char* kMaria = "maria";
constexpr const char* kBob = "bob";

class CommandsTest : public PipeTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void StartCommands(const std::string& faults = "", const std::string& seed = "1") {
    more_packs_ = {"pypto"};
    Start(SourcePath("rules/packs").string(), "hyper-parallel", faults, seed);
    for (const std::string repository : {kRepository, "octo/dry"}) {
      Forge("repository",
            {{"forge", forge()}, {"repository", repository}, {"permissions", {{kMaria, "write"}, {"root", "admin"}}}});
    }
  }
  const std::string& forge() const { return GetParam(); }
  bool github() const { return forge() == "github"; }

  int64_t Issue(const std::string& body = "It is slow.", const std::string& repository = kRepository) {
    return Open(forge(), repository, "Something", body, {});
  }
  int64_t Pull(const json& files = json::array(), const std::string& body = "A change.") {
    const json answer = Forge("issues", {{"forge", forge()},
                                         {"repository", kRepository},
                                         {"title", "A change"},
                                         {"body", body},
                                         {"pull", true},
                                         {"files", files}});
    return answer.value("number", int64_t{0});
  }
  // One entry of a pull request's files, in the forge's own shape; without a patch where there is none.
  json File(const std::string& path, const std::string& status, const std::string& patch = "") const {
    json file = {{"filename", path}, {"status", status}, {"sha", "1"}};
    if (patch.empty()) return file;
    if (github()) {
      file["patch"] = patch;
    } else {
      file["patch"] = {{"diff", patch}, {"new_path", path}, {"old_path", path}};
    }
    return file;
  }
  int64_t Comment(int64_t number, const std::string& user, const std::string& body, bool pull = false,
                  const std::string& repository = kRepository) {
    const json answer = Forge("comments", {{"forge", forge()},
                                           {"repository", repository},
                                           {"number", number},
                                           {"pull", pull},
                                           {"user", user},
                                           {"body", body}});
    return answer.value("id", int64_t{0});
  }
  void EditComment(int64_t number, int64_t comment, const std::string& user, const std::string& body) {
    Forge("edit", {{"forge", forge()},
                   {"repository", kRepository},
                   {"number", number},
                   {"user", user},
                   {"comment", comment},
                   {"body", body}});
  }
  json Find(int64_t number, bool pull = false, const std::string& repository = kRepository) {
    const json state = Forge("state");
    for (const json& subject : state[forge()][repository]["subjects"]) {
      if (subject["number"] == number && (github() || subject["pull"] == pull)) return subject;
    }
    return json::object();
  }
  // Our comments by the name in their marker: every one that is there.
  std::map<std::string, std::vector<std::string>> Answers(int64_t number, bool pull = false,
                                                          const std::string& repository = kRepository) {
    std::map<std::string, std::vector<std::string>> out;
    const json subject = Find(number, pull, repository);
    for (const json& comment : subject["comments"]) {
      const std::string body = comment["body"];
      const size_t begin = body.rfind(" template=");
      if (comment["user"] != "yardbot" || begin == std::string::npos) continue;
      const std::string name = body.substr(begin + 10, body.find(' ', begin + 10) - begin - 10);
      // Templates of triage are none of them.
      if (name.starts_with("command-") || name == "review" || name == "repository-file") out[name].push_back(body);
    }
    return out;
  }
  // The one answer to a command; a failure if there is none, or more than one.
  std::string Answer(int64_t number, int64_t comment, int slot = 0, bool pull = false) {
    const std::string source = comment == 0 ? "post" : "c" + std::to_string(comment);
    const auto answers = Answers(number, pull);
    const auto it = answers.find("command-" + source + "-" + std::to_string(slot));
    if (it == answers.end()) {
      ADD_FAILURE() << "no answer to " << source << " slot " << slot << " of " << number;
      return {};
    }
    EXPECT_EQ(it->second.size(), 1U) << source;
    return it->second.front();
  }
  // Gives one command in a new comment and returns its answer.
  std::string Say(int64_t number, const std::string& user, const std::string& body, bool pull = false) {
    const int64_t comment = Comment(number, user, body, pull);
    Drain();
    return Answer(number, comment, 0, pull);
  }
  size_t CountCalls(const std::string& method, const std::string& part) {
    size_t count = 0;
    for (const json& call : Forge("calls")) {
      if (call["method"] == method && call["target"].get<std::string>().find(part) != std::string::npos) ++count;
    }
    return count;
  }
};

INSTANTIATE_TEST_SUITE_P(Faces, CommandsTest, ::testing::ValuesIn(testing::Faces<std::string>("github")),
                         [](const auto& info) { return info.param; });

TEST_P(CommandsTest, HelpIsAcknowledgedAtOnceAndAnsweredOnce) {
  StartCommands();
  const int64_t number = Issue();
  const int64_t comment = Comment(number, kBob, "Hello\n\n/help\n");
  Drain();
  const std::string answer = Answer(number, comment);
  EXPECT_THAT(answer, HasSubstr("/label"));
  EXPECT_THAT(answer, Not(HasSubstr("@bob")));
  EXPECT_EQ(Answers(number).size(), 1U);
  if (github()) {
    EXPECT_EQ(CountCalls("POST", "/reactions"), 1U);
  } else {
    EXPECT_EQ(CountCalls("PATCH", "/comments/"), 1U) << "first \"working\", then the outcome in the same comment";
  }
  const std::string name = forge() + ":octo/repo#" + std::to_string(number);
  const json ledger = Yard({"ledger", "list", "--subject", name, "--json"}).document()["effects"];
  std::set<std::string> states;
  for (const json& effect : ledger) states.insert(effect["state"].get<std::string>());
  EXPECT_EQ(states, std::set<std::string>{"confirmed"});
  EXPECT_EQ(Forge("unexpected"), json::array());

  EXPECT_THAT(Say(number, kBob, "/help squash"), HasSubstr("/squash"));
  EXPECT_THAT(Say(number, kBob, "/help nonsense-<b>@maria"), Not(HasSubstr("@maria")));
}

TEST_P(CommandsTest, LabelsGoOnAndOffForThoseWhoMay) {
  StartCommands();
  const int64_t number = Issue();
  Drain();
  const std::set<std::string> before = Labels(Find(number));
  EXPECT_THAT(Say(number, kBob, "/label area/docs"), HasSubstr("triage or write"));
  EXPECT_EQ(Labels(Find(number)), before);

  const std::string done = Say(number, kMaria, "/label area/docs, Area/Build");
  EXPECT_THAT(done, HasSubstr("area/docs"));
  std::set<std::string> expected = before;
  expected.insert({"area/docs", "area/build"});
  EXPECT_EQ(Labels(Find(number)), expected);

  // What the pack does not list can't be set by anybody.
  const std::string refused = Say(number, "root", "/label security, ym-triaged");
  EXPECT_THAT(refused, HasSubstr("security"));
  EXPECT_EQ(Labels(Find(number)), expected);

  EXPECT_THAT(Say(number, kBob, "/unlabel area/docs"), HasSubstr("triage or write"));
  Say(number, kMaria, "/unlabel area/docs");
  expected.erase("area/docs");
  EXPECT_EQ(Labels(Find(number)), expected);
  // On again, off again: each is a command of its own.
  Say(number, kMaria, "/label area/docs");
  expected.insert("area/docs");
  EXPECT_EQ(Labels(Find(number)), expected);
  Say(number, kMaria, "/unlabel area/docs");
  expected.erase("area/docs");
  EXPECT_EQ(Labels(Find(number)), expected);
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_P(CommandsTest, EditsReplaysAndRedeliveriesRunNothingTwice) {
  StartCommands("webhook_duplicate=100");
  const int64_t number = Issue();
  const int64_t comment = Comment(number, kMaria, "/label area/docs");
  Drain();
  Answer(number, comment);
  Forge("labels", {{"forge", forge()}, {"repository", kRepository}, {"number", number}, {"remove", {"area/docs"}}});
  Drain();
  // The same command in another text.
  EditComment(number, comment, kMaria, "Please, once more:\n\n/label   area/docs\n\nThanks.");
  Drain();
  EXPECT_EQ(Labels(Find(number)).count("area/docs"), 0U);
  EXPECT_EQ(Answers(number).size(), 1U);
  // Another one before it: only that runs.
  EditComment(number, comment, kMaria, "/help\n/label area/docs");
  Drain();
  EXPECT_EQ(Labels(Find(number)).count("area/docs"), 0U);
  EXPECT_EQ(Answers(number).size(), 2U);
  // Replayed by a person.
  const json list = Yard({"deliveries", "list", "--state", "done", "--json"}).document()["deliveries"];
  for (const json& delivery : list) {
    Yard({"deliveries", "replay", std::to_string(delivery["id"].get<int64_t>())}, true);
  }
  Drain();
  EXPECT_EQ(Answers(number).size(), 2U);
  EXPECT_EQ(Labels(Find(number)).count("area/docs"), 0U);
  // What was misspelt is mended in place, and so is its answer.
  const int64_t misspelt = Comment(number, kMaria, "/lable area/docs");
  Drain();
  EXPECT_THAT(Answer(number, misspelt), HasSubstr("/label"));
  EditComment(number, misspelt, kMaria, "/label area/docs");
  Drain();
  EXPECT_THAT(Answer(number, misspelt), HasSubstr("area/docs"));
  EXPECT_EQ(Labels(Find(number)).count("area/docs"), 1U);
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_P(CommandsTest, WhatOnlyLooksLikeACommandIsLeftAlone) {
  StartCommands();
  const int64_t number = Issue();
  for (const char* text : {"> /help", "```\n/help\n```", "    /help", "<!--\n/help\n-->", "`/help`", "see /help",
                           "/lgtm", "/approve\n/hold", "/usr/lib is full", "@dependabot rebase", "Thanks!"}) {
    Comment(number, kMaria, text);
  }
  Comment(number, "renovate[bot]", "/help");
  Comment(number, "yardbot", "/help");
  Drain();
  EXPECT_TRUE(Answers(number).empty());
  EXPECT_EQ(CountCalls("POST", "/reactions"), 0U);
  // People who edit what a bot wrote ask for nothing either.
  const int64_t ours = Comment(number, "renovate[bot]", "Hello");
  EditComment(number, ours, kMaria, "/help");
  Drain();
  EXPECT_TRUE(Answers(number).empty());
}

TEST_P(CommandsTest, OpeningPostCountsAsACommentAndTriageGoesOnBesideIt) {
  StartCommands();
  const std::string body = "/label area/docs\n\n### 重现步骤\n```python\nd.redistribute(mesh, [Shard(1)])\n```\n";
  const json answer = Forge("issues", {{"forge", forge()},
                                       {"repository", kRepository},
                                       {"title", "DTensor 重排布结果不正确"},
                                       {"body", body},
                                       {"user", kMaria}});
  const int64_t number = answer["number"];
  Drain();
  EXPECT_THAT(Answer(number, 0), HasSubstr("area/docs"));
  const std::set<std::string> labels = Labels(Find(number));
  EXPECT_EQ(labels.count("area/docs"), 1U);
  EXPECT_EQ(labels.count("ym-triaged"), 1U);
  // The post is edited: what is new in it runs, the rest does not.
  Forge("edit", {{"forge", forge()},
                 {"repository", kRepository},
                 {"number", number},
                 {"user", kMaria},
                 {"body", body + "\n/help\n"}});
  Drain();
  EXPECT_THAT(Answer(number, 0, 1), HasSubstr("/label"));
  EXPECT_EQ(Answers(number).size(), 2U);
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_P(CommandsTest, NobodyLendsRightsByEditing) {
  StartCommands();
  const int64_t number = Issue();
  const int64_t comment = Comment(number, kBob, "Could somebody look?");
  Drain();
  EditComment(number, comment, kMaria, "Could somebody look?\n\n/label area/docs");
  Drain();
  EXPECT_EQ(Labels(Find(number)).count("area/docs"), 0U);
  EXPECT_THAT(Answer(number, comment), HasSubstr("triage or write"));
}

TEST_P(CommandsTest, TriageAndWhySayWhatWasDecided) {
  StartCommands();
  const int64_t number = Issue("fully_shard hangs.\n```python\nfully_shard(model)\n```");
  Drain();
  EXPECT_THAT(Say(number, kBob, "/triage"), HasSubstr("triage or write"));
  const std::string why = Say(number, kBob, "/why");
  EXPECT_THAT(why, HasSubstr("area/fsdp"));
  EXPECT_THAT(why, HasSubstr("yard explain"));
  // Taken off by a command: triage does not put it back.
  Say(number, kMaria, "/unlabel area/fsdp");
  const std::string again = Say(number, kMaria, "/triage");
  EXPECT_THAT(again, HasSubstr("/why"));
  EXPECT_EQ(Labels(Find(number)).count("area/fsdp"), 0U);
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_P(CommandsTest, EveryOtherCommandIsUnderstoodAndAnswered) {
  StartCommands();
  const int64_t number = Pull();
  Drain();
  for (const char* command : {"/test ut", "/cancel", "/ok-to-test"}) {
    EXPECT_THAT(Say(number, kBob, command, true), HasSubstr("was not carried out")) << command;
  }
  EXPECT_THAT(Say(number, kMaria, "/test ut", true), HasSubstr("the git server"));
  EXPECT_THAT(Say(number, kMaria, "/cancel", true), HasSubstr("no tests of this pull request wait or run"));
  EXPECT_THAT(Say(number, kMaria, "/ok-to-test", true), HasSubstr("may be tested, and no other"));
  for (const char* command : {"/commit", "/create-pr"}) {
    SCOPED_TRACE(command);
    // The author and somebody who may write: one of them may.
    const std::string by_author = Say(number, "alice", command, true);
    const std::string by_writer = Say(number, kMaria, command, true);
    EXPECT_TRUE(by_author.find("not available here yet") != std::string::npos ||
                by_writer.find("not available here yet") != std::string::npos)
        << by_author << by_writer;
    const std::string by_other = Say(number, kBob, command, true);
    EXPECT_THAT(by_other, HasSubstr("was not carried out"));
  }
  for (const char* command : {"/status", "/diagnose"}) {
    EXPECT_THAT(Say(number, kBob, command, true), HasSubstr("**NEW** → `check_pr`"));
  }
  EXPECT_THAT(Say(number, kMaria, "/retest", true), HasSubstr("nothing was started for this head"));
  EXPECT_THAT(Say(number, kMaria, "/check-pr", true), HasSubstr("the gate's bot reads that comment itself"));
  EXPECT_THAT(Say(number, kMaria, "/autofix", true), HasSubstr("fixing is yours"));
  EXPECT_THAT(Say(number, kMaria, "/sqaush", true), HasSubstr("/squash"));
  EXPECT_THAT(Say(number, kMaria, "/squash --nonsense", true), HasSubstr("nonsense"));
  EXPECT_EQ(Labels(Find(number, true)), std::set<std::string>{});
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_P(CommandsTest, MentionWithFreeTextIsUnderstoodOrAskedBack) {
  StartCommands();
  const int64_t number = Pull();
  Drain();
  EXPECT_THAT(Say(number, kBob, "@yardbot /help", true), HasSubstr("/label"));
  EXPECT_THAT(Say(number, "alice", "@yardbot 帮我把这个 PR 压成一个 commit", true), HasSubstr("推送的权限"));
  EXPECT_THAT(Say(number, kBob, "@yardbot squash this PR into one commit", true), HasSubstr("was not carried out"));
  // Squash or merge? Whoever may do neither is asked as well: nothing is done.
  const std::string asked = Say(number, "alice", "@yardbot 合并 #" + std::to_string(number), true);
  EXPECT_THAT(asked, HasSubstr("没有做任何事"));
  EXPECT_THAT(asked, HasSubstr("squash " + std::to_string(number)));
  const size_t answers = Answers(number, true).size();
  Comment(number, "alice", "@yardbot thanks a lot!", true);
  Comment(number, "alice", "I think @yardbot is wrong here.", true);
  Drain();
  EXPECT_EQ(Answers(number, true).size(), answers);
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_P(CommandsTest, DryRunRecordsWhatItWouldDoAndWritesNothing) {
  StartCommands();
  const int64_t number = Issue("It is slow.", "octo/dry");
  Drain();
  const size_t writes = CountCalls("POST", "/repos/") + CountCalls("PATCH", "/repos/");
  Comment(number, kMaria, "/label area/docs\n/help", false, "octo/dry");
  Drain();
  EXPECT_EQ(CountCalls("POST", "/repos/") + CountCalls("PATCH", "/repos/"), writes);
  EXPECT_EQ(Labels(Find(number, false, "octo/dry")), std::set<std::string>{});
  const std::string name = forge() + ":octo/dry#" + std::to_string(number);
  EXPECT_EQ(Yard({"ledger", "list", "--subject", name, "--json"}).document()["effects"], json::array());
  const json done = Yard({"deliveries", "list", "--subject", name, "--state", "done", "--json"}).document();
  EXPECT_GE(done["deliveries"].size(), 1U);
}

TEST_P(CommandsTest, RepositoryFileSaysWhoMayAndWhatIsOff) {
  StartCommands();
  const std::string path = github() ? ".github/yardmaster.json" : ".gitcode/yardmaster.json";
  const int64_t number = Issue();
  Forge("repository", {{"forge", forge()},
                       {"repository", kRepository},
                       {"pushed_by", kMaria},
                       {"contents", {{path, R"({"commands": {"label": {"who": ["author"]}, "why": {"enabled": false}},
                                                "bots": {"commands": ["triage"]}})"}}}});
  Drain();
  EXPECT_THAT(Say(number, kMaria, "/label area/docs"), HasSubstr("the author"));
  EXPECT_EQ(Labels(Find(number)).count("area/docs"), 0U);
  Say(number, "alice", "/label area/docs");
  EXPECT_EQ(Labels(Find(number)).count("area/docs"), 1U);
  EXPECT_THAT(Say(number, kMaria, "/why"), HasSubstr("switched it off"));
  const size_t answers = Answers(number).size();
  Comment(number, kMaria, "/triage");
  Drain();
  EXPECT_EQ(Answers(number).size(), answers) << "another bot's here";
  // A file that can't be read permits no write.
  Forge("repository",
        {{"forge", forge()}, {"repository", kRepository}, {"pushed_by", kMaria}, {"contents", {{path, "{"}}}});
  Drain();
  Say(number, "alice", "/label area/build");
  EXPECT_EQ(Labels(Find(number)).count("area/build"), 0U);
}

TEST_P(CommandsTest, RepositoryFileHoldsForTriageToo) {
  StartCommands();
  const std::string path = github() ? ".github/yardmaster.json" : ".gitcode/yardmaster.json";
  const std::string text = "fully_shard hangs.\n```python\nfully_shard(model)\n```";
  const auto explained = [&](int64_t number) {
    const std::string name = forge() + ":octo/repo#" + std::to_string(number);
    return Yard({"explain", name, "--json"}).document();
  };
  const auto push = [&](const std::string& file) {
    Forge("repository",
          {{"forge", forge()}, {"repository", kRepository}, {"pushed_by", kMaria}, {"contents", {{path, file}}}});
    Drain();
  };
  push(R"({"mode": "dry-run"})");
  const int64_t dry = Issue(text);
  Drain();
  EXPECT_TRUE(Labels(Find(dry)).empty());
  json plan = explained(dry);
  EXPECT_EQ(plan["mode"], "dry-run");
  EXPECT_EQ(plan["steps"][0]["id"], "repository-file");
  EXPECT_EQ(plan["steps"][0]["why"], path + " says dry-run");
  EXPECT_NE(plan["applied"], json::array()) << "it says what it would do";

  // Many issues, one look at the file; the organisation's is another.
  const size_t reads = CountCalls("GET", "contents/");
  for (int i = 0; i < 5; ++i) Issue(text + " " + std::to_string(i));
  Drain();
  EXPECT_EQ(CountCalls("GET", "contents/"), reads);

  // A pack without a rubric: issues are nobody's.
  push(R"({"packs": ["pypto"]})");
  const int64_t nobody = Issue(text);
  Drain();
  EXPECT_TRUE(Labels(Find(nobody)).empty());
  EXPECT_EQ(CountCalls("GET", "contents/"), reads + 1) << "what was pushed is read, and nothing else";

  push("{");
  const int64_t broken = Issue(text);
  Drain();
  EXPECT_TRUE(Labels(Find(broken)).empty());
  EXPECT_THAT(explained(broken)["steps"][0]["why"].get<std::string>(), HasSubstr("until it is fixed"));

  push("{}");
  const int64_t decided = Issue(text);
  Drain();
  EXPECT_EQ(Labels(Find(decided)).count("area/fsdp"), 1U);
  EXPECT_NE(explained(decided)["steps"][0]["id"], "repository-file");
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_P(CommandsTest, SentenceWithSeveralCommandsIsCarriedOutUpToWhatCannotBe) {
  StartCommands();
  const int64_t number = Issue("fully_shard hangs.\n```python\nfully_shard(model)\n```");
  Drain();
  const int64_t comment =
      Comment(number, kMaria, "@yardbot triage this issue again, then tell me why it got its labels");
  Drain();
  EXPECT_THAT(Answer(number, comment, 0), HasSubstr("/triage"));
  EXPECT_THAT(Answer(number, comment, 1), HasSubstr("area/fsdp"));
  const int64_t pull = Pull();
  Drain();
  const int64_t stopped = Comment(pull, "alice", "@yardbot squash this PR, then retest it", true);
  Drain();
  EXPECT_THAT(Answer(pull, stopped, 0, true), HasSubstr("may push to"));
  EXPECT_THAT(Answer(pull, stopped, 1, true), HasSubstr("which was not done"));
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_P(CommandsTest, PullRequestThatChangesTheRepositoryFileIsToldWhatIsWrong) {
  StartCommands();
  const std::string path = github() ? ".github/yardmaster.json" : ".gitcode/yardmaster.json";
  const std::string head(40, '1');
  const json files = json::array({File(path, "modified", "@@ -1 +1 @@\n-a\n+b")});
  Forge("repository", {{"forge", forge()},
                       {"repository", kRepository},
                       {"contents", {{path + "@" + head, "{\n  \"commands\": {\n    \"lable\": 1\n  }\n}\n"}}}});
  const int64_t number = Pull(files);
  const int64_t other = Pull();
  Drain();
  const auto answers = Answers(number, true);
  ASSERT_EQ(answers.count("repository-file"), 1U);
  EXPECT_THAT(answers.at("repository-file").front(), HasSubstr("| 3 |"));
  EXPECT_TRUE(Answers(other, true).empty());
}

TEST_P(CommandsTest, ReviewSumsUpInOneCommentThatIsUpdatedInPlace) {
  StartCommands();
  const std::string head(40, '1');
  const json files = {File("ops/demo/demo_impl.py", "added", "@@ -0,0 +1,2 @@\n+def f(:\n+  pass"),
                      File("README.md", "modified"), File("gone.py", "removed"), File("missing.py", "added")};
  Forge("repository", {{"forge", forge()},
                       {"repository", kRepository},
                       {"contents", {{"ops/demo/demo_impl.py", "def f(:\n  pass\n"}}}});
  const int64_t number = Pull(files);
  Drain();
  EXPECT_THAT(Say(number, kBob, "/review", true), HasSubstr("was not carried out"));
  EXPECT_EQ(Answers(number, true).count("review"), 0U);
  const std::string told = Say(number, "alice", "/review", true);
  EXPECT_THAT(told, HasSubstr("1 file"));
  auto answers = Answers(number, true);
  ASSERT_EQ(answers["review"].size(), 1U);
  const std::string summary = answers["review"].front();
  EXPECT_THAT(summary, HasSubstr("demo_impl.py"));
  EXPECT_THAT(summary, HasSubstr("missing.py"));
  EXPECT_THAT(summary, Not(HasSubstr("gone.py")));
  Say(number, kMaria, "/review", true);
  answers = Answers(number, true);
  EXPECT_EQ(answers["review"].size(), 1U) << "updated in place";
  EXPECT_EQ(Forge("unexpected"), json::array());

  // More of it, and under one pack alone: one that the repository may use.
  Forge("repository", {{"forge", forge()},
                       {"repository", kRepository},
                       {"contents", {{"ops/demo/demo_impl.py", "import pypto as pt\n"}}}});
  Say(number, kMaria, "/review detailed", true);
  EXPECT_THAT(Answers(number, true)["review"].front(), HasSubstr("Why: the rules of these findings"));
  Say(number, kMaria, "/review pack=pypto", true);
  EXPECT_THAT(Answers(number, true)["review"].front(), HasSubstr("Packs: pypto"));
  const std::string refused = Say(number, kMaria, "/review pack=cache-dit", true);
  EXPECT_THAT(refused, HasSubstr("may not use the pack"));
  EXPECT_THAT(refused, HasSubstr("pypto"));
  EXPECT_THAT(Answers(number, true)["review"].front(), HasSubstr("Packs: pypto")) << "it stays as it was";
  EXPECT_EQ(Forge("unexpected"), json::array());

  EXPECT_THAT(Say(Issue(), kMaria, "/review"), HasSubstr("can be given in"));
}

// The daemon dies between reaction, work and answer, and the forge is unwell: each command ends with exactly one
// answer, and nothing is done twice.
TEST_P(CommandsTest, KillsUnderFaultsLeaveExactlyOneAnswerToEachCommand) {
  const int kills = static_cast<int>(testing::Rounds("YARD_KILLS", 5));
  const std::string seed = std::to_string(std::random_device()() % 1'000'000);
  RecordProperty("seed", seed);
  SCOPED_TRACE("seed " + seed);
  StartCommands(
      "error_before=4,error_after=4,reset_before=3,reset_after=3,slow=2,late=4,webhook_duplicate=10,webhook_reorder=10",
      seed);
  std::mt19937 random(static_cast<unsigned>(std::stoul(seed)));
  struct Asked {
    int64_t number;
    int64_t comment;
    std::string label;
  };
  std::vector<Asked> asked;
  std::vector<int64_t> numbers;
  const std::vector<std::string> labels = {"area/docs", "area/build", "area/ci", "area/tests"};
  numbers.reserve(4);
  for (int i = 0; i < 4; ++i) numbers.push_back(Issue("Slow " + std::to_string(i)));
  int killed = 0;
  for (int round = 0; killed < kills || round < 4; ++round) {
    for (const int64_t number : numbers) {
      const std::string& label = labels[static_cast<size_t>(round) % labels.size()];
      asked.push_back({number, Comment(number, round % 2 == 0 ? kMaria : kBob, "/label " + label + "\n/help label"),
                       round % 2 == 0 ? label : ""});
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(random() % 400));
    if (killed < kills) {
      KillDaemon();
      StartDaemon();
      ++killed;
    }
  }
  DrainWithMissed();
  for (const Asked& one : asked) {
    SCOPED_TRACE("comment " + std::to_string(one.comment));
    EXPECT_FALSE(Answer(one.number, one.comment, 0).empty());
    EXPECT_FALSE(Answer(one.number, one.comment, 1).empty());
    if (!one.label.empty()) {
      const json subject = Find(one.number);
      EXPECT_EQ(Labels(subject).count(one.label), 1U);
      EXPECT_EQ(subject["added"].value(one.label, 0), 1);
    }
  }
  for (const int64_t number : numbers) {
    for (const auto& [name, bodies] : Answers(number)) EXPECT_EQ(bodies.size(), 1U) << name;
    EXPECT_EQ(Labels(Find(number)).count("area/build"), 0U) << "bob may not";
  }
  EXPECT_EQ(Forge("unexpected"), json::array());
  EXPECT_EQ(Yard({"deadletters", "list", "--json"}).document()["deliveries"], json::array());
}

}  // namespace
}  // namespace yardmaster
