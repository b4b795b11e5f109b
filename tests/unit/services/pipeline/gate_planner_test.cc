#include "services/pipeline/gate_planner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "clients/forge/gitcode/gitcode_profile.h"
#include "rules/engine/pack/pack_loader.h"
#include "services/pipeline/gate_hold.h"
#include "tests/support/fake_clock.h"
#include "tests/support/fake_subject_view.h"
#include "tests/support/memory_forge.h"

namespace yardmaster {
namespace {

using rules::PipelineSignals;
using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

const rules::PipelineTime kNow = *rules::ParsePipelineTime("2025-06-10T12:00:00Z");

rules::PackFiles Packs() {
  return {{"demo/pack.json", R"({"name": "demo", "title": "Demo"})"},
          {"demo/pipeline.json", R"json({"trusted_authors": ["gatebot"], "max_retests": 1, "call": ["lead"],
             "no_push_while_running": true,
             "description_gate": {"trigger": "/look", "passed_label": "looked"},
             "build_gate": {"trigger": "/go", "passed_labels": ["built"], "bypass_seconds": 60},
             "jenkins": {"url": "https://b.example", "jobs": {}, "pull_request": "#(?P<number>\\d+)"},
             "log": {"failures": [{"id": "pytest",
                                   "pattern": "FAILED (?P<file>[\\w./]+)::(?P<test>\\S+)(?: - (?P<message>.*))?"}]},
             "inert_files": ["docs/**"]})json"},
          {"checks/pack.json", R"({"name": "checks", "title": "Checks"})"},
          {"checks/pipeline.json", R"({"no_push_while_running": true, "build_gate": {}, "checks": {}})"},
          {"plain/pack.json", R"({"name": "plain", "title": "Plain"})"}};
}

std::shared_ptr<const PackSet> Loaded() {
  const rules::PackFiles files = Packs();
  PackSet::Packs packs;
  PackSet::Pipelines pipelines;
  Problems problems;
  for (const std::string name : {"demo", "checks", "plain"}) {
    packs[name] = rules::CompiledPack::Compile(*rules::LoadPack(files, name, problems), problems);
    if (auto profile = rules::LoadPipeline(files, name, problems)) pipelines[name] = std::move(profile);
  }
  EXPECT_TRUE(problems.empty());
  return std::make_shared<const PackSet>(std::move(packs), PackSet::Checks{}, PackSet::Phrases{}, std::move(pipelines));
}

class MemoryGate final : public GateSource {
 public:
  absl::StatusOr<PipelineSignals> Read(const v1::Subject& subject, const rules::PipelineProfile&) override {
    read.push_back(subject.number());
    const auto own = by_number.find(subject.number());
    return own == by_number.end() ? signals : own->second;
  }
  PipelineSignals signals;
  std::map<int64_t, PipelineSignals> by_number;  // where they differ
  std::vector<int64_t> read;
};

class GatePlannerTest : public ::testing::Test {
 protected:
  GatePlannerTest() {
    gate_.signals.author = "ann";
    gate_.signals.number = 1;
    gate_.signals.head = "0123456789abcdef";
    gate_.signals.head_at = kNow - hours(3);
    gate_.signals.builds.emplace();
    snapshot_.mutable_subject()->set_forge("gitcode");
    snapshot_.mutable_subject()->set_repository("octo/repo");
    snapshot_.mutable_subject()->set_number(1);
    snapshot_.mutable_subject()->set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  }
  v1::Plan Planned(const std::string& gate, const std::string& pack = "demo", bool chinese = false) {
    const PlanInput input{.event = event_,
                          .snapshot = snapshot_,
                          .pack = packs_->Find(pack),
                          .choice = choice_,
                          .now = kNow,
                          .asked = {.gate = gate, .chinese = chinese},
                          .view = view_};
    v1::Plan plan;
    const absl::Status status = planner_.Plan(input, plan);
    EXPECT_TRUE(status.ok()) << status;
    return plan;
  }
  static std::string Step(const v1::Plan& plan, const std::string& id) {
    for (const v1::StepOutcome& step : plan.explanation().steps()) {
      if (step.id() == id) return (step.taken() ? "+ " : "- ") + step.why();
    }
    return "";
  }
  void Bypassed() {
    gate_.signals.labels = {"looked"};
    rules::PipelineBuild build;
    build.number = 5;
    build.description = "#1";
    build.result = "SUCCESS";
    build.started = kNow - minutes(40);
    build.duration = std::chrono::seconds(17);
    gate_.signals.builds->push_back(build);
  }

  Config config_;
  std::shared_ptr<const PackSet> packs_ = Loaded();
  MemoryGate gate_;
  GatePlanner planner_{GateEnvironment{config_, [this] { return packs_; }, &gate_}};
  v1::Event event_;
  v1::IssueSnapshot snapshot_;
  RepositoryChoice choice_;
  testing::FakeSubjectView view_;
};

TEST_F(GatePlannerTest, AskingWritesNothing) {
  const v1::Plan plan = Planned("");
  EXPECT_EQ(Step(plan, "phase"), "+ NEW");
  EXPECT_EQ(Step(plan, "next"), "+ check_pr");
  EXPECT_EQ(plan.actions_size(), 0);
}

TEST_F(GatePlannerTest, WhoAsksInChineseIsToldWhyInChinese) {
  gate_.signals.unread = {{"not read: builds", "没有读取：构建"}, {"not read: labels", "没有读取：标签"}};
  EXPECT_EQ(Step(Planned(""), "told"), "");
  EXPECT_EQ(Step(Planned(""), "told-note"), "");
  const v1::Plan plan = Planned("", "demo", /*chinese=*/true);
  EXPECT_EQ(Step(plan, "told-note"), "+ 没有读取：构建；没有读取：标签");
  EXPECT_EQ(Step(plan, "note"), "+ not read: builds; not read: labels");
  EXPECT_EQ(Step(plan, "told"), "+ 最新的提交还没有开始任何门禁");
  EXPECT_EQ(Step(plan, "why"), "+ nothing was started for this head") << "what is kept is in one language";
}

// Pull requests of which gates may hold a push.
class GateHoldTest : public GatePlannerTest {
 protected:
  GateHoldTest() {
    clock_.Advance(kNow - clock_.Now());
    account_.WriteWith(&forge_, nullptr);
    for (const int64_t number : {1, 2, 3}) {
      ForgePull& pull = forge_.pulls[{"octo/repo", number}];
      pull.number = number;
      pull.head_repository = "ann/repo";
      pull.head_ref = number == 2 ? "other" : "topic";
    }
  }

  std::string Hold(const std::string& pack, const std::string& branch = "topic") {
    return WhyGateHolds({config_, *packs_, gate_, forges_, clock_}, snapshot_.subject(), pack, {"ann/repo", branch})
        .value_or("an error");
  }

  testing::FakeClock clock_;
  testing::MemoryForge forge_{clock_, "gitcode"};
  Logger logger_{LoggerOptions{.level = LogLevel::kError}};
  Notices notices_{clock_, logger_};
  ConfiguredForge account_{forge_, GitCodeProfile(), {}, "yardbot", clock_, notices_};
  const ConfiguredForges forges_ = {{"gitcode", &account_}};
};

TEST_F(GateHoldTest, APushWaitsForAGateThatRunsWhereTheProfileSaysSo) {
  EXPECT_EQ(Hold("demo"), "") << "nothing was started";
  EXPECT_THAT(gate_.read, ::testing::ElementsAre(1, 3)) << "both come from that branch";
  gate_.by_number[3].comments = {{"ann", "/go", kNow - minutes(5), "c1"}};
  EXPECT_THAT(Hold("demo"), HasSubstr("#3, P2_QUEUED"));
  EXPECT_EQ(Hold("demo", "other"), "") << "another branch, whoever asks";
  gate_.read.clear();
  EXPECT_EQ(Hold("plain"), "") << "it has no profile";
  EXPECT_TRUE(gate_.read.empty());
  EXPECT_EQ(Hold("demo", "gone"), "");
}

TEST_F(GateHoldTest, APushDoesNotWaitForChecksThatMayNeverBegin) {
  gate_.signals.builds.reset();
  gate_.signals.head_at = kNow - minutes(1);
  gate_.signals.checks.emplace();
  EXPECT_EQ(Hold("checks"), "") << "nothing runs that a push would end";
  gate_.signals.checks->push_back({.name = "lint", .state = rules::PipelineCheck::State::kPassed});
  gate_.signals.required_checks = {"lint", "build"};
  EXPECT_EQ(Hold("checks"), "") << "what is required and missing does not run either";
  gate_.signals.checks->push_back({.name = "build", .state = rules::PipelineCheck::State::kRunning});
  EXPECT_THAT(Hold("checks"), HasSubstr("P2_RUNNING"));
}

TEST_F(GatePlannerTest, WhatIsDueIsStarted) {
  const v1::Plan plan = Planned("check_pr");
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_EQ(plan.actions(0).start_gate().comment(), "/look");
  EXPECT_EQ(plan.actions(0).start_gate().head(), gate_.signals.head);
  EXPECT_EQ(plan.actions(0).start_gate().start(), 0);
  EXPECT_THAT(Step(plan, "start"), HasSubstr("+ posted /look"));
}

TEST_F(GatePlannerTest, WhatIsNotDueIsRefusedWithTheReason) {
  const v1::Plan plan = Planned("retest");
  EXPECT_EQ(plan.actions_size(), 0);
  EXPECT_EQ(Step(plan, "start"), "- nothing was started for this head");
}

TEST_F(GatePlannerTest, ABuildThatWasAskedForTooEarlyIsPutRight) {
  gate_.signals.comments = {{"ann", "/go", kNow - minutes(5), "c1"}};
  ASSERT_EQ(Step(Planned(""), "phase"), "+ P2_QUEUED");
  const v1::Plan plan = Planned("check_pr");
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_EQ(plan.actions(0).start_gate().comment(), "/look");
  gate_.signals.labels = {"looked"};
  EXPECT_EQ(Planned("check_pr").actions_size(), 0);
}

TEST_F(GatePlannerTest, ACommentThatTheGatesBotReadsIsNotPostedAgain) {
  gate_.signals.comments = {{"ann", "/look", kNow, "c7"}};
  event_.set_comment("c7");
  const v1::Plan plan = Planned("check_pr");
  EXPECT_EQ(plan.actions_size(), 0);
  EXPECT_THAT(Step(plan, "start"), HasSubstr("+ the gate's bot reads"));
}

TEST_F(GatePlannerTest, StartsOfOneHeadAreCounted) {
  Bypassed();
  gate_.signals.comments = {{"ann", "/go", kNow - minutes(45), "c1"}};
  const v1::Plan plan = Planned("retest");
  ASSERT_EQ(plan.actions_size(), 1);
  EXPECT_EQ(plan.actions(0).start_gate().start(), 1);
}

TEST_F(GatePlannerTest, APersonIsCalledOnceForAHead) {
  Bypassed();
  gate_.signals.comments = {{"ann", "/go", kNow - hours(2), "c1"}, {"ann", "/go", kNow - minutes(45), "c2"}};
  const v1::Plan plan = Planned("retest");
  ASSERT_EQ(plan.actions_size(), 1);
  const v1::AnswerComment& comment = plan.actions(0).answer_comment();
  // The same name is the same comment.
  EXPECT_EQ(comment.name(), "gate-person-0123456789ab");
  EXPECT_THAT(comment.body(), HasSubstr("@lead this gate needs a person"));
  EXPECT_EQ(Planned("retest").actions(0).answer_comment().body(), comment.body());
}

TEST_F(GatePlannerTest, WhoIsCalledForABrokenTestGetsTheEvidence) {
  gate_.signals.labels = {"looked"};
  gate_.signals.files = {"docs/a.md"};
  gate_.signals.baseline["tests/a.py::test_x"] = false;
  for (const int64_t number : {5, 4}) {
    rules::PipelineBuild build;
    build.number = number;
    build.result = "FAILURE";
    build.description = "#1";
    build.url = absl::StrCat(number == 5 ? "https://b.example/job/Gate/" : "https://evil.example/", number, "/");
    build.started = kNow - minutes(40 + (number == 5 ? 0 : 60));
    build.console = "FAILED tests/a.py::test_x - @everyone [timeout](x)";
    gate_.signals.builds->push_back(build);
  }
  const v1::AnswerComment comment = Planned("retest").actions(0).answer_comment();
  EXPECT_THAT(comment.body(), HasSubstr("`tests/a.py::test_x`"));
  EXPECT_THAT(comment.body(), HasSubstr("failed in: [#5](https://b.example/job/Gate/5/), `#\u20604`"))
      << "no link to another server";
  EXPECT_THAT(comment.body(), HasSubstr("changes what every test stands on: no"));
  EXPECT_THAT(comment.body(), HasSubstr("the test reaches what is changed: no\\: it changes no code"));
  EXPECT_THAT(comment.body(), HasSubstr("passes on the base branch: no\\: the test fails on the base branch, too"));
  EXPECT_THAT(comment.body(), HasSubstr("Please mend or skip these tests on the base branch"));
  EXPECT_THAT(comment.body(), ::testing::Not(HasSubstr("@everyone"))) << "texts of logs call nobody";
  // Another head, the same tests: the same matter.
  gate_.signals.head = "fedcba9876543210";
  EXPECT_EQ(Planned("retest").actions(0).answer_comment().name(), comment.name());
  gate_.signals.baseline["tests/b.py::test_x"] = false;
  gate_.signals.builds->front().console = "FAILED tests/b.py::test_x";
  EXPECT_NE(Planned("retest").actions(0).answer_comment().name(), comment.name());
}

TEST_F(GatePlannerTest, WithoutAProfileNothingIsKnown) {
  const v1::Plan plan = Planned("retest", "plain");
  EXPECT_EQ(Step(plan, "phase"), "");
  EXPECT_THAT(Step(plan, "none"), HasSubstr("pipeline.json"));
  EXPECT_EQ(plan.actions_size(), 0);
}

TEST_F(GatePlannerTest, OnlyEventsThatNameAGateAreItsBusiness) {
  RoutedEvent routed;
  routed.event.set_kind(v1::Event::KIND_REQUESTED);
  const auto trigger = [&] { return planner_.TriggerFor(routed, packs_->Find("demo")->model(), nullptr).trigger; };
  EXPECT_EQ(trigger(), Trigger::kNone);
  routed.event.set_gate("retest");
  EXPECT_EQ(trigger(), Trigger::kManual);
  routed.event.set_kind(v1::Event::KIND_COMMENTED);
  EXPECT_EQ(trigger(), Trigger::kNone);
}

}  // namespace
}  // namespace yardmaster
