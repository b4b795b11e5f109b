// `/test` on pull requests, from outside: people write it on both faces of the forge, the daemon fetches the head from
// a real git server, and a worker runs the suite.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include "tests/integration/pull_fixture.h"
#include "tests/support/faces.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::HasSubstr;
using testing::kFork;
using testing::kUpstream;
using ::testing::Not;
using testing::Process;
using testing::Program;
using testing::SourcePath;

bool Eventually(const std::function<bool()>& happens) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (!happens()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  }
  return true;
}

class PullTestsTest : public testing::PullTest {
 protected:
  void StartWithSuites(const json& dispatch = {{"lease_seconds", 20}}) {
    fs::create_directories(dir_.path() / "packs/repo/suites");
    fs::copy(SourcePath("rules/packs/common"), dir_.path() / "packs" / "common", fs::copy_options::recursive);
    dir_.Write("packs/repo/pack.json", R"({"name": "repo", "title": "A repository with suites", "extends": "common"})");
    dir_.Write("packs/repo/suites/all.json", R"({"suites": [
      {"id": "units", "title": "Looks for what the pull request brings", "source": {"repository": "github:o/r", "ref": "main"},
       "gate": {"kind": "ut", "tests": ["*_test.py"], "variable": "TESTS"}, "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
       "layers": [{"id": "look", "kind": "correctness", "steps": [{"id": "look", "shell": "grep -q 'def two' a.py && test -f b.py"}]}]},
      {"id": "breaks", "title": "Fails", "source": {"repository": "github:o/r", "ref": "main"},
       "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
       "layers": [{"id": "break", "kind": "correctness", "steps": [{"id": "break", "shell": "exit 1"}]}]},
      {"id": "parts", "title": "Has two steps", "source": {"repository": "github:o/r", "ref": "main"},
       "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
       "layers": [{"id": "look", "kind": "correctness", "steps": [{"id": "good", "shell": "test -f b.py"}, {"id": "bad", "shell": "exit 1"}]}]},
      {"id": "slow", "title": "Takes its time", "source": {"repository": "github:o/r", "ref": "main"},
       "limits": {"step_s": 120, "grace_s": 1, "disk_mb": 1},
       "layers": [{"id": "wait", "kind": "correctness", "steps": [{"id": "wait", "shell": "for i in $(seq 1 300); do test -f go && break; sleep 0.2; done; grep -q three b.py"}]}]}]})");
    pull_packs_ = Path("packs");
    pull_pack_ = "repo";
    dispatch_ = dispatch;
    StartPull();
    StartWorker();
  }
  void StartWorker() {
    fs::remove(Path("worker.json"));
    worker_ = std::make_unique<Process>(std::vector<std::string>{
        Program("yard-worker"), "--server", grpc_, "--token-file", Path("runner.token"), "--name", "box", "--devices",
        "cpu:2", "--work-dir", Path("worker"), "--ready-file", Path("worker.json")});
    ASSERT_TRUE(Eventually([this] { return fs::exists(Path("worker.json")); })) << worker_->Stderr();
  }
  void LetAliceWrite() {
    Forge("repository", {{"forge", GetParam()},
                         {"repository", kUpstream},
                         {"permissions", {{"maria", "write"}, {"yardbot", "write"}, {"alice", "write"}}}});
  }
  // All that was said at the pull request.
  std::string Comments() {
    std::string all;
    const json pull = Pull(number_);
    for (const json& comment : pull["comments"]) all += comment["body"].get<std::string>() + "\n";
    return all;
  }
  json Jobs() { return Yard({"test", "list", "--json"}).document()["jobs"]; }
  // What is told of a suite at a commit: "success", "failure", "pending" of a status; of a comment the verdict.
  std::vector<std::string> Told(const std::string& suite, const std::string& head) {
    std::vector<std::string> told;
    const json state = Forge("state");
    if (GetParam() == "github") {
      for (const json& status : state["github"][kUpstream]["statuses"]) {
        if (status["context"] == "yardmaster/test/repo/" + suite && status["head"] == head) {
          told.push_back(status["state"]);
        }
      }
      return told;
    }
    // One comment tells of all suites at the head.
    const std::string about = "### Tests of `" + head.substr(0, 12) + "`";
    const std::string begin = "* `repo/" + suite + "`: ";
    const json pull = Pull(number_);
    for (const json& comment : pull["comments"]) {
      const std::string body = comment["body"];
      const size_t at = body.find(begin);
      if (body.find(about) != 0 || at == std::string::npos) continue;
      const size_t end = body.find_first_of(":,\n (", at + begin.size());
      const std::string verdict = body.substr(at + begin.size(), end - at - begin.size());
      told.push_back(verdict == "passed" ? "success" : verdict == "failed" ? "failure" : verdict);
    }
    return told;
  }
  bool IsTold(const std::string& suite, const std::string& head, const std::string& what) {
    const std::vector<std::string> told = Told(suite, head);
    return !told.empty() && told.back() == what;
  }
  std::string Everything() {
    return Yard({"deliveries", "list"}).out + Yard({"ledger", "list"}).out + Jobs().dump(1) + daemon_->Stderr();
  }

  std::unique_ptr<Process> worker_;
};

INSTANTIATE_TEST_SUITE_P(Faces, PullTestsTest, ::testing::ValuesIn(testing::Faces<std::string>("github")),
                         [](const auto& face) { return face.param; });

TEST_P(PullTestsTest, TheHeadIsTestedAndWhatComesOfItIsToldOnce) {
  StartWithSuites();
  LetAliceWrite();
  const std::string head = There(kFork, "topic");
  // Who has no rights starts nothing.
  EXPECT_THAT(Say("bob", "/test"), HasSubstr("was not carried out"));
  EXPECT_THAT(Say("maria", "/test nothing"), HasSubstr("repo/units"));
  EXPECT_THAT(Say("maria", "/test units level=1"), HasSubstr("has the level `1 (repo/units)`"));
  EXPECT_EQ(Jobs().size(), 0U);

  const std::string answer = Say("maria", "/test");
  EXPECT_THAT(answer, HasSubstr("repo/units"));
  EXPECT_THAT(answer, HasSubstr(head.substr(0, 12)));
  ASSERT_TRUE(Eventually([&] { return IsTold("units", head, "success"); })) << answer << Everything();
  const json jobs = Jobs();
  ASSERT_EQ(jobs.size(), 1U) << jobs;
  EXPECT_EQ(jobs[0]["verdict"], "passed");

  Say("maria", "/test breaks");
  ASSERT_TRUE(Eventually([&] { return IsTold("breaks", head, "failure"); })) << Everything();

  // The same deliveries once more make no second job.
  Yard({"deliveries", "replay", "--all"}, /*with_token=*/true);
  Drain();
  EXPECT_EQ(Jobs().size(), 2U);
  // A check that is asked for again is one of its own; what has passed is left alone.
  EXPECT_THAT(Say("maria", "/retest"), HasSubstr("repo/breaks"));
  ASSERT_TRUE(Eventually([&] { return Jobs().size() == 3U && Jobs()[0]["verdict"] == "failed"; })) << Everything();
  const json again = Jobs()[0];
  EXPECT_EQ(again["rerun_of"], Jobs()[1]["job"]) << again;
  ASSERT_TRUE(Eventually([&] {
    return GetParam() == "github" ? Told("breaks", head).size() >= 4U
                                  : Comments().find(again["job"]) != std::string::npos;
  })) << Everything();

  // Is it broken where it is to be merged to, too?
  EXPECT_THAT(Say("maria", "/test breaks --base"), HasSubstr(There(kUpstream, "main").substr(0, 12)));
  ASSERT_TRUE(Eventually([&] { return Comments().find("It fails there, too.") != std::string::npos; })) << Everything();
  EXPECT_EQ(Jobs().size(), 4U);
  EXPECT_EQ(Jobs()[0]["pool"], "trusted");
  // That is a class of its own where the head's outcome is told.
  EXPECT_TRUE(Eventually([&] {
    return (GetParam() == "github" ? Forge("state").dump() : Comments()).find("failed, broken on trunk") !=
           std::string::npos;
  })) << Everything();
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_P(PullTestsTest, JobsThatShareASuiteAreToldOneByOne) {
  StartWithSuites();
  LetAliceWrite();
  const std::string head = There(kFork, "topic");
  EXPECT_THAT(Say("maria", "/test parts shards=4"),
              AllOf(HasSubstr("repo/parts (1/2)"), HasSubstr("repo/parts (2/2)")));
  ASSERT_TRUE(Eventually([&] {
    return IsTold("parts (1/2)", head, "success") && IsTold("parts (2/2)", head, "failure");
  })) << Everything();
  ASSERT_EQ(Jobs().size(), 2U);
  if (GetParam() != "github") {
    // The comment in place of checks has both.
    const std::string all = Comments();
    EXPECT_THAT(all, AllOf(HasSubstr("`repo/parts (1/2)`: passed"), HasSubstr("`repo/parts (2/2)`: failed")));
  }
  // Only what failed is run again.
  const std::string again = Say("maria", "/retest");
  EXPECT_THAT(again, AllOf(HasSubstr("repo/parts (2/2)"), Not(HasSubstr("repo/parts (1/2)"))));
  ASSERT_TRUE(Eventually([&] { return Jobs().size() == 3U && Jobs()[0]["verdict"] == "failed"; })) << Everything();
  EXPECT_EQ(Jobs()[0]["shard"]["index"], 2);
  EXPECT_EQ(Jobs()[0]["shard"]["group"], Jobs()[1]["shard"]["group"]);
}

TEST_P(PullTestsTest, ARefOfAConfiguredRepositoryIsTestedByCall) {
  StartWithSuites();
  const std::string where = GetParam() + ":" + kUpstream;
  const auto run = [&](const std::string& repository, const std::string& ref) {
    return Yard({"test", "run", "repo/units", "--repository", repository, "--ref", ref, "--json"}, /*with_token=*/true);
  };
  const auto main = run(where, "main");
  EXPECT_EQ(main.code, 1) << main.err;
  EXPECT_EQ(main.document()["verdict"], "failed") << main.out;
  EXPECT_EQ(main.document()["commit"], There(kUpstream, "main"));
  const auto by_name = run(where, There(kUpstream, "main"));
  EXPECT_EQ(by_name.document()["commit"], There(kUpstream, "main")) << by_name.err;
  EXPECT_THAT(run(where, "nowhere").err, HasSubstr("nowhere"));
  EXPECT_THAT(run(GetParam() + ":octo/secret", "main").err, HasSubstr("octo/secret"));
  EXPECT_EQ(Jobs().size(), 2U);
  EXPECT_EQ(Jobs()[0]["repository"], where);
  EXPECT_EQ(Jobs()[0]["commit"], There(kUpstream, "main"));

  // What only the fork has runs where code is contained, by whatever name.
  const std::string head = GetParam() == "github" ? "refs/pull/" : "refs/merge-requests/";
  for (const std::string& ref : {head + std::to_string(number_) + "/head", There(kFork, "topic")}) {
    const auto fork = Yard({"test", "run", "repo/units", "--repository", where, "--ref", ref, "--detach", "--json"},
                           /*with_token=*/true);
    EXPECT_EQ(fork.document()["pool"], "untrusted") << ref << fork.out << fork.err;
    const auto trusted = Yard({"test", "run", "repo/units", "--repository", where, "--ref", ref, "--pool", "trusted"},
                              /*with_token=*/true);
    EXPECT_THAT(trusted.err, HasSubstr("it may be code of a fork"));
  }
}

TEST_P(PullTestsTest, CodeOfAnOutsiderRunsOnlyAtTheCommitThatSomebodyLet) {
  StartWithSuites();
  EXPECT_THAT(Say("maria", "/test units"), HasSubstr("/ok-to-test"));
  EXPECT_THAT(Say("alice", "/ok-to-test"), HasSubstr("was not carried out"));
  EXPECT_THAT(Say("maria", "/test units"), HasSubstr("/ok-to-test"));
  EXPECT_EQ(Jobs().size(), 0U);
  EXPECT_THAT(Say("maria", "/ok-to-test"), HasSubstr(There(kFork, "topic").substr(0, 12)));
  EXPECT_THAT(Say("maria", "/test units"), HasSubstr("contained"));
  json jobs = Jobs();
  ASSERT_EQ(jobs.size(), 1U) << jobs;
  // The only machine is trusted: it gets nothing of it.
  EXPECT_EQ(jobs[0]["pool"], "untrusted") << jobs;
  EXPECT_EQ(jobs[0]["runner"], "") << jobs;

  // Another commit needs another word.
  const std::string seen = There(kFork, "topic");
  Git("checkout -q topic");
  Commit("topic", "evil.py", "import os\n", "more");
  PushTo(kFork, "topic");
  Forge("push",
        {{"forge", GetParam()}, {"repository", kUpstream}, {"number", number_}, {"pull", true}, {"user", "alice"}});
  Drain();
  EXPECT_THAT(Say("maria", "/test units"), HasSubstr("/ok-to-test"));
  EXPECT_EQ(Jobs().size(), 1U);
  // The one that was looked at is not the one that is there.
  EXPECT_THAT(Say("maria", "/ok-to-test " + seen.substr(0, 12)), HasSubstr("is not the head"));
  const std::string head = There(kFork, "topic");
  EXPECT_THAT(Say("maria", "/ok-to-test " + head.substr(0, 12)), HasSubstr("may be tested"));
  EXPECT_THAT(Say("maria", "/test units"), HasSubstr("contained"));

  // A push that nobody was told of yet: whoever approves has not seen it.
  Commit("topic", "worse.py", "import os\n", "more");
  PushTo(kFork, "topic");
  EXPECT_THAT(Say("maria", "/ok-to-test"), HasSubstr("of which nothing was known here before this was written"));
}

TEST_P(PullTestsTest, APushEndsWhatIsTestedOfTheOldHeadAndCancelEndsTheRest) {
  StartWithSuites();
  LetAliceWrite();
  const std::string old = There(kFork, "topic");
  Say("maria", "/test slow");
  ASSERT_TRUE(Eventually([&] { return Jobs()[0]["state"] == "running"; })) << Everything();
  // Where there are no checks the comment says how far it is.
  if (GetParam() != "github") {
    EXPECT_TRUE(Eventually([&] { return Comments().find("* wait: running") != std::string::npos; })) << Comments();
  }
  Git("checkout -q topic");
  Commit("topic", "d.py", "y = 1\n", "more");
  PushTo(kFork, "topic");
  Forge("push",
        {{"forge", GetParam()}, {"repository", kUpstream}, {"number", number_}, {"pull", true}, {"user", "alice"}});
  Drain();
  ASSERT_TRUE(Eventually([&] { return Jobs()[0]["verdict"] == "cancelled"; })) << Everything();
  EXPECT_THAT(Yard({"test", "show", Jobs()[0]["job"]}).out, HasSubstr("superseded by"));
  // A status that fails stands for a check that was called off.
  ASSERT_TRUE(Eventually([&] { return IsTold("slow", old, GetParam() == "github" ? "failure" : "cancelled"); }))
      << Everything();

  Say("maria", "/test slow");
  ASSERT_TRUE(Eventually([&] { return Jobs()[0]["state"] == "running"; })) << Everything();
  EXPECT_THAT(Say("alice", "/cancel"), HasSubstr("cancelled: "));
  ASSERT_TRUE(Eventually([&] { return Jobs()[0]["verdict"] == "cancelled"; })) << Everything();
  EXPECT_THAT(Say("alice", "/cancel"), HasSubstr("no tests"));
}

TEST_P(PullTestsTest, AnEndThatCameWhileTheDaemonWasAwayIsTold) {
  StartWithSuites();
  LetAliceWrite();
  const std::string head = There(kFork, "topic");
  Say("maria", "/test slow");
  ASSERT_TRUE(Eventually([&] { return Jobs()[0]["state"] == "running"; })) << Everything();
  KillDaemon();
  for (const fs::directory_entry& run : fs::recursive_directory_iterator(Path("worker"))) {
    if (run.path().filename() == "b.py")
      dir_.Write(fs::relative(run.path().parent_path() / "go", dir_.path()).string(), "");
  }
  std::this_thread::sleep_for(std::chrono::seconds(1));
  StartDaemon();
  ASSERT_TRUE(Eventually([&] { return IsTold("slow", head, "success"); })) << Everything();
  EXPECT_EQ(Jobs().size(), 1U);
  // Told once, however often it starts.
  const size_t told = Told("slow", head).size();
  KillDaemon();
  StartDaemon();
  Drain();
  EXPECT_EQ(Told("slow", head).size(), told);
}

}  // namespace
}  // namespace yardmaster
