// Reviews of pull requests from outside: a real git server behind both faces of the forge, the real daemon, and
// webhooks that come twice, late, out of order or not at all.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/pipe_fixture.h"
#include "tests/support/git_programs.h"
#include "tests/support/rounds.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using testing::GitEnvironment;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::PipeTest;
using testing::Process;
using ::testing::SizeIs;
using testing::SourcePath;
using testing::SourceText;

constexpr const char* kRepository = "octo/repo";
constexpr const char* kKernel = "custom/demo/demo_impl.py";
// Three findings of the pack pypto.
constexpr const char* kBad = "\n\n@pypto.frontend.jit\ndef scaled(x, out):\n    return x * 2\n";

class ReviewsTest : public PipeTest, public ::testing::WithParamInterface<std::string> {
 protected:
  void StartReviews(const std::string& faults = "", const std::string& seed = "1") {
    git_root_ = Path("served");
    review_ = {{"events", true}, {"gate", "block"}, {"debounce_ms", 100}};
    Git("init -q --bare " + git_root_ + "/octo/repo.git", ".");
    Git("-C " + git_root_ + "/octo/repo.git symbolic-ref HEAD refs/heads/main", ".");
    Git("init -q -b main work", ".");
    good_ = SourceText("deploy/quickstart/demo_impl.py");
    Commit("main", {{kKernel, good_}});
    Start(SourcePath("rules/packs").string(), "pypto", faults, seed);
  }
  bool github() const { return GetParam() == "github"; }

  std::string Git(const std::string& arguments, const std::string& folder = "work") const {
    Process process({"sh", "-c", "cd '" + Path(folder) + "' && git " + arguments}, GitEnvironment(dir_.path()));
    EXPECT_EQ(process.Wait(std::chrono::seconds(60)), 0) << arguments << process.Stderr();
    const std::string out = process.Stdout();
    return out.substr(0, out.find('\n'));
  }
  // Commits files on a branch, and pushes it; the commit.
  std::string Commit(const std::string& branch, const std::vector<std::pair<std::string, std::string>>& files) const {
    Git("checkout -q -B " + branch);
    for (const auto& [path, text] : files) dir_.Write("work/" + path, text);
    Git("add -A");
    Git("commit -q --allow-empty -m x");
    Git("push -q -f " + git_root_ + "/octo/repo.git HEAD:" + branch);
    return Git("rev-parse HEAD");
  }
  void OpenPull() {
    const json opened = Forge("pulls", {{"forge", GetParam()},
                                        {"repository", kRepository},
                                        {"title", "A change"},
                                        {"body", ""},
                                        {"user", "alice"},
                                        {"head_ref", "topic"},
                                        {"base_ref", "main"}});
    number_ = opened.value("number", int64_t{0});
    ASSERT_GT(number_, 0) << opened;
  }
  void Push() {
    const json pushed = Forge("push", {{"forge", GetParam()},
                                       {"repository", kRepository},
                                       {"number", number_},
                                       {"pull", true},
                                       {"user", "alice"},
                                       {"head_ref", "topic"}});
    ASSERT_FALSE(pushed.contains("error")) << pushed;
  }
  void Comment(const std::string& user, const std::string& text) {
    const json made = Forge("comments", {{"forge", GetParam()},
                                         {"repository", kRepository},
                                         {"number", number_},
                                         {"pull", true},
                                         {"user", user},
                                         {"body", text}});
    ASSERT_FALSE(made.contains("error")) << made;
  }
  json Pull() {
    const json state = Forge("state");
    for (const json& subject : state[GetParam()][kRepository]["subjects"]) {
      if (subject["number"] == number_ && subject["pull"] == true) return subject;
    }
    return json::object();
  }
  // The summary, which there is once; empty if there is none.
  std::string Summary() {
    std::vector<std::string> found;
    const json pull = Pull();
    for (const json& comment : pull["comments"]) {
      if (comment["body"].get<std::string>().find("template=review ") != std::string::npos)
        found.push_back(comment["body"]);
    }
    EXPECT_LE(found.size(), 1u);
    return found.empty() ? "" : found.front();
  }
  // Comments at lines that are no answers, and answers.
  std::vector<std::string> Inline(bool answers = false) {
    std::vector<std::string> found;
    const json pull = Pull();
    for (const json& comment : pull["review_comments"]) {
      const json& to = comment["in_reply_to"];
      const bool answer = to.is_number() ? to != 0 : to.is_string() && !to.get<std::string>().empty();
      if (answer == answers) found.push_back(comment["body"]);
    }
    return found;
  }
  // What the check of a head says last: "failure", …; empty where the forge has no checks.
  std::string CheckOf(const std::string& head) {
    std::string state;
    const json forge_state = Forge("state");
    for (const json& status : forge_state[GetParam()][kRepository]["statuses"]) {
      if (status["head"] == head && status["context"] == "yardmaster/review") state = status["state"];
    }
    return state;
  }
  // What came in and what was written, for failures.
  std::string Told() { return Yard({"deliveries", "list"}).out + Yard({"ledger", "list"}).out; }
  void ExpectCheck(const std::string& head, const std::string& state) {
    EXPECT_EQ(CheckOf(head), github() ? state : "") << head;
  }

  std::string good_;
  int64_t number_ = 0;
};

TEST_P(ReviewsTest, APullRequestIsReviewedAtEveryPushAndItsOneCommentStaysTrue) {
  StartReviews();
  // Opened with three findings.
  const std::string first = Commit("topic", {{kKernel, good_ + kBad}});
  OpenPull();
  Drain();
  EXPECT_THAT(Summary(), HasSubstr("3 new, 0 still, 0 fixed")) << Told();
  EXPECT_THAT(Inline(), SizeIs(3));
  ExpectCheck(first, "failure");

  // Shifted: no news, nothing is said again.
  const std::string second = Commit("topic", {{kKernel, "# A comment.\n\n" + good_ + kBad}});
  Push();
  Drain();
  EXPECT_THAT(Summary(), HasSubstr("3 new, 0 still, 0 fixed"));
  EXPECT_THAT(Inline(), SizeIs(3));
  ExpectCheck(second, "failure");

  // Renamed, and rebased onto a newer base.
  Git("checkout -q main");
  Commit("main", {{"README.md", "newer\n"}});
  Git("checkout -q topic");
  Git("rebase -q main");
  Git("mv custom/demo custom/other");
  const std::string third = Commit("topic", {});
  Push();
  Drain();
  EXPECT_THAT(Summary(), HasSubstr("3 new, 0 still, 0 fixed"));
  ExpectCheck(third, "failure");

  // Fixed by a force-push.
  Git("reset -q --hard main");
  const std::string fourth = Commit("topic", {{kKernel, good_ + "\n# Better so.\n"}});
  Push();
  Drain();
  EXPECT_THAT(Summary(), HasSubstr("0 new, 0 still, 3 fixed"));
  EXPECT_THAT(Inline(/*answers=*/true), SizeIs(::testing::Ge(3u)));
  ExpectCheck(fourth, "success");

  // Closed.
  Forge("edit",
        {{"forge", GetParam()}, {"repository", kRepository}, {"number", number_}, {"pull", true}, {"state", "closed"}});
  Drain();
  EXPECT_THAT(Forge("unexpected"), IsEmpty());
  EXPECT_THAT(Yard({"deadletters", "list", "--json"}).document().value("deliveries", json::array()), IsEmpty());
}

TEST_P(ReviewsTest, TheCommandLineTheServerAndTheWebhookFindTheSame) {
  StartReviews();
  Commit("topic", {{kKernel, good_ + kBad}});
  OpenPull();
  Drain();
  const auto places = [](const json& report) {
    std::multiset<std::string> out;
    for (const json& one : report["findings"]) {
      out.insert(one["rule_id"].get<std::string>() + " " + one["path"].get<std::string>() + " " +
                 std::to_string(one["line"].get<int>()) + " " + one["fingerprint"].get<std::string>());
    }
    return out;
  };
  Process local({testing::Program("yard"), "review", "diff", "--repo", Path("work"), "--base", "main", "--head",
                 "topic", "--pack", "pypto", "--json", "--packs", SourcePath("rules/packs").string()});
  EXPECT_EQ(local.Wait(std::chrono::minutes(1)), 1) << local.Stderr();
  const auto expected = places(json::parse(local.Stdout(), nullptr, false));
  EXPECT_THAT(expected, SizeIs(3));
  const std::string subject = GetParam() + ":octo/repo#" + std::to_string(number_);
  const Answer remote = Yard({"review", "pr", subject, "--json"}, /*with_token=*/true);
  EXPECT_EQ(remote.code, 1) << remote.err;
  EXPECT_EQ(places(remote.document()), expected);
  const std::string summary = Summary();
  const json report = json::parse(local.Stdout());
  for (const json& one : report["findings"]) {
    EXPECT_THAT(summary, HasSubstr(one["rule_id"].get<std::string>()));
  }
}

// Whatever goes wrong between the daemon and the forge, and whenever the daemon dies: in the end one comment, each
// finding once at its line, and the right conclusion for the head.
TEST_P(ReviewsTest, WhatIsIgnoredAndWhatOtherToolsFoundIsInTheOneReport) {
  StartReviews();
  Forge("repository", {{"forge", GetParam()}, {"repository", kRepository}, {"permissions", {{"maria", "write"}}}});
  const std::string head = Commit("topic", {{kKernel, good_ + kBad}});
  OpenPull();
  Drain();
  EXPECT_THAT(Summary(), HasSubstr("3 new, 0 still, 0 fixed"));
  const std::string subject = GetParam() + ":octo/repo#" + std::to_string(number_);
  const json before = Yard({"review", "pr", subject, "--last", "--json"}).document();
  const std::string rule = before["findings"][0]["rule_id"];

  // A tool that CI runs.
  const size_t added = static_cast<size_t>(std::count(good_.begin(), good_.end(), '\n')) + 5;
  dir_.Write("ruff.txt", std::string(kKernel) + ":" + std::to_string(added) + ":5: E741 an ambiguous name\n");
  Answer imported = Yard({"review", "import", subject, Path("ruff.txt"), "--head", head, "--tool", "ruff", "--publish"},
                         /*with_token=*/true);
  EXPECT_EQ(imported.code, 1) << imported.err;
  EXPECT_THAT(Summary(), HasSubstr("4 new, 0 still, 0 fixed")) << imported.err;
  EXPECT_THAT(Summary(), HasSubstr("ambiguous name"));

  // A person who may silences a rule, another one may not.
  Comment("alice", "/ignore " + rule + " the hardware wants it so");
  Drain();
  EXPECT_THAT(Summary(), HasSubstr("4 new"));
  Comment("maria", "/ignore " + rule + " custom/demo/*.py the hardware wants it so");
  Drain();
  EXPECT_THAT(Summary(), ::testing::Not(HasSubstr("4 new"))) << Told();
  EXPECT_THAT(Summary(), HasSubstr("by maria: the hardware wants it so"));
  Comment("maria", "/unignore " + rule + " custom/demo/*.py");
  Drain();
  EXPECT_THAT(Summary(), HasSubstr("4 new")) << Told();
  EXPECT_THAT(Summary(), ::testing::Not(HasSubstr("by maria")));

  const json listed = Yard({"review", "list", subject, "--json"}).document();
  EXPECT_GE(listed["reviews"].size(), 2u) << listed;
  EXPECT_EQ(listed["reviews"][0]["head"], head);
  EXPECT_THAT(Forge("unexpected"), IsEmpty());
}

TEST_P(ReviewsTest, KillsFaultsAndLostWebhooksLeaveExactlyOneOfEverything) {
  const int kills = static_cast<int>(testing::Rounds("YARD_KILLS", 4));
  const unsigned seed = std::random_device{}();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  StartReviews("late=5,error_after=8,webhook_duplicate=15,webhook_reorder=10", std::to_string(seed % 1000));
  std::string head = Commit("topic", {{kKernel, good_ + kBad}});
  OpenPull();
  for (int kill = 0; kill < kills; ++kill) {
    std::this_thread::sleep_for(std::chrono::milliseconds(std::uniform_int_distribution<int>(0, 900)(random)));
    KillDaemon();
    StartDaemon();
    if (kill % 2 == 0) {
      const bool bad = kill % 4 == 0;
      head = Commit("topic", {{kKernel, good_ + "# " + std::to_string(kill) + "\n" + (bad ? kBad : "")}});
      Push();
    }
  }
  head = Commit("topic", {{kKernel, good_ + "# the end\n" + kBad}});
  Push();
  DrainWithMissed();
  EXPECT_THAT(Summary(), HasSubstr("3 new, 0 still, 0 fixed")) << head << "\n" << Told();
  ExpectCheck(head, "failure");
  const std::vector<std::string> comments = Inline();
  EXPECT_EQ(std::set<std::string>(comments.begin(), comments.end()).size(), comments.size()) << "said twice";
  const json ledger = Yard({"ledger", "list", "--json", "--limit", "0"}).document();
  for (const json& effect : ledger["effects"]) {
    EXPECT_NE(effect["state"], "intent") << effect;
    EXPECT_NE(effect["state"], "unknown") << effect;
  }
}

// With the credentials of an App, which alone may write check runs.
class AppReviewsTest : public ReviewsTest {
 protected:
  void SetUp() override { app_ = true; }

  // Check runs of a head, the newest last.
  std::vector<json> ChecksOf(const std::string& head) {
    std::vector<json> found;
    const json state = Forge("state");
    for (const json& check : state["github"][kRepository]["checks"]) {
      if (check["head"] == head && check["name"] == "yardmaster/review") found.push_back(check);
    }
    return found;
  }
  void ExpectConclusion(const std::string& head, size_t runs, const std::string& conclusion, size_t annotations) {
    const std::vector<json> checks = ChecksOf(head);
    ASSERT_THAT(checks, SizeIs(runs)) << head << Told();
    EXPECT_EQ(checks.back()["status"], "completed");
    EXPECT_EQ(checks.back()["conclusion"], conclusion);
    EXPECT_THAT(checks.back()["annotations"], SizeIs(annotations));
  }
  // More findings than one call takes annotations: three for each kernel.
  std::string ManyBad() const {
    std::string text = good_;
    for (int i = 0; i < 20; ++i) {
      text += "\n\n@pypto.frontend.jit\ndef scaled" + std::to_string(i) + "(x, out):\n    return x * 2\n";
    }
    return text;
  }
  void Rerun(const std::string& head) {
    const json asked = Forge(
        "check", {{"forge", "github"}, {"repository", kRepository}, {"head", head}, {"name", "yardmaster/review"}});
    ASSERT_FALSE(asked.contains("error")) << asked;
  }
};

TEST_P(AppReviewsTest, EachHeadHasOneCheckRunWithAllAnnotationsAndARunAskedForAgainIsANewOne) {
  // Answers get lost, writes appear late: still one run for each head, and each annotation once.
  StartReviews("error_after=5,late=5", "7");
  const std::string first = Commit("topic", {{kKernel, ManyBad()}});
  OpenPull();
  Drain();
  const std::vector<json> checks = ChecksOf(first);
  ASSERT_THAT(checks, SizeIs(1)) << Told();
  const size_t annotations = checks.front()["annotations"].size();
  EXPECT_GT(annotations, 50u);
  ExpectConclusion(first, 1, "failure", annotations);
  std::set<std::string> places;
  for (const json& annotation : checks.front()["annotations"]) {
    EXPECT_TRUE(places.insert(annotation.dump()).second) << annotation;
  }

  Rerun(first);
  Drain();
  ExpectConclusion(first, 2, "failure", annotations);

  const std::string second = Commit("topic", {{kKernel, good_ + "\n# Better so.\n"}});
  Push();
  Drain();
  ExpectConclusion(second, 1, "success", 0);
  ExpectConclusion(first, 2, "failure", annotations);
  EXPECT_THAT(Summary(), HasSubstr("0 new, 0 still"));
  EXPECT_THAT(Forge("unexpected"), IsEmpty());
}

TEST_P(AppReviewsTest, OfPushesInARowOnlyTheLastIsConcluded) {
  StartReviews();
  Commit("topic", {{kKernel, good_ + kBad}});
  OpenPull();
  std::vector<std::string> heads;
  for (int i = 0; i < 4; ++i) {
    heads.push_back(Commit("topic", {{kKernel, good_ + kBad + "# " + std::to_string(i) + "\n"}}));
    Push();
  }
  Drain();
  ExpectConclusion(heads.back(), 1, "failure", 3);
  for (const std::string& head : heads) {
    for (const json& check : ChecksOf(head)) EXPECT_EQ(check["status"], "completed") << head << check;
  }
}

INSTANTIATE_TEST_SUITE_P(Forges, ReviewsTest, ::testing::Values("github", "gitcode"),
                         [](const auto& about) { return about.param; });

INSTANTIATE_TEST_SUITE_P(Forges, AppReviewsTest, ::testing::Values("github"),
                         [](const auto& param) { return param.param; });

}  // namespace
}  // namespace yardmaster
