// The gate of a pull request from outside: both faces of the forge, a Jenkins, the real daemon and the real `yard`.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/integration/pipe_fixture.h"

namespace yardmaster {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using testing::PipeTest;
using testing::Process;
using testing::Program;
using testing::ReadWholeFile;
using testing::SourcePath;

constexpr const char* kRepository = "octo/repo";
constexpr const char* kBot = "micro-compass";

int64_t Milliseconds() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

class PipelineTest : public PipeTest {
 protected:
  // The shipped packs; that of `pack` builds on a Jenkins of ours.
  void StartGates(const std::string& forge, const std::string& pack) {
    name_ = forge;
    jenkins_ = std::make_unique<Process>(std::vector<std::string>{Program("yard-fakeforge"), "--listen", "127.0.0.1:0",
                                                                  "--ready-file", Path("jenkins.json")});
    jenkins_http_ = WaitForReady("jenkins.json", *jenkins_)["http"];
    std::filesystem::copy(SourcePath("rules/packs"), Path("packs"), std::filesystem::copy_options::recursive);
    const std::string file = "packs/" + pack + "/pipeline.json";
    json profile = json::parse(ReadWholeFile(Path(file)));
    if (profile.contains("jenkins")) {
      profile["jenkins"]["url"] = "http://" + jenkins_http_ + "/jenkins";
      profile["jenkins"]["jobs"] = {{kRepository, "Gate"}};
    }
    dir_.Write(file, profile.dump());
    Start(Path("packs"), pack);
    const json opened = Forge("pulls", {{"forge", name_},
                                        {"repository", kRepository},
                                        {"title", "A change"},
                                        {"body", ""},
                                        {"user", "alice"},
                                        {"files", {{{"filename", "core/mesh.py"}, {"status", "modified"}}}}});
    number_ = opened.value("number", int64_t{0});
    head_ = opened.value("head_sha", "");
    ASSERT_GT(number_, 0) << opened;
  }
  json About(json body) {
    body.update({{"forge", name_}, {"repository", kRepository}, {"number", number_}, {"pull", true}});
    return body;
  }
  std::string SubjectName() const { return name_ + ":" + kRepository + "#" + std::to_string(number_); }

  // To the Jenkins.
  void Jenkins(const std::string& path, const json& body) {
    const std::string forge = std::exchange(forge_http_, jenkins_http_);
    const json answer = Forge(path, body);
    forge_http_ = forge;
    ASSERT_FALSE(answer.contains("error")) << answer;
  }
  void Build(int64_t number, const json& more) {
    json build = {{"job", "Gate"},
                  {"number", number},
                  {"description", "Pull Request #" + std::to_string(number_)},
                  {"timestamp", Milliseconds()},
                  {"duration", 900'000}};
    build.update(more);
    Jenkins("builds", build);
  }

  json Diagnose() {
    const Answer answer = Yard({"pipeline", "diagnose", SubjectName(), "--json"});
    EXPECT_EQ(answer.code, 0) << answer.err;
    return answer.document();
  }
  static std::string Standing(const json& report) {
    return report.is_object() ? report.value("phase", "") + " " + report["next"].value("action", "") : "no report";
  }
  // Comments of the bot whose text is exactly that.
  int64_t Posted(const std::string& text) {
    const json pull = Subject(name_, kRepository, number_);
    return std::count_if(pull["comments"].begin(), pull["comments"].end(),
                         [&](const json& comment) { return comment["body"] == text && comment["user"] == "yardbot"; });
  }
  std::string LastAnswer() {
    const json pull = Subject(name_, kRepository, number_);
    std::string text;
    for (const json& comment : pull["comments"]) {
      if (comment["user"] == "yardbot") text = comment["body"];
    }
    return text;
  }
  std::string Told() { return Yard({"deliveries", "list"}).out + Yard({"ledger", "list"}).out; }

  std::string name_;
  int64_t number_ = 0;
  std::string head_;
  std::string jenkins_http_;
  std::unique_ptr<Process> jenkins_;
};

TEST_F(PipelineTest, AGitCodeGateFromNothingToGreen) {
  StartGates("gitcode", "hyper-parallel");
  EXPECT_EQ(Standing(Diagnose()), "NEW check_pr");

  // The first gate: started once, and not again while its answer is waited for.
  Answer answer = Yard({"pipeline", "check-pr", SubjectName(), "--json"}, /*with_token=*/true);
  ASSERT_EQ(answer.code, 0) << answer.out << answer.err << Told();
  EXPECT_EQ(Standing(answer.document()), "P1_WAIT wait");
  EXPECT_EQ(Posted("/check-pr"), 1);
  answer = Yard({"pipeline", "check-pr", SubjectName(), "--json"}, true);
  EXPECT_EQ(answer.code, 1) << answer.err;
  EXPECT_EQ(answer.document()["started"], false);
  answer = Yard({"pipeline", "retest", SubjectName()}, true);
  EXPECT_EQ(answer.code, 1) << answer.out;
  EXPECT_EQ(Posted("/check-pr"), 1);
  EXPECT_EQ(Posted("/retest"), 0);

  // The second one.
  Forge("labels", About({{"user", kBot}, {"add", {"pr-check-pass"}}}));
  const json ready = Diagnose();
  EXPECT_EQ(Standing(ready), "P1_OK retest") << ready;
  answer = Yard({"pipeline", "retest", SubjectName(), "--json"}, true);
  ASSERT_EQ(answer.code, 0) << answer.out << answer.err << Told();
  EXPECT_EQ(Standing(answer.document()), "P2_QUEUED wait");
  EXPECT_EQ(Posted("/retest"), 1);

  // A build of a pull request whose number begins alike is none of ours.
  Build(40, {{"result", "FAILURE"}, {"description", "Pull Request #" + std::to_string(number_) + "7"}});
  Build(41, {{"building", true}});
  json report = Diagnose();
  EXPECT_EQ(Standing(report), "P2_RUNNING wait");
  EXPECT_EQ(report["pipeline_number"], 41);

  // Jenkins is out of breath for a moment.
  Build(41, {{"result", "FAILURE"},
             {"console",
              "core/mesh.py:41: [W0612(unused-variable), build_mesh] Unused variable 'rank'\n"
              "Execute project of Check_Pylint is failed\n"}});
  Jenkins("jenkins", {{"fail", 2}, {"status", 503}});
  report = Diagnose();
  EXPECT_EQ(Standing(report), "P2_FAILED fix") << report;
  EXPECT_EQ(report["first_failure"]["stage"], "Check_Pylint");
  EXPECT_EQ(report["first_failure"]["file"], "core/mesh.py");
  EXPECT_EQ(report["first_failure"]["line"], 41);
  EXPECT_THAT(report["first_failure"]["excerpt"].get<std::string>(), HasSubstr("Unused variable"));

  // A success of 17 s is none; a real one waits for its label.
  Build(42, {{"result", "SUCCESS"}, {"duration", 17'000}});
  report = Diagnose();
  EXPECT_EQ(Standing(report), "P2_BYPASS retest");
  EXPECT_EQ(report["is_bypass_build"], true);
  Build(43, {{"result", "SUCCESS"}});
  EXPECT_EQ(Standing(Diagnose()), "P2_SUCCESS_AGGREGATING wait");
  Forge("labels", About({{"user", kBot}, {"add", {"ci-pipeline-passed"}}}));
  // Times are told in whole seconds: the last look at this head is to come in a later one than its label.
  std::this_thread::sleep_for(std::chrono::milliseconds(1'100));
  report = Diagnose();
  EXPECT_EQ(Standing(report), "GREEN stop");
  EXPECT_EQ(report["gate_ok"], true);
  answer = Yard({"pipeline", "watch", SubjectName(), "--json"});
  EXPECT_EQ(answer.code, 0);
  EXPECT_EQ(Standing(answer.document()), "GREEN stop");

  // A push ends it, whatever the commit says about its age: both labels were given to another head.
  Forge("push", About({{"user", "alice"}, {"age_seconds", 7'200}}));
  EXPECT_EQ(Standing(Diagnose()), "INVALIDATED check_pr");
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_F(PipelineTest, CommandsTellAndStartTheGate) {
  StartGates("gitcode", "hyper-parallel");
  Forge("comments", About({{"user", "alice"}, {"body", "/diagnose"}}));
  Drain();
  EXPECT_THAT(LastAnswer(), HasSubstr("**NEW** → `check_pr`")) << Told();

  // The bot of the gate reads the author's own comment: ours would start it twice.
  Forge("comments", About({{"user", "alice"}, {"body", "/check-pr"}}));
  Drain();
  EXPECT_EQ(Posted("/check-pr"), 0);
  EXPECT_THAT(LastAnswer(), HasSubstr("the gate's bot reads that comment itself")) << Told();

  // A command to us is none to the other bot.
  Forge("labels", About({{"user", kBot}, {"add", {"pr-check-pass"}}}));
  Forge("comments", About({{"user", "alice"}, {"body", "@yardbot /retest"}}));
  Drain();
  EXPECT_EQ(Posted("/retest"), 1) << LastAnswer() << Told();
  Forge("comments", About({{"user", "alice"}, {"body", "/status"}}));
  Drain();
  EXPECT_THAT(LastAnswer(), HasSubstr("**P2_QUEUED** → `wait`"));
  EXPECT_EQ(Posted("/retest"), 1);
}

// Two others fail in the same test, and this pull request changes no code.
TEST_F(PipelineTest, OthersBuildsTellThatTheBaseIsBroken) {
  StartGates("gitcode", "hyper-parallel");
  Forge("push", About({{"files", {{{"filename", "docs/guide.md"}, {"status", "modified"}}}}, {"age_seconds", 600}}));
  Forge("labels", About({{"user", kBot}, {"add", {"pr-check-pass"}}}));
  const std::string ring = "FAILED tests/st/test_ring.py::test_ring - RuntimeError: timeout";
  Build(501, {{"result", "FAILURE"}, {"console", ring}});
  EXPECT_EQ(Standing(Diagnose()), "P2_FAILED fix");
  for (const int64_t other : {900, 901}) {
    Build(other - 401,
          {{"result", "FAILURE"}, {"console", ring}, {"description", "Pull Request #" + std::to_string(other)}});
  }
  const json report = Diagnose();
  EXPECT_EQ(Standing(report), "P2_FAILED stop");
  EXPECT_EQ(report["test_failures"][0]["verdict"], "base_broken");
  EXPECT_THAT(report["test_failures"][0]["why"].dump(), HasSubstr("build #499 of #900, build #500 of #901"));
}

TEST_F(PipelineTest, AGateWithoutJenkinsIsToldByItsBot) {
  StartGates("gitcode", "hyper-parallel");
  jenkins_->Signal(SIGKILL);
  Forge("labels", About({{"user", kBot}, {"add", {"pr-check-pass"}}}));
  Forge("comments", About({{"user", kBot}, {"body", "| UT | **FAILURE** | [9](https://b/9) |"}}));
  const json report = Diagnose();
  EXPECT_EQ(Standing(report), "P2_FAILED fix") << report;
  EXPECT_EQ(report["failed_stages"], json::array({"UT"}));
  EXPECT_THAT(report["note"].get<std::string>(), HasSubstr("not read: builds"));
  Forge("comments", About({{"user", "alice"}, {"body", "@yardbot 看下门禁报错"}}));
  Drain();
  EXPECT_THAT(LastAnswer(), HasSubstr("备注：没有读取：构建")) << Told();
}

TEST_F(PipelineTest, ChecksOfGitHub) {
  StartGates("github", "pytorch");
  EXPECT_EQ(Standing(Diagnose()), "P2_QUEUED wait");
  // Somebody's first contribution: its workflows wait to be allowed.
  const auto suites = [&](int64_t check_runs) {
    Forge("check_suites", {{"forge", "github"},
                           {"repository", kRepository},
                           {"suites",
                            {{{"id", 7},
                              {"app", {{"slug", "github-actions"}, {"name", "GitHub Actions"}}},
                              {"status", "completed"},
                              {"conclusion", "action_required"},
                              {"latest_check_runs_count", check_runs}}}}});
  };
  suites(0);
  const json held = Diagnose();
  EXPECT_EQ(Standing(held), "P2_QUEUED stop") << held;
  EXPECT_EQ(held["call_person"], true);
  EXPECT_THAT(held["next"]["why"].get<std::string>(), HasSubstr("allow its checks to run: GitHub Actions"));
  suites(2);
  const auto check = [&](const std::string& name, const std::string& status, const std::string& conclusion) {
    Forge("check_run", {{"forge", "github"},
                        {"repository", kRepository},
                        {"head", head_},
                        {"name", name},
                        {"status", status},
                        {"conclusion", conclusion}});
  };
  check("linux / build", "completed", "success");
  check("linux / test", "in_progress", "");
  EXPECT_EQ(Standing(Diagnose()), "P2_RUNNING wait");
  check("linux / test", "completed", "failure");
  check("rocm / test (default, 1, 2, unstable)", "completed", "failure");
  json report = Diagnose();
  EXPECT_EQ(Standing(report), "P2_FAILED fix") << report;
  EXPECT_EQ(report["failed_stages"], json::array({"linux / test"}));
  check("linux / test", "completed", "success");
  EXPECT_EQ(Standing(Diagnose()), "GREEN stop");
  const Answer answer = Yard({"pipeline", "retest", SubjectName()}, true);
  EXPECT_EQ(answer.code, 1) << answer.out;
  EXPECT_THAT(answer.err, HasSubstr("no comment starts this gate"));
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_F(PipelineTest, RunsOfGitCodesActions) {
  StartGates("gitcode", "pypto");
  EXPECT_EQ(Standing(Diagnose()), "P2_QUEUED wait");
  const auto run = [this](const std::string& id, int number, const std::string& status, const json& stages) {
    Forge("run", About({{"run",
                         {{"workflow_run_id", id},
                          {"workflow_name", "PR-pipeline"},
                          {"pull_request_id", std::to_string(number_)},
                          {"run_number", number},
                          {"status", status},
                          {"head_sha", number == 1 ? std::string(40, 'a') : head_},
                          {"stages", stages}}}}));
  };
  run("r1", 1, "COMPLETED", json::array());  // of an earlier head
  EXPECT_EQ(Standing(Diagnose()), "P2_QUEUED wait");
  run("r2", 2, "FAILED",
      {{{"name", "LLT"},
        {"status", "FAILED"},
        {"jobs",
         {{{"name", "UT_Test"}, {"status", "FAILED"}},
          {{"name", "ut"}, {"status", "FAILED"}, {"steps", {{{"name", "ut_acc"}, {"status", "FAILED"}}}}}}}}});
  const json report = Diagnose();
  EXPECT_EQ(Standing(report), "P2_FAILED fix") << report;
  EXPECT_EQ(report["first_failure"]["stage"], "PR-pipeline");
  EXPECT_EQ(report["first_failure"]["message"], "LLT / ut: ut_acc");
  run("r3", 3, "RUNNING", json::array());
  EXPECT_EQ(Standing(Diagnose()), "P2_RUNNING wait");
  run("r4", 4, "COMPLETED", json::array());
  EXPECT_EQ(Standing(Diagnose()), "P2_SUCCESS_AGGREGATING wait");
  Forge("labels", About({{"user", "cann-robot"}, {"add", {"ci-pipeline-passed"}}}));
  EXPECT_EQ(Standing(Diagnose()), "GREEN stop");

  // It has no gate that a comment starts.
  Forge("comments", About({{"user", "alice"}, {"body", "/check-pr"}}));
  Drain();
  EXPECT_THAT(LastAnswer(), HasSubstr("no comment starts this gate here")) << Told();
  Forge("comments", About({{"user", "alice"}, {"body", "@yardbot 提 check-pr"}}));
  Drain();
  EXPECT_THAT(LastAnswer(), HasSubstr("这里没有用来启动这个门禁的评论")) << Told();
}

TEST_F(PipelineTest, RunsOfGitCodesPipelinesCountWhereActionsHaveNone) {
  StartGates("gitcode", "pypto");
  const auto pipeline = [this](int id, const std::string& status, const std::string& head) {
    Forge("pipeline", About({{"run",
                              {{"id", id},
                               {"name", "gate_all"},
                               {"sha", head},
                               {"status", status},
                               {"web_url", "https://gitcode.com/octo/repo/pipelines/" + std::to_string(id)}}}}));
  };
  pipeline(501, "success", std::string(40, 'a'));  // of an earlier head
  EXPECT_EQ(Standing(Diagnose()), "P2_QUEUED wait");
  pipeline(502, "running", head_);
  EXPECT_EQ(Standing(Diagnose()), "P2_RUNNING wait");
  pipeline(503, "failed", head_);
  const json report = Diagnose();
  EXPECT_EQ(Standing(report), "P2_FAILED fix") << report;
  EXPECT_EQ(report["failed_stages"], json::array({"gate_all"}));
  EXPECT_EQ(report["note"], "");
  pipeline(504, "success", head_);
  EXPECT_EQ(Standing(Diagnose()), "P2_SUCCESS_AGGREGATING wait");
  // The labels decide.
  Forge("labels", About({{"user", "cann-robot"}, {"add", {"ci-pipeline-passed"}}}));
  EXPECT_EQ(Standing(Diagnose()), "GREEN stop");
  // With a run of Actions the older system is not asked.
  Forge("run", About({{"run",
                       {{"workflow_run_id", "r1"},
                        {"workflow_name", "PR-pipeline"},
                        {"pull_request_id", std::to_string(number_)},
                        {"run_number", 1},
                        {"status", "RUNNING"},
                        {"head_sha", head_}}}}));
  EXPECT_EQ(Standing(Diagnose()), "P2_RUNNING wait");
  EXPECT_EQ(Forge("unexpected"), json::array());
}

TEST_F(PipelineTest, WhatIsNotThereIsSaid) {
  StartGates("gitcode", "hyper-parallel");
  EXPECT_EQ(Yard({"pipeline", "diagnose", "gitcode:octo/repo#999"}).code, 1);
  EXPECT_EQ(Yard({"pipeline", "diagnose", "gitcode:octo/repo"}).code, 2);
  EXPECT_EQ(Yard({"pipeline", "retest", SubjectName()}).code, 3);  // without a token
  EXPECT_EQ(Yard({"pipeline", "diagnose", SubjectName(), "--pack", "pypto"}).code, 4);
}

}  // namespace
}  // namespace yardmaster
