#include "services/worker/launch/launch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "services/worker/launch/rank_script.h"

namespace yardmaster::worker {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

rules::SuiteStep Step(std::vector<std::string> words, std::string_view kind) {
  rules::SuiteStep step;
  step.id = "all_reduce";
  step.command.words = std::move(words);
  step.launcher.kind = std::string(kind);
  return step;
}

LaunchRequest Request(const rules::SuiteStep& step, size_t world_size) {
  LaunchRequest request;
  request.step = &step;
  request.world_size = world_size;
  request.values = {{"SOURCE", "/src"}, {"BUILD", "/build"}, {"PYTHON", "/usr/bin/python3"}, {"JOBS", "4"},
                    {"PORT", "20123"},  {"DEVICES", "0"},    {"matrix.dtype", "float32"}};
  request.environment = {{"PATH", "/usr/bin:/bin"}};
  request.source = "/src";
  request.folder = "/out/steps/all_reduce";
  request.control = "/tmp/c";
  request.processors = 4;
  return request;
}

std::string TextOf(const LaunchPlan& plan, const std::string& file) {
  for (const auto& [path, text] : plan.files) {
    if (path.filename() == file) return text;
  }
  return "no such file";
}

TEST(PlanLaunch, AStepWithoutRanksIsOneProcessStartedAsItIs) {
  rules::SuiteStep step = Step({"${BUILD}/tests", "--gtest_output=xml:${OUT}/gtest.xml"}, "none");
  step.directory = "cpp";
  rules::ReportModel report;
  report.format = rules::ReportFormat::kGoogleTest;
  report.file = "${OUT}/gtest.xml";
  step.reports.push_back(report);
  const auto plan = PlanLaunch(Request(step, 1));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->processes.size(), 1U);
  const ProcessSpec& spec = plan->processes[0].spec;
  EXPECT_THAT(spec.argv, ElementsAre("/build/tests", "--gtest_output=xml:/out/steps/all_reduce/out/gtest.xml"));
  EXPECT_EQ(spec.directory, "/src/cpp");
  EXPECT_EQ(plan->processes[0].rank, -1);
  EXPECT_EQ(plan->launcher, nullptr);
  EXPECT_THAT(spec.environment, Contains("OUT=/out/steps/all_reduce/out"));
  EXPECT_THAT(spec.environment, Contains("TENSORS=/out/steps/all_reduce/out/tensors"));
  // A framework that sees a rank would wait for the others.
  EXPECT_THAT(spec.environment, Not(Contains(HasSubstr("RANK="))));
  ASSERT_EQ(plan->places.size(), 1U);
  EXPECT_THAT(plan->places[0].reports, ElementsAre("/out/steps/all_reduce/out/gtest.xml"));
}

TEST(PlanLaunch, PlainRanksKnowWhoTheyAreAndHaveFoldersOfTheirOwn) {
  rules::SuiteStep step =
      Step({"${PYTHON}", "-m", "pytest", "--junitxml=${OUT}/junit.xml", "-k", "${matrix.dtype}"}, "plain");
  step.variables = {{"SEED", "1${RANK}"}};
  const auto plan = PlanLaunch(Request(step, 8));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_EQ(plan->processes.size(), 8U);
  const PlannedProcess& third = plan->processes[3];
  EXPECT_EQ(third.rank, 3);
  EXPECT_THAT(third.spec.argv, ElementsAre("/usr/bin/python3", "-m", "pytest",
                                           "--junitxml=/out/steps/all_reduce/ranks/3/junit.xml", "-k", "float32"));
  for (const char* line :
       {"RANK=3", "LOCAL_RANK=3", "WORLD_SIZE=8", "LOCAL_WORLD_SIZE=8", "MASTER_ADDR=127.0.0.1", "MASTER_PORT=20123",
        "OUT=/out/steps/all_reduce/ranks/3", "SEED=13", "GLOO_SOCKET_IFNAME=lo"}) {
    EXPECT_THAT(third.spec.environment, Contains(line));
  }
  // Eight ranks on four processors: not eight times four threads.
  EXPECT_THAT(third.spec.environment, Contains("OMP_NUM_THREADS=1"));
}

TEST(PlanLaunch, WhatTheManifestSaysOfThreadsStands) {
  rules::SuiteStep step = Step({"x"}, "plain");
  step.variables = {{"OMP_NUM_THREADS", "3"}, {"GLOO_SOCKET_IFNAME", "eth7"}};
  const auto plan = PlanLaunch(Request(step, 2));
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->processes[0].spec.environment, Contains("OMP_NUM_THREADS=3"));
  EXPECT_THAT(plan->processes[0].spec.environment, Contains("GLOO_SOCKET_IFNAME=eth7"));
}

TEST(PlanLaunch, OptionsOfPytestAreAddedToOursNotPutInTheirPlace) {
  rules::SuiteStep step = Step({"pytest"}, "none");
  step.variables = {{"PYTEST_ADDOPTS", "--junitxml=${OUT}/j.xml"}};
  LaunchRequest request = Request(step, 1);
  request.environment["PYTEST_ADDOPTS"] = "-o cache_dir=/tmp/x";
  const auto plan = PlanLaunch(request);
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->processes[0].spec.environment,
              Contains("PYTEST_ADDOPTS=-o cache_dir=/tmp/x --junitxml=/out/steps/all_reduce/out/j.xml"));
}

TEST(PlanLaunch, ProgramsOfPythonCanSayWhereTheyStand) {
  rules::SuiteStep step = Step({"pytest"}, "none");
  step.variables = {{"PYTHONPATH", "${SOURCE}/python"}};
  auto plan = PlanLaunch(Request(step, 1));
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->processes[0].spec.environment, Contains("PYTHONPATH=/tmp/c/python:/src/python"));
  EXPECT_THAT(TextOf(*plan, "sitecustomize.py"), HasSubstr("STACKS = \"/tmp/c/stacks\""));
  // What the manifest takes away stays away, and a build is no test.
  LaunchRequest request = Request(step, 1);
  request.unset = {"PYTHONPATH"};
  plan = PlanLaunch(request);
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->processes[0].spec.environment, Not(Contains(HasSubstr("PYTHONPATH="))));
  step.variables.clear();
  request = Request(step, 1);
  request.build = true;
  plan = PlanLaunch(request);
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->processes[0].spec.environment, Not(Contains(HasSubstr("PYTHONPATH="))));
}

TEST(PlanLaunch, TorchrunStartsAScriptThatFindsItsRank) {
  const rules::SuiteStep step = Step({"${PYTHON}", "-m", "pytest", "--junitxml=${OUT}/it's.xml"}, "torchrun");
  const auto plan = PlanLaunch(Request(step, 2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  ASSERT_NE(plan->launcher, nullptr);
  EXPECT_EQ(plan->launcher->name, "torchrun");
  ASSERT_EQ(plan->processes.size(), 1U);
  EXPECT_EQ(plan->processes[0].rank, -1);
  const std::vector<std::string>& argv = plan->processes[0].spec.argv;
  EXPECT_THAT(argv, Contains("torch.distributed.run"));
  // Torch 1.13 does not know options with dashes.
  EXPECT_THAT(argv, Contains("--nproc_per_node=2"));
  EXPECT_THAT(argv, Contains("--master_port=20123"));
  EXPECT_EQ(argv.back(), "/tmp/c/rank.sh");
  EXPECT_THAT(TextOf(*plan, "rank.sh"), HasSubstr("rank=${RANK:-}"));
  const std::string script = TextOf(*plan, "rank.1.sh");
  EXPECT_THAT(script, HasSubstr("export OUT='/out/steps/all_reduce/ranks/1'"));
  EXPECT_THAT(script, HasSubstr(R"(it'\''s.xml')"));
  // The launcher says who is which rank.
  EXPECT_THAT(script, Not(HasSubstr("export RANK=")));
  EXPECT_THAT(plan->processes[0].spec.environment, Not(Contains(HasSubstr("LOCAL_RANK="))));
  EXPECT_THAT(plan->processes[0].spec.environment, Contains("WORLD_SIZE=2"));
}

TEST(PlanLaunch, MpirunMayRunAsRootAndTellsRanksWhatTorchWants) {
  const rules::SuiteStep step = Step({"${BUILD}/mpi_tests"}, "mpirun");
  const auto plan = PlanLaunch(Request(step, 4));
  ASSERT_TRUE(plan.ok()) << plan.status();
  const PlannedProcess& launcher = plan->processes.at(0);
  EXPECT_EQ(launcher.spec.argv.front(), "mpirun");
  EXPECT_THAT(launcher.spec.argv, Contains("--oversubscribe"));
  EXPECT_THAT(launcher.spec.environment, Contains("OMPI_ALLOW_RUN_AS_ROOT=1"));
  EXPECT_THAT(launcher.spec.environment, Contains("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"));
  EXPECT_THAT(TextOf(*plan, "rank.sh"), HasSubstr("rank=${OMPI_COMM_WORLD_RANK:-}"));
  EXPECT_THAT(TextOf(*plan, "rank.2.sh"), HasSubstr("export RANK='2'"));
}

TEST(PlanLaunch, MsrunAlwaysJoinsAndItsOwnLogsAreRead) {
  const rules::SuiteStep step = Step({"${PYTHON}", "test.py"}, "msrun");
  const auto plan = PlanLaunch(Request(step, 2));
  ASSERT_TRUE(plan.ok()) << plan.status();
  const std::vector<std::string>& argv = plan->processes.at(0).spec.argv;
  EXPECT_THAT(argv, Contains("--join=True"));
  EXPECT_THAT(argv, Contains("--master_port=20123"));
  // It starts Python files only.
  EXPECT_EQ(argv.back(), "/tmp/c/rank.py");
  EXPECT_THAT(TextOf(*plan, "rank.py"), HasSubstr("MS_SCHED"));
  ASSERT_EQ(plan->logs.size(), 3U);
  EXPECT_EQ(plan->logs[0].second, -1);
  EXPECT_EQ(plan->logs[2].first.filename(), "worker_1.log");
}

TEST(PlanLaunch, SetUpScriptsComeBeforeTheCommandWithoutStrictShellOptions) {
  const rules::SuiteStep step = Step({"python3", "a b"}, "none");
  LaunchRequest request = Request(step, 1);
  request.scripts = {"${SOURCE}/set env.sh"};
  request.unset = {"LD_PRELOAD"};
  request.environment["LD_PRELOAD"] = "x";
  const auto plan = PlanLaunch(request);
  ASSERT_TRUE(plan.ok());
  const ProcessSpec& spec = plan->processes[0].spec;
  ASSERT_EQ(spec.argv.size(), 6U);
  EXPECT_EQ(spec.argv[0], "bash");
  EXPECT_THAT(spec.argv[2], HasSubstr(". '/src/set env.sh'"));
  EXPECT_THAT(spec.argv[2], HasSubstr("unset -v 'LD_PRELOAD'"));
  EXPECT_THAT(spec.argv[2], Not(HasSubstr("set -u")));
  EXPECT_THAT(spec.argv[2], Not(HasSubstr("set -e")));
  EXPECT_EQ(spec.argv[5], "a b");
  EXPECT_THAT(spec.environment, Not(Contains("LD_PRELOAD=x")));
}

TEST(PlanLaunch, AShardTellsTestProgramsWhichItIs) {
  rules::SuiteStep step = Step({"run", "--shard", "${SHARD}", "${SHARDS}"}, "none");
  step.shards = 3;
  LaunchRequest request = Request(step, 1);
  request.shard = 2;
  const auto plan = PlanLaunch(request);
  ASSERT_TRUE(plan.ok());
  EXPECT_THAT(plan->processes[0].spec.argv, ElementsAre("run", "--shard", "2", "3"));
  EXPECT_THAT(plan->processes[0].spec.environment, Contains("GTEST_SHARD_INDEX=2"));
  EXPECT_THAT(plan->processes[0].spec.environment, Contains("GTEST_TOTAL_SHARDS=3"));
}

TEST(PlanLaunch, AnUnknownPlaceholderIsAnErrorThatNamesTheStep) {
  const rules::SuiteStep step = Step({"${OUTT}"}, "none");
  const auto plan = PlanLaunch(Request(step, 1));
  ASSERT_EQ(plan.status().code(), absl::StatusCode::kInvalidArgument);
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("all_reduce"));
  EXPECT_THAT(std::string(plan.status().message()), HasSubstr("OUTT"));
}

TEST(PlanLaunch, ABuildStepKnowsNoRank) {
  const rules::SuiteStep step = Step({"cmake", "${RANK}"}, "none");
  LaunchRequest request = Request(step, 1);
  request.build = true;
  EXPECT_FALSE(PlanLaunch(request).ok());
}

TEST(RankFile, ThePlaceOfTheRankIsFilledIn) { EXPECT_EQ(RankFile(kRankEnd, 12), "rank.12.end"); }

}  // namespace
}  // namespace yardmaster::worker
