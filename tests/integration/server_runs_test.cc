// `yard test` and `yard runner` against a daemon with a worker of its own: what people and CI type, from outside.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/support/process.h"
#include "tests/support/source_path.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

const std::string kPrograms = YARD_PROGRAMS;
constexpr std::chrono::seconds kPatience{20};

struct Said {
  int code = -1;
  std::string out;
  std::string err;
};

bool Until(const std::function<bool()>& happens) {
  const auto deadline = std::chrono::steady_clock::now() + kPatience;
  while (!happens()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

class ServerRunsTest : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(dir_.path() / "packs");
    fs::copy(testing::SourcePath("rules/packs/common"), dir_.path() / "packs" / "common", fs::copy_options::recursive);
    dir_.Write("packs/nap/pack.json", R"({"name": "nap", "title": "Suites for tests"})");
    dir_.Write("packs/nap/suites/nap.json", R"({"suites": [{
        "id": "nap", "title": "Says what it is given", "source": {"repository": "github:o/r", "ref": "main"},
        "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
        "layers": [{"id": "first", "kind": "correctness", "steps": [{"id": "look",
                      "shell": "for i in 1 2 3 4 5; do echo line $i; done; cat marker.txt; sleep $${NAP:-0}"}]},
                   {"id": "second", "kind": "correctness", "after": ["first"], "steps": [{"id": "judge",
                      "shell": "echo judging; sleep 0.5; test -z \"$BAD\""}]}]}]})");
    dir_.Write("packs/nap/suites/parts.json", R"({"suites": [{
        "id": "parts", "title": "Has steps to share", "source": {"repository": "github:o/r", "ref": "main"},
        "limits": {"step_s": 60, "grace_s": 1, "disk_mb": 1},
        "layers": [{"id": "make", "kind": "build", "steps": [{"id": "make", "shell": "touch ${BUILD}/made"}]},
                   {"id": "gate", "kind": "import", "after": ["make"], "steps": [{"id": "gate", "shell": "sleep 0.2"}]},
                   {"id": "unit", "kind": "correctness", "after": ["gate"], "steps": [
                     {"id": "quick", "shards": 3, "shell": "sleep 0.2; test -e ${BUILD}/made"},
                     {"id": "slow", "shell": "sleep 1.5; test -e ${BUILD}/made; test -z \"$BAD\""}]}]}]})");
    dir_.Write("tree/marker.txt", "the uploaded tree\n");
    dir_.Write("operator.token", "operator-token-of-tests");
    dir_.Write("config.json", R"({"data_dir": "data", "packs_dir": "packs", "allow_anonymous_loopback": true,
        "tokens": [{"name": "ops", "role": "operator", "secret": {"file": "operator.token"}}]})");
    daemon_ = std::make_unique<testing::Daemon>(
        kPrograms + "/yardmasterd",
        std::vector<std::string>{"--config", (dir_.path() / "config.json").string(), "--with-worker", "2"});
    ASSERT_TRUE(daemon_->ready()) << daemon_->process().Stderr();
    ASSERT_TRUE(Until([this] { return Runner().value("state", "") == "idle"; })) << daemon_->process().Stderr();
  }

  std::string Path(const std::string& name) const { return (dir_.path() / name).string(); }
  std::vector<std::string> Words(std::vector<std::string> words) const {
    words.insert(words.begin(), kPrograms + "/yard");
    words.insert(words.end(), {"--server", daemon_->grpc(), "--token-file", Path("operator.token")});
    return words;
  }
  Said Yard(std::vector<std::string> words) const {
    testing::Process process(Words(std::move(words)));
    const int code = process.Wait(kPatience).value_or(-1);
    return {code, process.Stdout(), process.Stderr()};
  }
  json Ask(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const Said said = Yard(std::move(words));
    return json::parse(said.out, nullptr, /*allow_exceptions=*/false);
  }
  json Runner() const {
    const json all = Ask({"runner", "list"});
    if (!all.is_object() || all["runners"].empty()) return json::object();
    return all["runners"][0];
  }
  // A job that was taken.
  std::string Submit(std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"test", "run", "nap", "--source", Path("tree"), "--detach"};
    words.insert(words.end(), more.begin(), more.end());
    const Said said = Yard(std::move(words));
    EXPECT_EQ(said.code, 0) << said.err;
    return said.out.substr(0, said.out.find('\n'));
  }
  bool Reaches(const std::string& job, const std::string& state) const {
    return Until([&] { return Ask({"test", "show", job})["state"] == state; });
  }

  testing::TempDir dir_;
  std::unique_ptr<testing::Daemon> daemon_;
};

TEST_F(ServerRunsTest, ARunIsFollowedToItsResult) {
  const Said said = Yard({"test", "run", "nap", "--source", Path("tree"), "--json", "--follow", "--out", Path("out")});
  EXPECT_EQ(said.code, 0) << said.err;
  const json result = json::parse(said.out);
  EXPECT_EQ(result["verdict"], "passed");
  EXPECT_EQ(result["suite"], "nap/nap");
  EXPECT_EQ(result["runner"], "embedded");
  EXPECT_EQ(result["attempt"], 1);
  EXPECT_GE(result["queued_seconds"].get<double>(), 0.0);
  EXPECT_EQ(result["layers"].size(), 2U);
  EXPECT_EQ(result["job"].get<std::string>().substr(0, 2), "j-");
  EXPECT_THAT(said.err, AllOf(HasSubstr("embedded"), HasSubstr("[1/2] first"), HasSubstr("[2/2] second"),
                              HasSubstr("the uploaded tree"), HasSubstr("passed")));
  EXPECT_TRUE(fs::exists(Path("out/report.html")));
  // Nothing is asked for where the result could not be put.
  EXPECT_EQ(Yard({"test", "run", "nap", "--source", Path("tree"), "--out", Path("out")}).code, 2);
}

TEST_F(ServerRunsTest, JobsShareTheStepsOfARunByWhatTheyTookBefore) {
  const auto steps_of = [](const json& result) {
    std::vector<std::string> steps;
    for (const json& step : result["steps"]) {
      if (step["layer"] != "make") steps.push_back(step["name"]);
    }
    return steps;
  };
  const std::vector<std::string> run = {"test", "run", "parts", "--source", Path("tree")};
  EXPECT_EQ(Yard(run).code, 0);
  std::vector<std::string> shared = run;
  shared.insert(shared.end(), {"--shards", "3"});
  std::vector<std::string> fetched = shared;
  fetched.insert(fetched.end(), {"--json", "--out", Path("out")});
  const Said said = Yard(fetched);
  EXPECT_EQ(said.code, 0) << said.err;
  const json result = json::parse(said.out);
  EXPECT_EQ(result["verdict"], "passed");
  EXPECT_EQ(result["suite"], "nap/parts");
  ASSERT_EQ(result["shards"].size(), 3U);
  // The slow step takes as long as all others together: it is alone, and each of them is in one of the other two.
  EXPECT_THAT(steps_of(result["shards"][0]), ElementsAre("slow"));
  std::vector<std::string> others = steps_of(result["shards"][1]);
  EXPECT_EQ(others.size(), 2U);
  for (const std::string& step : steps_of(result["shards"][2])) others.push_back(step);
  EXPECT_THAT(others, UnorderedElementsAre("gate", "quick[shard=1/3]", "quick[shard=2/3]", "quick[shard=3/3]"));
  for (const json& shard : result["shards"]) EXPECT_EQ(shard["steps"][0]["name"], "make") << "each builds for itself";
  EXPECT_THAT(said.err, AllOf(HasSubstr("shard 1/3  job j-"), HasSubstr("shard 3/3  waits for devices")));
  for (int i = 1; i <= 3; ++i) EXPECT_TRUE(fs::exists(Path("out/shard-" + std::to_string(i) + "/report.html")));

  const std::string first = result["shards"][0]["job"];
  const std::string second = result["shards"][1]["job"];
  EXPECT_THAT(Yard({"test", "show", second}).out, HasSubstr("shard 2/3 of " + first));
  EXPECT_EQ(Ask({"test", "show", second})["shard"]["group"], first);
  EXPECT_EQ(Ask({"test", "list"})["jobs"].size(), 4U);
  EXPECT_THAT(Yard({"test", "list"}).out, HasSubstr("shard 3/3 of " + first));
  const Said again = Yard({"test", "rerun", second});
  EXPECT_EQ(again.code, 0) << again.err;
  EXPECT_THAT(again.out, HasSubstr("shard 2/3 of " + first));

  // The worst decides.
  std::vector<std::string> bad = shared;
  bad.insert(bad.end(), {"--set", "BAD=1"});
  const Said failed = Yard(bad);
  EXPECT_EQ(failed.code, 1) << failed.err;
  EXPECT_THAT(failed.out, AllOf(HasSubstr("shard 1/3 of "), HasSubstr("failed  the worst of 3 shards")));
  std::vector<std::string> detached = shared;
  detached.insert(detached.end(), {"--detach", "--json"});
  const json taken = json::parse(Yard(detached).out);
  ASSERT_EQ(taken["shards"].size(), 3U);
  EXPECT_TRUE(taken["verdict"].is_null());
  EXPECT_GE(taken["shards"][0]["expected_seconds"], 1);
  for (const json& shard : taken["shards"]) EXPECT_EQ(Yard({"test", "cancel", shard["job"]}).code, 0);
}

TEST_F(ServerRunsTest, AJobIsListedShownReadFetchedAndRunAgain) {
  const std::string job = Submit({"--set", "BAD=1"});
  const Said followed = Yard({"test", "logs", "-f", job});
  EXPECT_EQ(followed.code, 0) << followed.err;
  EXPECT_THAT(followed.out, AllOf(HasSubstr("line 1\nline 2\n"), HasSubstr("the uploaded tree")));
  const json shown = Ask({"test", "show", job, "--junit", Path("junit.xml")});
  EXPECT_EQ(shown["verdict"], "failed");
  EXPECT_EQ(shown["state"], "failed");
  EXPECT_EQ(shown["cause"]["class"], "code");
  EXPECT_EQ(shown["result"]["layers"][1]["verdict"], "failed");
  EXPECT_TRUE(fs::exists(Path("junit.xml")));
  EXPECT_EQ(Ask({"test", "list"})["jobs"][0]["job"], job);
  EXPECT_EQ(Ask({"test", "list", "--live"})["jobs"], json::array());
  EXPECT_THAT(Yard({"test", "explain", job}).out, HasSubstr("second"));

  // The log goes on where somebody left it.
  const json whole = Ask({"test", "logs", job});
  const json& piece = whole["pieces"][0];
  const std::string text = piece["text"];
  const size_t begin = text.find("line 3");
  ASSERT_NE(begin, std::string::npos);
  const Said rest =
      Yard({"test", "logs", job, "--from", std::to_string(piece["run"].get<int>()) + ":" + std::to_string(begin)});
  EXPECT_THAT(rest.out, AllOf(HasSubstr("line 3\nline 4\n"), Not(HasSubstr("line 2\n"))));
  const Said step = Yard({"test", "logs", job, "judge"});
  EXPECT_THAT(step.out, AllOf(HasSubstr("judging"), Not(HasSubstr("line 1"))));
  EXPECT_EQ(Yard({"test", "logs", job, "nothing"}).code, 1);

  EXPECT_EQ(Yard({"test", "fetch", job, "--out", Path("fetched")}).code, 0);
  EXPECT_EQ(json::parse(testing::ReadWholeFile(Path("fetched/result.json")))["verdict"], "failed");
  // It is what the server signed, until somebody touches it.
  EXPECT_EQ(Yard({"test", "verify", job, "--save-key", Path("yard.pem")}).code, 0);
  const Said holds = Yard({"test", "verify", Path("fetched"), "--key", Path("yard.pem")});
  EXPECT_EQ(holds.code, 0) << holds.err;
  EXPECT_THAT(holds.out, HasSubstr("nap/nap failed"));
  std::ofstream(Path("fetched/result.json"), std::ios::app) << " ";
  const json changed = Ask({"test", "verify", Path("fetched"), "--key", Path("yard.pem")});
  EXPECT_EQ(changed["holds"], false);
  EXPECT_THAT(changed["problems"].dump(), HasSubstr("result.json: it is not the file that was signed"));
  EXPECT_EQ(Yard({"test", "cancel", job}).code, 1);
  const Said again = Yard({"test", "rerun", job, "--failed"});
  EXPECT_EQ(again.code, 1) << again.err;
  EXPECT_THAT(again.out, HasSubstr("failed"));
  EXPECT_EQ(Yard({"test", "show", "j-0000000000000000"}).code, 1);
}

TEST_F(ServerRunsTest, WhatWaitsIsExplainedAndADrainedRunnerComesBack) {
  EXPECT_EQ(Yard({"runner", "health"}).code, 0);
  EXPECT_EQ(Ask({"runner", "devices"})["runners"][0]["devices"][0]["total"], 2);
  EXPECT_EQ(Yard({"runner", "drain", "nobody"}).code, 1);
  EXPECT_EQ(Ask({"runner", "drain", "embedded"})["state"], "draining");
  const std::string job = Submit();
  const json why = Ask({"test", "explain", job});
  EXPECT_THAT(why["reason"].get<std::string>(), Not(IsEmpty()));
  EXPECT_EQ(why["position"], 1);
  EXPECT_EQ(why["nearest"]["runner"], "embedded");
  EXPECT_TRUE(why.contains("estimate_seconds"));
  EXPECT_EQ(Yard({"runner", "resume", "embedded"}).code, 0);
  EXPECT_TRUE(Reaches(job, "passed"));
}

TEST_F(ServerRunsTest, ACancelledRunEndsAndSaysSo) {
  const std::string job = Submit({"--set", "NAP=60"});
  ASSERT_TRUE(Reaches(job, "running"));
  testing::Process follower(Words({"test", "run", "nap", "--source", Path("tree"), "--set", "NAP=60", "--json"}));
  EXPECT_EQ(Yard({"test", "cancel", job}).code, 0);
  EXPECT_TRUE(Reaches(job, "cancelled"));
  // Whoever follows a run and is interrupted takes it with him.
  ASSERT_TRUE(Until([this] {
    return Ask({"test", "list", "--live"})["jobs"].dump().find("running") != std::string::npos;
  }));
  follower.Signal(SIGINT);
  EXPECT_EQ(follower.Wait(kPatience), 130) << follower.Stderr();
  EXPECT_EQ(json::parse(follower.Stdout())["verdict"], "cancelled");
}

TEST_F(ServerRunsTest, WhatNoRunnerCouldDoAndWhoMayNotEndAtOnce) {
  EXPECT_EQ(Yard({"test", "run", "nothing-like-it"}).code, 1);
  EXPECT_EQ(Yard({"test", "run", "nap", "--device", "tpu:8"}).code, 2);
  testing::Process stranger({kPrograms + "/yard", "test", "run", "nap", "--server", daemon_->grpc()});
  EXPECT_EQ(stranger.Wait(kPatience), 3) << stranger.Stderr();
  testing::Process nowhere({kPrograms + "/yard", "test", "run", "nap", "--server", "127.0.0.1:9"});
  EXPECT_EQ(nowhere.Wait(kPatience), 3) << nowhere.Stderr();
}

TEST_F(ServerRunsTest, TheWorkerIsStartedAgainAndGoesWithTheDaemon) {
  const auto worker = [this] {
    for (const fs::directory_entry& entry : fs::directory_iterator("/proc")) {
      const std::string pid = entry.path().filename().string();
      if (pid.find_first_not_of("0123456789") != std::string::npos) continue;
      const std::string line = testing::ReadWholeFile((entry.path() / "cmdline").string());
      if (line.find("yard-worker") != std::string::npos && line.find(Path("data/worker")) != std::string::npos) {
        return std::stoi(pid);
      }
    }
    return 0;
  };
  const int first = worker();
  ASSERT_GT(first, 0);
  // Its token is in no argument.
  EXPECT_THAT(testing::ReadWholeFile("/proc/" + std::to_string(first) + "/cmdline"),
              Not(HasSubstr(testing::ReadWholeFile(Path("data/worker/token")))));
  const std::string job = Submit({"--set", "NAP=2"});
  ASSERT_TRUE(Reaches(job, "running"));
  ::kill(first, SIGKILL);
  EXPECT_TRUE(Until([&] { return worker() != 0 && worker() != first; }));
  EXPECT_TRUE(Reaches(job, "passed"));
  EXPECT_EQ(Ask({"test", "show", job})["attempt"], 1);
  daemon_->process().Signal(SIGTERM);
  EXPECT_EQ(daemon_->process().Wait(kPatience), 0);
  EXPECT_EQ(worker(), 0);
}

}  // namespace
}  // namespace yardmaster
