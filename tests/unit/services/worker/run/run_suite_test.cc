#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <thread>

#include "services/worker/logs/log.h"
#include "services/worker/process/ports.h"
#include "tests/support/fake_clock.h"
#include "tests/unit/services/worker/run/run_fixture.h"

namespace yardmaster::worker {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

using RunSuiteTest = RunFixture;

constexpr std::string_view kMarkerLine = R"(^(?P<verdict>PASS|FAIL) (?P<name>\S+)$)";

rules::ReportModel Markers() {
  rules::ReportModel report;
  report.format = rules::ReportFormat::kMarkers;
  report.pass = "^ALL GOOD$";
  report.fail = "^FAIL";
  report.line = kMarkerLine;
  return report;
}

// Whether any process was started below a folder of ours that is gone.
bool Runs(const std::string& word) {
  for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
    std::ifstream file(entry.path() / "cmdline");
    std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
    if (text.find(word) != std::string::npos && entry.path().filename() != std::to_string(::getpid())) return true;
  }
  return false;
}

TEST_F(RunSuiteTest, TheCommitIsTheTreesOwnAsItWasBeforeTheCodeRan) {
  const std::string real(40, 'a');
  const std::string forged(40, 'b');
  dir_.Write("source/.git/HEAD", real + "\n");
  suite_.build = {Shell("make", "echo " + forged + " > ${SOURCE}/.git/HEAD")};
  Layer("one", {Shell("a", "true")});
  EXPECT_EQ(Run().commit, real);
}

TEST_F(RunSuiteTest, AClonesHeadAroundAnUploadedTreeIsNotItsCommit) {
  dir_.Write(".git/HEAD", std::string(40, 'a') + "\n");
  Layer("one", {Shell("a", "mkdir -p ${SOURCE}/.git && echo " + std::string(40, 'b') + " > ${SOURCE}/.git/HEAD")});
  EXPECT_EQ(Run().commit, "");
  options_.out = dir_.path() / "out2";
  std::filesystem::remove_all(dir_.path() / "source" / ".git");
  options_.local = true;
  EXPECT_EQ(Run().commit, std::string(40, 'a'));
}

TEST_F(RunSuiteTest, EverythingPassesAndNothingButTheResultIsLeft) {
  suite_.build = {Shell("make", "mkdir -p ${BUILD} && echo built > ${BUILD}/program")};
  Layer("smoke", {Shell("cat", "cat ${BUILD}/program && test \"$HOME\" != /root && touch $TMPDIR/x $OUT/y")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kPassed) << run.reason;
  EXPECT_EQ(run.suite, "test/small");
  EXPECT_EQ(StepOf(run, "make").verdict, Verdict::kPassed);
  EXPECT_EQ(StepOf(run, "cat").verdict, Verdict::kPassed) << StepOf(run, "cat").reason;
  EXPECT_THAT(observer_.lines, Contains("-1:built"));
  EXPECT_THAT(observer_.events,
              ElementsAre("layer build 1/2", "begin build make", "end make passed", "layer build passed",
                          "layer smoke 2/2", "begin smoke cat", "end cat passed", "layer smoke passed"));
  EXPECT_TRUE(std::filesystem::is_regular_file(options_.out / StepOf(run, "cat").log));
  // What a step writes is kept only where it is asked for.
  EXPECT_FALSE(std::filesystem::exists(options_.out / "steps" / "cat" / "out"));
  EXPECT_FALSE(std::filesystem::exists(options_.out / ".reserve"));
  EXPECT_TRUE(std::filesystem::is_empty(options_.source));
}

TEST_F(RunSuiteTest, AFailedBuildStopsEverythingAndIsTheCodesFault) {
  suite_.build = {Shell("make", "echo \"a.cc:3:1: error: expected ';'\" >&2; exit 1"), Shell("never", "echo never")};
  Layer("smoke", {Shell("run", "echo no")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kFailed);
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->cls, rules::FailureClass::kCode);
  EXPECT_EQ(LayerVerdict(run, "smoke"), Verdict::kNotRun);
  EXPECT_EQ(run.layers.back().reason, "the step make ended as failed");
  EXPECT_EQ(run.steps.size(), 1U);
}

TEST_F(RunSuiteTest, ABuildInAnEarlierRunsFolderThatDoesNotPassIsBegunAgainFromNothing) {
  options_.build = dir_.path() / "kept";
  dir_.Write("kept/deep/stale", "");
  suite_.build = {Shell("configure", "true"), Shell("make", "[ ! -e ${BUILD}/deep/stale ] && echo built > ${BUILD}/x")};
  Layer("smoke", {Shell("cat", "cat ${BUILD}/x")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kPassed) << run.reason;
  EXPECT_EQ(run.layers.size(), 2U);
  EXPECT_EQ(run.steps.size(), 3U);
  EXPECT_THAT(run.notes, Contains(HasSubstr("begun again from nothing")));
  // From nothing there is no second time.
  options_.out = dir_.path() / "out2";
  options_.build = dir_.path() / "new";
  suite_.build = {Shell("make", "exit 1")};
  const RunResult fails = Run();
  EXPECT_EQ(fails.verdict, Verdict::kFailed);
  EXPECT_EQ(fails.steps.size(), 1U);
  EXPECT_THAT(fails.notes, Not(Contains(HasSubstr("begun again"))));
}

TEST_F(RunSuiteTest, AMissingInterpreterIsFoundBeforeTheBuild) {
  suite_.environment.interpreter = "/no/such/python3";
  suite_.build = {Shell("make", "echo built")};
  Layer("smoke", {Shell("run", "echo no")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kError);
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->cls, rules::FailureClass::kEnvironment);
  EXPECT_THAT(run.cause->message, HasSubstr("/no/such/python3"));
  EXPECT_THAT(run.steps, IsEmpty());
}

TEST_F(RunSuiteTest, AModuleThatTheBuildCantBringIsMissedBeforeIt) {
  rules::Requirement module;
  module.kind = rules::Requirement::Kind::kModule;
  module.name = "no_such_module_at_all";
  suite_.requirements = {module};
  suite_.build = {Shell("make", "echo python3 setup build --no-deps")};
  Layer("smoke", {Shell("run", "echo no")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kNotRun);
  EXPECT_THAT(run.reason, HasSubstr("no_such_module_at_all"));
  EXPECT_THAT(run.steps, IsEmpty());
}

TEST_F(RunSuiteTest, AMissingPluginOfPytestIsFoundBeforeTheBuild) {
  // An interpreter that has pytest and nothing else.
  const std::filesystem::path python =
      dir_.Write("fake/python3",
                 "#!/bin/sh\necho\necho 'yard-probe {\"python\": \"3.11.2\", \"modules\": "
                 "{\"pytest\": [true, \"7.2\", \"\"], \"pytest_timeout\": [false, \"\", \"\"]}}'\n");
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  suite_.environment.interpreter = python.native();
  suite_.build = {Shell("make", "echo built")};
  rules::SuiteStep step;
  step.id = "unit";
  step.command.words = {"${PYTHON}", "-m", "pytest", "--timeout=60", "tests"};
  Layer("unit", {step});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kError);
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->cls, rules::FailureClass::kEnvironment);
  EXPECT_EQ(run.cause->signature, "pytest-plugin-missing");
  EXPECT_THAT(run.cause->message,
              HasSubstr("pytest is called with --timeout, and Python has no module pytest_timeout"));
  EXPECT_THAT(run.steps, IsEmpty());
}

TEST_F(RunSuiteTest, WhatAPluginMayComeByIsNotForeseen) {
  const std::filesystem::path python =
      dir_.Write("fake/python3",
                 "#!/bin/sh\n[ \"$2\" = pytest ] && exit 0\necho\necho 'yard-probe {\"python\": \"3.11.2\", "
                 "\"modules\": {\"pytest\": [true, \"7.2\", \"\"], \"pip\": [true, \"23\", \"\"]}}'\n");
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  suite_.environment.interpreter = python.native();
  suite_.build = {Shell("install", "true || pip install -r requirements.txt")};
  rules::SuiteStep step;
  step.id = "unit";
  step.command.words = {"${PYTHON}", "-m", "pytest", "--timeout=60", "tests"};
  Layer("unit", {step});
  EXPECT_EQ(Run().verdict, Verdict::kPassed);
}

TEST_F(RunSuiteTest, WhatBuildsThePackageIsMissedBeforeTheBuild) {
  const std::filesystem::path python =
      dir_.Write("fake/python3",
                 "#!/bin/sh\necho\necho 'yard-probe {\"python\": \"3.11.2\", \"modules\": {\"pip\": [true, "
                 "\"23.2\", \"\"], \"setuptools\": [true, \"65.5.0\", \"\"], \"wheel\": [false, \"\", \"\"]}}'\n");
  std::filesystem::permissions(python, std::filesystem::perms::owner_all);
  suite_.environment.interpreter = python.native();
  dir_.Write("source/pyproject.toml", "[build-system]\nrequires = [\"setuptools>=61\", \"wheel\"]\n");
  suite_.build = {Shell("install", "${PYTHON} -m pip install --no-deps --no-build-isolation .")};
  Layer("unit", {Shell("run", "true")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kError);
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->signature, "build-backend-missing");
  EXPECT_THAT(run.cause->message, HasSubstr("Python has no module wheel"));
  EXPECT_THAT(run.steps, IsEmpty());
}

TEST_F(RunSuiteTest, ASourceInAFolderOfThisMachineIsForThisMachineOnly) {
  Layer("smoke", {Shell("run", "test -e ${SOURCE}/here")});
  std::ofstream(options_.source / "here") << "x";
  suite_.source = {};
  suite_.source.path = options_.source.native();
  options_.source.clear();
  const std::atomic<bool> no = false;
  EXPECT_FALSE(RunSuite(set_, suite_, options_, dependencies_, observer_, no).ok());
  options_.local = true;
  EXPECT_EQ(Run().verdict, Verdict::kPassed);
}

TEST_F(RunSuiteTest, AMissingProgramIsTheEnvironmentsFault) {
  rules::SuiteStep step;
  step.id = "absent";
  step.command.words = {"/no/such/interpreter", "x"};
  Layer("smoke", {step});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kError);
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->cls, rules::FailureClass::kEnvironment);
  EXPECT_THAT(run.cause->message, HasSubstr("/no/such/interpreter"));
}

TEST_F(RunSuiteTest, AHangIsEndedAtItsLimitWithEverythingItStarted) {
  rules::SuiteStep step = Shell("hang", "echo begun; (setsid sleep 98765 &); sleep 98765");
  step.timeout = std::chrono::seconds(1);
  Layer("smoke", {step});
  Layer("later", {Shell("run", "echo no")}, {"smoke"});
  const auto began = std::chrono::steady_clock::now();
  const RunResult run = Run();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
  EXPECT_EQ(run.verdict, Verdict::kTimedOut) << run.reason;
  EXPECT_EQ(LayerVerdict(run, "later"), Verdict::kNotRun);
  EXPECT_FALSE(Runs("98765"));
}

TEST_F(RunSuiteTest, SilenceIsAHangToo) {
  suite_.limits.silence = std::chrono::seconds(1);
  Layer("smoke", {Shell("quiet", "echo begun; sleep 87654")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kTimedOut);
  EXPECT_FALSE(Runs("87654"));
}

TEST_F(RunSuiteTest, ACancelledRunSaysSoAndLeavesNoProcess) {
  Layer("smoke", {Shell("long", "echo begun; sleep 76543"), Shell("next", "echo no")});
  observer_.on_line = [&](const LogLine&) { cancel_ = true; };
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kCancelled);
  EXPECT_EQ(StepOf(run, "next").verdict, Verdict::kNotRun);
  EXPECT_FALSE(Runs("76543"));
}

TEST_F(RunSuiteTest, ARankThatFailsIsNamedAndTheOthersAreNotWaitedForLong) {
  Layer("correctness",
        {Ranks("four", "echo hello from $RANK of $WORLD_SIZE; [ $RANK = 2 ] && exit 3; sleep 65432", "plain", 4)});
  const auto began = std::chrono::steady_clock::now();
  const RunResult run = Run();
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(10));
  EXPECT_EQ(run.verdict, Verdict::kFailed) << run.reason;
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->rank, 2) << run.cause->message;
  EXPECT_THAT(observer_.lines, Contains("3:hello from 3 of 4"));
  ASSERT_EQ(run.steps.at(0).ranks.size(), 4U);
  EXPECT_EQ(run.steps[0].ranks[2].exit_code, 3);
  EXPECT_FALSE(Runs("65432"));
}

TEST_F(RunSuiteTest, RanksHaveFoldersAndReportsOfTheirOwn) {
  rules::SuiteStep step = Ranks("two", "echo \"PASS t$RANK\"; echo ALL GOOD; echo $RANK > $OUT/mine.txt", "plain", 2);
  step.reports = {Markers()};
  step.artifacts = {"*.txt"};
  Layer("correctness", {step});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kPassed) << run.reason;
  ASSERT_EQ(run.tests.size(), 2U);
  EXPECT_EQ(run.tests[0].id, "t0");
  EXPECT_EQ(run.tests[1].rank, 1);
  EXPECT_THAT(run.steps.at(0).artifacts, ElementsAre("steps/two/ranks/0/mine.txt", "steps/two/ranks/1/mine.txt"));
  EXPECT_EQ(observer_.last_done, 2U);
}

TEST_F(RunSuiteTest, AnExitOfZeroWithoutTheMarkerIsNoPass) {
  rules::SuiteStep step = Shell("marked", "echo PASS one");
  step.reports = {Markers()};
  Layer("correctness", {step});
  EXPECT_NE(Run().verdict, Verdict::kPassed);
}

TEST_F(RunSuiteTest, ATakenPortIsTriedOnceMoreWithAnother) {
  // The first attempt finds its port taken by somebody else.
  const std::filesystem::path tried = dir_.path() / "tried";
  rules::SuiteStep step = Shell("bind", "if [ -e " + tried.native() + " ]; then [ \"$(cat " + tried.native() +
                                            ")\" != ${PORT} ] && exit 0; fi; echo ${PORT} > " + tried.native() +
                                            "; echo 'RuntimeError: [Errno 98] Address already in use' >&2; exit 1");
  Layer("smoke", {step});
  rules::FailureSignature taken;
  taken.id = "port-taken";
  taken.title = "A port is taken";
  taken.cls = rules::FailureClass::kEnvironment;
  taken.patterns = {"address already in use"};
  taken.priority = 10;
  set_.signatures = {taken};
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kPassed) << run.reason;
  EXPECT_EQ(run.steps.at(0).attempts, 2);
  EXPECT_THAT(run.notes, Contains(HasSubstr("a port was taken")));
}

TEST_F(RunSuiteTest, ARecipeMendsTheEnvironmentOnce) {
  rules::FailureSignature missing;
  missing.id = "no-library";
  missing.title = "A library is not found";
  missing.cls = rules::FailureClass::kEnvironment;
  missing.patterns = {"libmine\\.so.*cannot open"};
  set_.signatures = {missing};
  rules::RecoveryRecipe recipe;
  recipe.id = "set-library";
  recipe.title = "Say where the library is";
  recipe.symptoms = {"libmine\\.so.*cannot open"};
  recipe.applicable = true;
  recipe.variables = {{"MINE_LIB", "here"}};
  set_.recipes = {recipe};
  suite_.recipes = {"set-library"};
  Layer("smoke",
        {Shell("load", "[ \"$MINE_LIB\" = here ] || { echo 'libmine.so: cannot open shared object' >&2; exit 1; }"),
         Shell("again", "[ \"$MINE_LIB\" = here ]")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kPassed) << run.reason;
  EXPECT_EQ(StepOf(run, "load").recipe, "set-library");
  EXPECT_EQ(StepOf(run, "load").attempts, 2);
  EXPECT_EQ(StepOf(run, "again").attempts, 1);
}

TEST_F(RunSuiteTest, AFaultOfTheCodeIsNeverTriedAgain) {
  Layer("smoke", {Shell("fails", "echo x >> " + (dir_.path() / "count").native() + "; exit 1")});
  EXPECT_EQ(Run().verdict, Verdict::kFailed);
  std::ifstream count(dir_.path() / "count");
  std::string text;
  std::getline(count, text, '\0');
  EXPECT_EQ(text, "x\n");
}

TEST_F(RunSuiteTest, AStepThatPassesAtARetryIsFlakyAndLinksToTheFailureBefore) {
  const std::string flag = (dir_.path() / "flag").native();
  rules::SuiteStep step = Shell("shaky", "test -e " + flag + " && echo PASS a && echo ALL GOOD && exit 0; touch " +
                                             flag + "; echo FAIL a; exit 1");
  step.reports = {Markers()};
  step.retries = 2;
  Layer("smoke", {step});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kFlaky) << run.reason;
  const StepResult& shaky = StepOf(run, "shaky");
  EXPECT_EQ(shaky.attempts, 2);
  ASSERT_TRUE(shaky.cause.has_value());
  ASSERT_FALSE(shaky.artifacts.empty());
  EXPECT_NE(shaky.artifacts.front(), shaky.log);
  EXPECT_TRUE(std::filesystem::is_regular_file(options_.out / shaky.artifacts.front()));
  EXPECT_THAT(shaky.reason, HasSubstr(shaky.artifacts.front()));
  ASSERT_EQ(run.tests.size(), 1U);
  EXPECT_EQ(run.tests[0].verdict, Verdict::kFlaky);
}

TEST_F(RunSuiteTest, APassAfterARunThatFailedIsFlakyUnlessSomethingWasChanged) {
  const std::string state = (dir_.path() / "state").native();
  Layer("unit", {Shell("once", "[ -e '" + state + "' ] || { touch '" + state + "'; exit 1; }")});
  dir_.Write("source/a.py", "1");
  const RunResult first = Run();
  ASSERT_EQ(first.verdict, Verdict::kFailed);
  EarlierRun& before = options_.before.emplace();
  before.job = first.job;
  before.directory = "../out";
  before.suite_digest = first.suite_digest;
  before.commit = first.commit;
  before.ended = std::chrono::system_clock::now();
  before.steps = first.steps;
  options_.out = dir_.path() / "again";
  const RunResult again = Run();
  EXPECT_EQ(again.verdict, Verdict::kFlaky);
  EXPECT_EQ(again.rerun_of, first.job);
  EXPECT_THAT(again.reason, HasSubstr("../out/steps/once/log"));
  EXPECT_THAT(again.notes, ElementsAre("run again after " + first.job + ": ../out/report.html"));
  ASSERT_TRUE(again.cause.has_value());
  EXPECT_EQ(again.cause->signature, "exit");

  options_.out = dir_.path() / "changed";
  const std::filesystem::path source = dir_.Write("source/a.py", "2");
  std::filesystem::last_write_time(source, std::filesystem::file_time_type::clock::now() + std::chrono::minutes(1));
  const RunResult changed = Run();
  EXPECT_EQ(changed.verdict, Verdict::kPassed);
  EXPECT_THAT(changed.notes.at(0), HasSubstr("changed since"));
}

TEST_F(RunSuiteTest, RetriesEndAndTheLastFailureStays) {
  rules::SuiteStep step = Shell("fails", "echo x >> " + (dir_.path() / "count").native() + "; exit 1");
  step.retries = 2;
  Layer("smoke", {step});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kFailed);
  EXPECT_EQ(StepOf(run, "fails").attempts, 3);
  std::ifstream count(dir_.path() / "count");
  std::string text;
  std::getline(count, text, '\0');
  EXPECT_EQ(text, "x\nx\nx\n");
}

TEST_F(RunSuiteTest, AMissingToolMakesAStepNotRunWithTheReason) {
  rules::SuiteStep step = Shell("needs", "echo no");
  rules::Requirement tool;
  tool.kind = rules::Requirement::Kind::kTool;
  tool.name = "no-such-tool";
  step.requirements = {tool};
  Layer("smoke", {step, Shell("does", "true")});
  const RunResult run = Run();
  EXPECT_EQ(StepOf(run, "needs").verdict, Verdict::kNotRun);
  EXPECT_THAT(StepOf(run, "needs").reason, HasSubstr("no-such-tool"));
  EXPECT_EQ(StepOf(run, "does").verdict, Verdict::kPassed);
}

TEST_F(RunSuiteTest, HowToGetWhatIsMissingIsSaidInOneLine) {
  const auto needs = [](const char* id, const char* name) {
    rules::SuiteStep step = Shell(id, "echo no");
    step.requirements.emplace_back().name = name;
    return step;
  };
  suite_.install = {"deploy/install-deps.sh --with-suites", {"no-such-tool", "nor-this"}};
  Layer("smoke", {needs("first", "no-such-tool"), needs("second", "nor-this")});
  EXPECT_THAT(Run().notes, ElementsAre("to install what is missing here: deploy/install-deps.sh --with-suites"));

  // What that does not bring is no reason to name it.
  options_.out = dir_.path() / "out2";
  suite_.layers.clear();
  Layer("smoke", {needs("third", "a-vendors-compiler"), needs("fourth", "sh")});
  EXPECT_THAT(Run().notes, IsEmpty());
}

TEST_F(RunSuiteTest, WithoutTheDeviceTheRunIsNotRunAndNothingIsBuilt) {
  suite_.devices.kind = rules::DeviceKind::kGpu;
  suite_.build = {Shell("make", "echo built")};
  Layer("correctness", {Shell("run", "true")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kNotRun);
  EXPECT_THAT(run.steps, IsEmpty());
  EXPECT_THAT(run.layers.at(0).reason, HasSubstr("GPU"));
}

TEST_F(RunSuiteTest, ALayerThatLacksADeviceHoldsUpOthersOnlyIfItIsRequired) {
  rules::Requirement gpu;
  gpu.kind = rules::Requirement::Kind::kDevice;
  gpu.device.kind = rules::DeviceKind::kGpu;
  Layer("gpu", {Shell("a", "true")}).requirements = {gpu};
  Layer("next", {Shell("b", "true")}, {"gpu"});
  RunResult run = Run();
  EXPECT_EQ(LayerVerdict(run, "gpu"), Verdict::kNotRun);
  EXPECT_EQ(LayerVerdict(run, "next"), Verdict::kPassed);
  EXPECT_EQ(run.verdict, Verdict::kPassed);

  suite_.layers[0].required = true;
  options_.out = dir_.path() / "out2";
  run = Run();
  EXPECT_EQ(LayerVerdict(run, "next"), Verdict::kNotRun);
  EXPECT_EQ(run.verdict, Verdict::kNotRun);
}

TEST_F(RunSuiteTest, AFailedLayerStopsWhatComesAfterItButNotItsNeighbour) {
  Layer("smoke", {Shell("a", "exit 1")});
  Layer("after", {Shell("b", "true")}, {"smoke"});
  Layer("last", {Shell("c", "true")}, {"after"});
  Layer("beside", {Shell("d", "true")});
  RunResult run = Run();
  EXPECT_EQ(LayerVerdict(run, "after"), Verdict::kNotRun);
  EXPECT_EQ(LayerVerdict(run, "last"), Verdict::kNotRun);
  EXPECT_EQ(LayerVerdict(run, "beside"), Verdict::kPassed);
  EXPECT_EQ(run.verdict, Verdict::kFailed);

  options_.keep_going = true;
  options_.out = dir_.path() / "out2";
  run = Run();
  EXPECT_EQ(LayerVerdict(run, "last"), Verdict::kPassed);
  EXPECT_EQ(run.verdict, Verdict::kFailed);
}

TEST_F(RunSuiteTest, OfAPartWhoseGatesRunElsewhereTheBuildsRunAndHoldItUp) {
  Layer("compile", {Shell("compile", "true")}).kind = rules::LayerKind::kBuild;
  Layer("smoke", {Shell("smoke", "exit 1")}, {"compile"});
  Layer("unit", {Shell("a", "true"), Shell("b", "true")}, {"smoke"});
  options_.layers = {"unit"};
  options_.steps = {{"b", {}}};
  options_.before_layers = rules::LayersBefore::kBuilds;
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kPassed) << run.reason;
  ASSERT_THAT(run.steps, ::testing::SizeIs(2));
  EXPECT_EQ(run.steps[0].name, "compile");
  EXPECT_EQ(run.steps[1].name, "b");

  suite_.layers[0].steps[0].command.shell = "exit 1";
  options_.out = dir_.path() / "out2";
  const RunResult broken = Run();
  EXPECT_EQ(LayerVerdict(broken, "unit"), Verdict::kNotRun);
  EXPECT_EQ(broken.verdict, Verdict::kFailed);
}

TEST_F(RunSuiteTest, EachCellAndShardIsAStep) {
  suite_.matrix.axes = {{"dtype", {"float32", "bfloat16"}}, {"size", {"1", "2"}}};
  suite_.matrix.exclude = {{{"dtype", "bfloat16"}, {"size", "2"}}};
  rules::SuiteStep step = Shell("op", "echo ${matrix.dtype} ${matrix.size} ${SHARD} $GTEST_SHARD_INDEX");
  step.axes = {"dtype", "size"};
  step.shards = 2;
  Layer("correctness", {step});
  options_.select = {{"size", {"1"}}};
  const RunResult run = Run();
  ASSERT_EQ(run.steps.size(), 4U);
  EXPECT_EQ(run.steps[0].name, "op[dtype=float32,size=1,shard=1/2]");
  EXPECT_EQ(run.steps[3].name, "op[dtype=bfloat16,size=1,shard=2/2]");
  EXPECT_THAT(observer_.lines, Contains("-1:bfloat16 1 1 1"));
  EXPECT_EQ(run.verdict, Verdict::kPassed) << run.reason;
}

TEST_F(RunSuiteTest, WrongOptionsAreSaidBeforeAnythingIsMade) {
  Layer("smoke", {Shell("a", "true")});
  options_.layers = {"smokey"};
  EXPECT_EQ(RunSuite(set_, suite_, options_, dependencies_, observer_, cancel_).status().code(),
            absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(std::filesystem::exists(options_.out));

  options_.layers.clear();
  std::filesystem::create_directories(options_.out);
  std::ofstream(options_.out / "mine") << "x";
  const auto full = RunSuite(set_, suite_, options_, dependencies_, observer_, cancel_);
  EXPECT_EQ(full.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(full.status().message()), HasSubstr("not empty"));
}

// A file in /dev/shm that is gone at the end of the test.
struct SharedFile {
  explicit SharedFile(const std::string& name) : path("/dev/shm/" + name) {}
  ~SharedFile() { std::filesystem::remove(path); }
  SharedFile(const SharedFile&) = delete;
  SharedFile& operator=(const SharedFile&) = delete;
  const std::filesystem::path path;
};

// A machine whose kernel has killed once for want of memory in each group, and lets nobody have shared memory of his
// own.
class PlayedKernel : public ProcessStarter {
 public:
  explicit PlayedKernel(ProcessStarter& real) : real_(real) {}
  absl::StatusOr<std::unique_ptr<Process>> Start(const ProcessSpec& spec, MemoryGroup* /*memory*/) override {
    return real_.Start(spec, nullptr);
  }
  std::unique_ptr<MemoryGroup> MakeMemoryGroup(std::string_view, uint64_t, std::string&) override {
    class Group : public MemoryGroup {
      int64_t oom_kills() const override { return 1; }
      uint64_t peak_bytes() const override { return uint64_t{64} << 20; }
    };
    return std::make_unique<Group>();
  }
  std::unique_ptr<SharedMemory> MakeSharedMemory(std::string& reason) override {
    reason = "not here";
    return nullptr;
  }

 private:
  ProcessStarter& real_;
};

TEST_F(RunSuiteTest, WhereStepsCantHaveSharedMemoryOfTheirOwnWhatIsLeftIsNamedAndStays) {
  PlayedKernel processes(*processes_);
  dependencies_.processes = &processes;
  const SharedFile left("yard-test-" + dir_.path().filename().native());
  Layer("smoke", {Shell("leave", "echo x > " + left.path.native())});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kPassed) << run.reason;
  EXPECT_TRUE(std::filesystem::exists(left.path));
  EXPECT_THAT(run.notes, Contains(HasSubstr(left.path.filename().native())));
}

TEST_F(RunSuiteTest, SharedMemoryThatAStepLeavesIsRemovedAndSaid) {
  std::string reason;
  if (processes_->MakeSharedMemory(reason) == nullptr) {
    GTEST_SKIP() << "not tested here, since a step can't have shared memory of its own: " << reason;
  }
  const std::string name = "yard-test-" + dir_.path().filename().native();
  const SharedFile left(name);
  Layer("smoke", {Shell("leave", "echo x > /dev/shm/" + name)});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kPassed) << run.reason;
  EXPECT_FALSE(std::filesystem::exists(left.path));
  EXPECT_THAT(run.notes, Contains(HasSubstr(name)));
}

TEST_F(RunSuiteTest, SharedMemoryOfAnotherProgramStaysWhateverTheStepDoes) {
  const std::string name = "yard-other-" + dir_.path().filename().native();
  const SharedFile other(name);
  // This process is no part of the run; it has the file neither open nor mapped when the step ends.
  observer_.on_line = [&](const LogLine&) { std::ofstream(other.path) << "not yours"; };
  Layer("smoke", {Shell("meanwhile", "echo begun; while [ ! -e $OUT/../../../go ]; do sleep 0.01; done")});
  std::thread go([&] {
    while (!std::filesystem::exists(other.path)) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    std::ofstream(options_.out / "go") << "x";
  });
  const RunResult run = Run();
  go.join();
  EXPECT_EQ(run.verdict, Verdict::kPassed) << run.reason;
  EXPECT_TRUE(std::filesystem::exists(other.path));
}

TEST_F(RunSuiteTest, RanksOfAStepShareTheirMemory) {
  const std::string name = "yard-ranks-" + dir_.path().filename().native();
  const SharedFile shared(name);
  Layer("smoke", {Ranks("two",
                        "if [ $RANK = 0 ]; then echo hello > " + shared.path.native() + "; else while [ ! -s " +
                            shared.path.native() + " ]; do sleep 0.01; done; cat " + shared.path.native() + "; fi",
                        "plain", 2)});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kPassed) << run.reason;
  EXPECT_THAT(observer_.lines, Contains("1:hello"));
}

TEST_F(RunSuiteTest, ASecretReachesNeitherJobNorLog) {
  options_.secrets = {"s3cr3t-value"};
  options_.variables = {{"PLAIN", "x"}, {"HIDDEN", "a s3cr3t-value b"}};
  Layer("smoke", {Shell("print", "echo plain=$PLAIN hidden=$HIDDEN; echo s3cr3t-value")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kPassed) << run.reason;
  EXPECT_THAT(observer_.lines, Contains("-1:plain=x hidden="));
  EXPECT_THAT(observer_.lines, Not(Contains(HasSubstr("s3cr3t"))));
  EXPECT_THAT(run.notes, Contains(HasSubstr("HIDDEN")));
}

TEST_F(RunSuiteTest, TooLittleDiskIsAnErrorOfTheMachineBeforeAnythingRuns) {
  suite_.limits.disk_mb = uint64_t{1} << 40;
  Layer("smoke", {Shell("a", "true")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kError);
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->signature, "disk-full");
  EXPECT_EQ(run.cause->cls, rules::FailureClass::kInfrastructure);
  EXPECT_THAT(run.steps, IsEmpty());
}

TEST_F(RunSuiteTest, ABuildFolderInTheCacheIsFoundAgain) {
  options_.cache = dir_.path() / "cache";
  suite_.build = {Shell("make", "mkdir -p ${BUILD}; echo x >> ${BUILD}/count; cat ${BUILD}/count")};
  Layer("smoke", {Shell("a", "true")});
  Run();
  options_.out = dir_.path() / "out2";
  observer_.lines.clear();
  Run();
  EXPECT_THAT(observer_.lines, ElementsAre("-1:x", "-1:x"));
}

// Does what mpirun does, as far as the test sees it.
constexpr std::string_view kFakeMpirun = R"(#!/bin/bash
while [ "$1" != -np ]; do shift; done
for ((rank = 0; rank < $2; rank++)); do OMPI_COMM_WORLD_RANK=$rank "${@:3}" & ranks+=($!); done
worst=0
for rank in "${ranks[@]}"; do wait "$rank" || worst=$?; done
exit "$worst"
)";

class MpirunTest : public RunFixture {
 protected:
  void ExpectThatRanksAreToldApart() {
    rules::SuiteStep step =
        Ranks("mpi", "echo rank $RANK of $WORLD_SIZE; [ $RANK = 1 ] && echo oops >&2 && exit 5; exit 0", "mpirun", 3);
    Layer("correctness", {step});
    const RunResult run = Run();
    EXPECT_EQ(run.verdict, Verdict::kFailed) << run.reason;
    EXPECT_THAT(observer_.lines, Contains("0:rank 0 of 3"));
    EXPECT_THAT(observer_.lines, Contains("1:oops"));
    ASSERT_TRUE(run.cause.has_value());
    EXPECT_EQ(run.cause->rank, 1) << run.cause->message;
    ASSERT_EQ(run.steps.at(0).ranks.size(), 3U);
    EXPECT_EQ(run.steps[0].ranks[1].exit_code, 5);
  }
};

TEST_F(MpirunTest, RanksOfAPlayedOneAreToldApart) {
  PutInPath("mpirun", kFakeMpirun);
  ExpectThatRanksAreToldApart();
}

TEST_F(MpirunTest, RanksOfOpenMpiAreToldApart) {
  if (!std::filesystem::exists("/usr/bin/mpirun")) GTEST_SKIP() << "not tested here, since Open MPI is not installed";
  ExpectThatRanksAreToldApart();
}

// A GPU that is lost as soon as somebody writes the file.
class LosableGpu : public DeviceProbe {
 public:
  explicit LosableGpu(std::filesystem::path lost) : lost_(std::move(lost)) {}
  rules::DeviceKind kind() const override { return rules::DeviceKind::kGpu; }
  absl::StatusOr<Discovery> Discover() override {
    Discovery found;
    if (std::filesystem::exists(lost_)) return found;
    Device device;
    device.kind = rules::DeviceKind::kGpu;
    device.name = "gpu0";
    device.id = "GPU-" + lost_.native();
    device.visible_as = "GPU-7";
    device.health = DeviceHealth::kOk;
    found.devices.push_back(device);
    return found;
  }

 private:
  const std::filesystem::path lost_;
};

TEST_F(RunSuiteTest, ALineThatSaysTheDeviceIsLostEndsTheSuiteAtOnce) {
  LosableGpu gpu(dir_.path() / "lost");
  dependencies_.probes.push_back(&gpu);
  suite_.devices.kind = rules::DeviceKind::kGpu;
  rules::FailureSignature bus;
  bus.id = "off-the-bus";
  bus.title = "The GPU has fallen off the bus";
  bus.cls = rules::FailureClass::kInfrastructure;
  bus.device_fatal = true;
  bus.patterns = {"fallen off the bus"};
  set_.signatures = {bus};
  Layer("correctness",
        {Shell("lose", "echo visible=$CUDA_VISIBLE_DEVICES; echo 'GPU has fallen off the bus'; sleep 54321"),
         Shell("next", "echo no")});
  Layer("module", {Shell("last", "echo no")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kError) << run.reason;
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->cls, rules::FailureClass::kInfrastructure);
  EXPECT_THAT(observer_.lines, Contains("-1:visible=GPU-7"));
  EXPECT_EQ(StepOf(run, "next").verdict, Verdict::kNotRun);
  EXPECT_EQ(StepOf(run, "next").reason, "device lost");
  EXPECT_EQ(LayerVerdict(run, "module"), Verdict::kNotRun);
  EXPECT_EQ(run.devices.size(), 1U);
  EXPECT_FALSE(Runs("54321"));
}

TEST_F(RunSuiteTest, ADeviceThatIsGoneAfterAFailureIsToBlameForIt) {
  LosableGpu gpu(dir_.path() / "lost");
  dependencies_.probes.push_back(&gpu);
  suite_.devices.kind = rules::DeviceKind::kGpu;
  Layer("correctness", {Shell("lose", "touch " + (dir_.path() / "lost").native() + "; exit 1"), Shell("next", "true")});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kError) << run.reason;
  EXPECT_EQ(StepOf(run, "next").reason, "device lost");
}

TEST_F(RunSuiteTest, AKillInTheStepsOwnMemoryGroupIsTheCodesFault) {
  PlayedKernel processes(*processes_);
  dependencies_.processes = &processes;
  rules::SuiteStep step = Shell("grow", "kill -KILL $$");
  step.memory_mb = 64;
  Layer("correctness", {step});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kFailed) << run.reason;
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->signature, "oom");
  EXPECT_EQ(run.cause->cls, rules::FailureClass::kCode);
  EXPECT_THAT(run.notes, Contains(HasSubstr("64 MiB")));
}

TEST_F(RunSuiteTest, MoreMemoryThanTheLimitIsTheCodesFault) {
  std::string reason;
  if (processes_->MakeMemoryGroup("probe", uint64_t{64} << 20, reason) == nullptr) {
    GTEST_SKIP() << "not tested here, but with a played kernel above: memory can't be limited: " << reason;
  }
  rules::SuiteStep step = Shell("grow", "exec tail -n 1 < <(head -c 300M /dev/zero)");
  step.memory_mb = 64;
  Layer("correctness", {step});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kFailed) << run.reason;
  ASSERT_TRUE(run.cause.has_value());
  EXPECT_EQ(run.cause->signature, "oom");
  EXPECT_THAT(run.notes, Contains(HasSubstr("64 MiB")));
}

// Does what msrun does: starts Python files, as a scheduler and as workers that write files of their own.
constexpr std::string_view kFakeMsrun = R"(#!/bin/bash
for word in "$@"; do
  case $word in
    --worker_num=*) count=${word#*=};;
    --log_dir=*) logs=${word#*=};;
    --join=True) join=1;;
  esac
  task=$word
done
mkdir -p "$logs"
echo 'scheduler says hello' >"$logs/scheduler.log"
for ((i = 0; i < count; i++)); do
  MS_ROLE=MS_WORKER MS_NODE_ID=$i python "$task" >"$logs/worker_$i.log" 2>&1 &
done
[ -n "$join" ] && wait
)";

TEST_F(RunSuiteTest, RanksOfMsrunAreToldApartAndItsOwnLogsAreKept) {
  PutInPath("msrun", kFakeMsrun);
  PutInPath("python", "#!/bin/sh\nexec python3 \"$@\"\n");
  rules::SuiteStep step = Ranks("ms", "echo rank=$RANK_ID out=$OUT; echo done >&2; exit $RANK_ID", "msrun", 2);
  Layer("correctness", {step});
  const RunResult run = Run();
  EXPECT_EQ(run.verdict, Verdict::kFailed) << run.reason;
  EXPECT_THAT(observer_.lines, Contains(::testing::MatchesRegex("0:rank=0 out=.*/ranks/0")));
  EXPECT_THAT(observer_.lines, Contains("1:done"));
  EXPECT_THAT(observer_.lines, Contains("-1:scheduler says hello"));
  ASSERT_EQ(run.steps.at(0).ranks.size(), 2U);
  EXPECT_EQ(run.steps[0].ranks[0].exit_code, 0);
  EXPECT_EQ(run.steps[0].ranks[1].exit_code, 1);
}

TEST(NewJob, JobsAreNamedInTheOrderOfTimeAndDifferWithinASecond) {
  testing::FakeClock clock;
  const std::string first = NewJob(clock);
  EXPECT_THAT(first, ::testing::MatchesRegex("[0-9]{8}-[0-9]{6}-[0-9a-f]{4}"));
  std::set<std::string> jobs = {first};
  for (int i = 0; i < 10; ++i) jobs.insert(NewJob(clock));
  EXPECT_GT(jobs.size(), 1U);
  clock.Advance(std::chrono::seconds(1));
  EXPECT_LT(first.substr(0, 15), NewJob(clock).substr(0, 15));
}

}  // namespace
}  // namespace yardmaster::worker
