#include "services/worker/run/implied_modules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> ModulesOf(const std::vector<ImpliedModule>& implied) {
  std::vector<std::string> modules;
  for (const ImpliedModule& one : implied) modules.push_back(one.module);
  return modules;
}
rules::CommandLine ShellLine(std::string line) {
  rules::CommandLine command;
  command.shell = std::move(line);
  return command;
}
std::vector<std::string> ImpliedBy(std::string line) {
  return ModulesOf(ImpliedModules(ShellLine(std::move(line)), {}));
}

TEST(ImpliedModules, PluginsAreKnownByTheirOptions) {
  rules::CommandLine command;
  command.words = {"${PYTHON}", "-m", "pytest", "--timeout=60", "-n", "4", "--cov=x", "tests"};
  EXPECT_THAT(ModulesOf(ImpliedModules(command, {})), ElementsAre("pytest", "pytest_timeout", "xdist", "pytest_cov"));
  EXPECT_THAT(ImpliedBy("cd python && A=1 python3 -m pytest -n4 tests"), ElementsAre("pytest", "xdist"));
  EXPECT_THAT(ModulesOf(ImpliedModules(ShellLine("python -m pytest"), {{"PYTEST_ADDOPTS", "--reruns 2"}})),
              ElementsAre("pytest", "pytest_rerunfailures"));
  EXPECT_EQ(ImpliedModules(command, {})[1].because, "pytest is called with --timeout");
}

TEST(ImpliedModules, OtherProgramsAndOtherInterpretersSayNothing) {
  EXPECT_THAT(ImpliedBy("pytest --timeout=60"), IsEmpty());
  EXPECT_THAT(ImpliedBy("/opt/other/bin/python3 -m pytest --timeout=60"), IsEmpty());
  EXPECT_THAT(ImpliedBy("python3 train.py --timeout=60"), IsEmpty());
  EXPECT_THAT(ImpliedBy("python3 -m pytest --no-header -k nothing"), ElementsAre("pytest"));
  EXPECT_THAT(ImpliedBy("python3 -m pytest tests && ./run --timeout=60"), ElementsAre("pytest"));
}

TEST(ImpliedModules, OptionsThatOnlyBeginLikeAPluginsSayNothing) {
  EXPECT_THAT(ImpliedBy("python3 -m pytest --distributed --timeouts=3 --coverage-of=x tests"), ElementsAre("pytest"));
  EXPECT_THAT(ImpliedBy("python3 -m pytest --cov-report=xml --dist=load"),
              ElementsAre("pytest", "pytest_cov", "xdist"));
}

TEST(ProjectDefines, WhatAConftestNames) {
  const yardmaster::testing::TempDir dir;
  dir.Write("tests/helper.py", "parser.addoption('--timeout')");
  EXPECT_FALSE(ProjectDefines(dir.path(), "--timeout"));
  dir.Write("tests/unit/conftest.py", "def pytest_addoption(parser):\n    parser.addoption('--timeout', type=int)\n");
  EXPECT_TRUE(ProjectDefines(dir.path(), "--timeout"));
  EXPECT_FALSE(ProjectDefines(dir.path(), "--time"));
}

TEST(ImpliedModules, ALineThatDecidesByItselfSaysNothing) {
  EXPECT_THAT(ImpliedBy("if python3 -c 'import pytest_timeout'; then python3 -m pytest --timeout=60; fi"), IsEmpty());
  EXPECT_THAT(ImpliedBy("python3 -m pytest --timeout=60 || python3 -m pytest"), IsEmpty());
  EXPECT_THAT(ImpliedBy("pip install -r requirements.txt && python3 -m pytest --timeout=60"), IsEmpty());
}

TEST(BuildsWithoutIsolation, ByItsOptionOnly) {
  EXPECT_TRUE(BuildsWithoutIsolation(ShellLine("${PYTHON} -m pip install --no-build-isolation .")));
  EXPECT_TRUE(BuildsWithoutIsolation(ShellLine("python3 -m build --wheel --no-isolation")));
  EXPECT_FALSE(BuildsWithoutIsolation(ShellLine("python3 -m pip install .")));
  EXPECT_FALSE(BuildsWithoutIsolation(ShellLine("cmake --no-build-isolation")));
}

TEST(BuildBackend, IsWhatTheProjectNames) {
  const yardmaster::testing::TempDir dir;
  EXPECT_THAT(BuildBackend(dir.path()), IsEmpty());
  dir.Write("setup.py", "");
  EXPECT_THAT(ModulesOf(BuildBackend(dir.path())), ElementsAre("setuptools", "wheel"));
  dir.Write(
      "pyproject.toml",
      "[project]\nname = \"x\"\nrequires = [\"never\"]\n[build-system]\nbuild-backend = \"x\"\nrequires = [\n"
      "  'setuptools_scm[toml]>=6',\n  \"Wheel\", \"pybind11; python_version < '3'\", \"unheard-of\",\n]\n[tool.x]\n");
  EXPECT_THAT(ModulesOf(BuildBackend(dir.path())), ElementsAre("setuptools_scm", "wheel"));
}

}  // namespace
}  // namespace yardmaster::worker
