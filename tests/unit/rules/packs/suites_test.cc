// The suites that ship: all of them are valid, and they say what would otherwise make a run pass that has shown
// nothing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/suites/load_suites.h"
#include "rules/suites/cells.h"
#include "rules/suites/versions.h"
#include "tests/support/process.h"
#include "tests/support/shipped_packs.h"

namespace yardmaster::rules {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::IsSupersetOf;
using ::testing::Not;

std::shared_ptr<const SuiteSet> Set(std::string_view pack) {
  Problems problems;
  std::shared_ptr<const SuiteSet> set = LoadSuites(yardmaster::testing::ShippedPacks(), pack, problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  return set == nullptr ? std::make_shared<SuiteSet>() : set;
}

SuiteModel Suite(std::string_view pack, std::string_view id) {
  const auto set = Set(pack);
  for (const SuiteModel& suite : set->suites) {
    if (suite.id == id) return suite;
  }
  ADD_FAILURE() << "no suite " << pack << "/" << id;
  return {};
}

SuiteLayer Layer(const SuiteModel& suite, std::string_view id) {
  for (const SuiteLayer& layer : suite.layers) {
    if (layer.id == id) return layer;
  }
  ADD_FAILURE() << "no layer " << id << " in " << suite.id;
  return {};
}

std::vector<SuiteModel> AllSuites() {
  std::vector<SuiteModel> all;
  for (const std::string& pack : PackNames(yardmaster::testing::ShippedPacks())) {
    const auto set = Set(pack);
    for (const SuiteModel& suite : set->suites) {
      if (suite.pack == pack) all.push_back(suite);
    }
  }
  return all;
}

std::vector<SuiteStep> StepsOf(const SuiteModel& suite) {
  std::vector<SuiteStep> steps = suite.build;
  for (const SuiteLayer& layer : suite.layers) steps.insert(steps.end(), layer.steps.begin(), layer.steps.end());
  return steps;
}

std::string TextOf(const CommandLine& command) {
  std::string text = command.shell;
  for (const std::string& word : command.words) text += word + " ";
  return text;
}

bool Asks(const std::vector<Requirement>& requirements, Requirement::Kind kind, std::string_view name) {
  return std::any_of(requirements.begin(), requirements.end(), [&](const Requirement& requirement) {
    return requirement.kind == kind && requirement.name == name;
  });
}

TEST(ShippedSuites, AreValidAndThere) {
  std::vector<std::string> names;
  for (const SuiteModel& suite : AllSuites()) names.push_back(suite.pack + "/" + suite.id);
  EXPECT_THAT(names, IsSupersetOf({"hyper-parallel/ut", "hyper-parallel/torch-st", "hyper-parallel/mindspore-st",
                                   "pypto/ut-py", "pypto/ut-cpp", "pypto/smoke", "pypto/st", "pypto/custom-op",
                                   "cache-dit/operators", "pytorch/distributed"}));
}

TEST(ShippedSuites, EveryStepThatTestsHasAReport) {
  for (const SuiteModel& suite : AllSuites()) {
    for (const SuiteLayer& layer : suite.layers) {
      const bool tests = layer.kind == LayerKind::kCorrectness || layer.kind == LayerKind::kModule ||
                         layer.kind == LayerKind::kRoundTrip;
      for (const SuiteStep& step : layer.steps) {
        if (tests) {
          EXPECT_THAT(step.reports, Not(IsEmpty())) << suite.id << " " << step.id;
        }
      }
    }
  }
}

TEST(ShippedSuites, BeginWithALayerWithoutWhichNothingCounts) {
  for (const SuiteModel& suite : AllSuites()) {
    const bool any =
        std::any_of(suite.layers.begin(), suite.layers.end(), [](const SuiteLayer& layer) { return layer.required; });
    EXPECT_TRUE(any) << suite.pack << "/" << suite.id;
  }
}

TEST(ShippedSuites, LinesForTheShellAreReadByBash) {
  size_t lines = 0;
  const auto check = [&](const std::string& shell, const SuiteModel& suite, const SuiteStep& step) {
    if (shell.empty()) return;
    PlaceholderValues values;
    for (const std::string& name : PlaceholderNames(shell)) values[name] = "value";
    std::string error;
    const auto filled = Substitute(shell, values, error);
    ASSERT_TRUE(filled) << error;
    yardmaster::testing::Process bash({"bash", "-n", "-c", *filled});
    EXPECT_EQ(bash.Wait(std::chrono::seconds(60)), 0) << suite.id << " " << step.id << ": " << bash.Stderr();
    ++lines;
  };
  for (const SuiteModel& suite : AllSuites()) {
    for (const SuiteStep& step : StepsOf(suite)) check(step.command.shell, suite, step);
  }
  EXPECT_GT(lines, 10u);
}

TEST(ShippedSuites, NoOptionThatOneReportOverwritesAnotherWith) {
  for (const SuiteModel& suite : AllSuites()) {
    for (const SuiteStep& step : StepsOf(suite)) {
      for (const auto& [name, value] : step.variables) EXPECT_NE(name, "PYTEST_ADDOPTS") << suite.id << " " << step.id;
      EXPECT_THAT(TextOf(step.command), Not(HasSubstr("--strict-markers"))) << suite.id << " " << step.id;
    }
    for (const auto& [name, value] : suite.environment.variables) EXPECT_NE(name, "PYTEST_ADDOPTS") << suite.id;
  }
}

TEST(HyperParallelSuites, SystemTestsTakeAWholeHostOfTheRightDevices) {
  for (const char* id : {"torch-st", "mindspore-st"}) {
    const SuiteModel suite = Suite("hyper-parallel", id);
    EXPECT_EQ(suite.devices.kind, DeviceKind::kNpu);
    EXPECT_EQ(suite.devices.count, "8");
    EXPECT_THAT(suite.devices.models, Contains("*910B*"));
    EXPECT_THAT(suite.environment.unset, Contains("PYTEST_ADDOPTS"));
    EXPECT_TRUE(Layer(suite, "all-cards").required) << id;
  }
  EXPECT_EQ(Suite("hyper-parallel", "ut").devices.kind, DeviceKind::kCpu);
}

TEST(PyptoSuites, DoNotCallWhatIsGoneOrWouldSimulate) {
  const auto set = Set("pypto");
  for (const SuiteModel& suite : set->suites) {
    for (const SuiteStep& step : StepsOf(suite)) {
      EXPECT_THAT(TextOf(step.command), Not(HasSubstr("--no-serial-fallback"))) << suite.id;
    }
    if (suite.devices.kind == DeviceKind::kNpu) {
      EXPECT_THAT(TextOf(suite.layers.at(0).steps.at(0).command), HasSubstr("test -n \"$ASCEND_HOME_PATH\""))
          << suite.id;
      EXPECT_TRUE(suite.layers.at(0).required) << suite.id;
    }
  }
}

TEST(PyptoSuites, AnOperatorPassesByItsMarkerAndByItsTensors) {
  const SuiteStep step = Layer(Suite("pypto", "custom-op"), "precision").steps.at(0);
  ASSERT_TRUE(step.comparison);
  EXPECT_TRUE(step.comparison->required);
  EXPECT_EQ(step.reports.at(0).pass, "\\[PRECISION_PASS\\]");
  EXPECT_EQ(step.reports.at(0).fail, "\\[PRECISION_FAIL\\]");
  EXPECT_EQ(step.comparison->tolerances.at("bfloat16").rtol, 0.0078125);
}

TEST(PyptoSuites, WhatMpirunsExitCodeHidesIsReadFromGoogleTest) {
  const SuiteStep step = Layer(Suite("pypto", "st"), "distributed").steps.at(0);
  EXPECT_EQ(step.reports.at(0).format, ReportFormat::kGoogleTest);
  EXPECT_EQ(step.tests_at_least, 1u);
}

TEST(PyptoRecipes, SomeCanBeAppliedByARun) {
  std::vector<std::string> applicable;
  const auto set = Set("pypto");
  for (const RecoveryRecipe& recipe : set->recipes) {
    if (recipe.applicable) applicable.push_back(recipe.id);
  }
  EXPECT_THAT(applicable, ::testing::UnorderedElementsAre("pto-headers-missing", "cann-libraries-missing",
                                                          "npu-smi-libraries-missing", "pypto-shadowed"));
}

TEST(CacheDitSuites, HopperIsLeftOutOfTheSvdqLayersOnly) {
  const SuiteModel suite = Suite("cache-dit", "operators");
  size_t svdq = 0;
  for (const SuiteLayer& layer : suite.layers) {
    if (!layer.id.starts_with("svdq-")) continue;
    ++svdq;
    ASSERT_THAT(layer.requirements, Not(IsEmpty())) << layer.id;
    const DeviceRequest& device = layer.requirements[0].device;
    const auto fits = [&](std::string_view capability) {
      return std::all_of(device.capability.begin(), device.capability.end(),
                         [&](const std::string& condition) { return VersionMeets(capability, condition); });
    };
    EXPECT_TRUE(fits("8.0") && fits("8.9") && fits("12.0")) << layer.id;
    EXPECT_FALSE(fits("9.0") || fits("7.5")) << layer.id;
  }
  EXPECT_EQ(svdq, 4u);
  EXPECT_THAT(Layer(suite, "correctness").requirements.at(0).device.capability, IsEmpty());
}

TEST(CacheDitSuites, TheImportIsProbedWithoutAnythingOptional) {
  const SuiteModel suite = Suite("cache-dit", "operators");
  EXPECT_TRUE(Layer(suite, "import").required);
  EXPECT_THAT(suite.build.back().command.shell, HasSubstr("\"triton\", \"cutlass\""));
  for (const SuiteLayer& layer : suite.layers) {
    for (const SuiteStep& step : layer.steps) {
      // A step that was skipped as a whole has run fewer tests than it must.
      if (!step.reports.empty() && step.reports[0].format == ReportFormat::kJunit) {
        EXPECT_GE(step.tests_at_least, 1u) << step.id;
      }
    }
  }
}

TEST(PytorchSuites, CodesOfSkippedProcessesAreNoFailures) {
  const SuiteModel suite = Suite("pytorch", "distributed");
  const SuiteStep step = Layer(suite, "whole").steps.at(0);
  for (const int code : {72, 73, 74, 75, 76, 77, 78, 79, 80, 85, 87}) EXPECT_THAT(step.skip_codes, Contains(code));
  EXPECT_THAT(step.skip_codes, Not(Contains(10)));
  EXPECT_EQ(step.shards, 4u);
  // The sources of torch would hide the installed one.
  for (const SuiteLayer& layer : suite.layers) {
    for (const SuiteStep& one : layer.steps) EXPECT_EQ(one.directory, "test") << one.id;
  }
  EXPECT_TRUE(Asks(suite.requirements, Requirement::Kind::kModule, "torch"));
}

TEST(PytorchSuites, GpusAreAskedForWhereNcclIs) {
  const SuiteModel suite = Suite("pytorch", "distributed");
  EXPECT_EQ(Layer(suite, "nccl").requirements.at(0).device.kind, DeviceKind::kGpu);
  const SuiteStep spawn = Layer(suite, "spawned").steps.at(0);
  EXPECT_EQ(ExpandCells(suite, spawn).size(), 2u);
  EXPECT_EQ(spawn.requirements.at(0).when, (Cell{{"backend", "nccl"}}));
}

TEST(ShippedSignatures, AreThoseOfCommonAndOfThePack) {
  for (const std::string& pack : PackNames(yardmaster::testing::ShippedPacks())) {
    const auto set = Set(pack);
    int last = 0;
    for (const FailureSignature& signature : set->signatures) {
      EXPECT_GE(signature.priority, last) << pack << " " << signature.id;
      last = signature.priority;
    }
  }
}

}  // namespace
}  // namespace yardmaster::rules
