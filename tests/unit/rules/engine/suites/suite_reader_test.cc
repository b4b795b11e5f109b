#include "rules/engine/suites/suite_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "rules/engine/suites/load_suites.h"
#include "tests/unit/rules/engine/suites/suite_texts.h"

namespace yardmaster::rules {
namespace {

using std::chrono::seconds;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

SuiteModel Read(const std::string& text, std::string_view pack = "p") {
  Problems problems;
  const auto suite = LoadSuiteManifest("f.json", text, pack, problems);
  EXPECT_NE(suite, nullptr) << (problems.empty() ? "" : problems[0].ToString());
  return suite == nullptr ? SuiteModel() : *suite;
}

TEST(ReadSuite, TakesEverythingThatIsWritten) {
  const SuiteModel suite = Read(ManifestOf(ValidSuite()));
  EXPECT_EQ(suite.pack, "p");
  EXPECT_EQ(suite.id, "tiny");
  EXPECT_EQ(suite.source.own, "tiny");
  EXPECT_THAT(suite.environment.pass, ElementsAre("HOME_OF_TOOLS"));
  EXPECT_EQ(suite.limits.build, seconds(60));
  EXPECT_EQ(suite.limits.step, seconds(30));
  EXPECT_EQ(suite.limits.silence, seconds(20));
  ASSERT_THAT(suite.requirements, SizeIs(2));
  EXPECT_EQ(suite.requirements[0].kind, Requirement::Kind::kTool);
  EXPECT_EQ(suite.requirements[0].version, ">=3.20");
  EXPECT_EQ(suite.requirements[1].kind, Requirement::Kind::kModule);
  EXPECT_EQ(suite.requirements[1].name, "torch");
  EXPECT_EQ(suite.install.by, "apt install everything");
  EXPECT_THAT(suite.install.brings, ElementsAre("torch"));
  ASSERT_THAT(suite.build, SizeIs(1));
  EXPECT_EQ(suite.build[0].command.words.size(), 5u);
  ASSERT_THAT(suite.layers, SizeIs(2));
  EXPECT_TRUE(suite.layers[0].required);
  EXPECT_EQ(suite.layers[0].kind, LayerKind::kImport);
  EXPECT_THAT(suite.layers[1].after, ElementsAre("import"));
  const SuiteStep& step = suite.layers[1].steps.at(0);
  EXPECT_EQ(step.launcher.kind, kPlainLauncher);
  EXPECT_EQ(step.launcher.world_size, "${matrix.world_size}");
  EXPECT_EQ(step.reports.at(0).format, ReportFormat::kJunit);
  ASSERT_TRUE(step.comparison);
  EXPECT_TRUE(step.comparison->required);
  EXPECT_EQ(step.comparison->tolerances.at("float32").rtol, 1e-5);
}

TEST(ReadSuite, AxesAndVariablesKeepTheirOrderAndNumbersBecomeTexts) {
  const SuiteModel suite = Read(ManifestOf(ValidSuite()));
  EXPECT_THAT(suite.environment.variables, ElementsAre(Pair("Z", "${SOURCE}"), Pair("A", "1")));
  EXPECT_THAT(suite.matrix.axes, ElementsAre(Pair("world_size", ElementsAre("2", "8")),
                                             Pair("dtype", ElementsAre("float32", "bfloat16"))));
  EXPECT_THAT(suite.matrix.exclude, ElementsAre(ElementsAre(Pair("dtype", "bfloat16"), Pair("world_size", "8"))));
}

TEST(ReadSuite, WhatIsNotWrittenHasItsDefault) {
  const SuiteModel suite =
      Read(R"({"suites": [{"id": "s", "title": "S", "source": {"repository": "github:o/r"}, "layers": [
      {"id": "l", "kind": "smoke", "steps": [{"id": "a", "shell": "true"}]}]}]})");
  EXPECT_EQ(suite.limits, LimitsModel());
  EXPECT_EQ(suite.devices, DeviceRequest());
  EXPECT_EQ(suite.environment, EnvironmentModel());
  EXPECT_FALSE(suite.layers[0].required);
  const SuiteStep& step = suite.layers[0].steps[0];
  EXPECT_EQ(step.command.shell, "true");
  EXPECT_EQ(step.shards, 1u);
  EXPECT_EQ(step.tests_at_least, 0u);
  EXPECT_FALSE(step.timeout);
  EXPECT_EQ(step.launcher, LauncherModel());
  EXPECT_THAT(suite.recipes, IsEmpty());
}

TEST(ReadSuite, AStepWithReportsRunsAtLeastOneTestUnlessItSaysOtherwise) {
  EXPECT_EQ(Read(ManifestOf(ValidSuite())).layers[1].steps[0].tests_at_least, 1u);
  nlohmann::ordered_json suite = ValidSuite();
  suite["layers"][1]["steps"][0]["tests_at_least"] = 0;
  EXPECT_EQ(Read(ManifestOf(suite)).layers[1].steps[0].tests_at_least, 0u);
}

TEST(ReadSuite, TheDigestIsThatOfTheContentNotOfItsLayout) {
  const std::string digest = Read(ManifestOf(ValidSuite())).digest;
  EXPECT_THAT(digest, SizeIs(64));
  EXPECT_EQ(Read(nlohmann::ordered_json({{"suites", {ValidSuite()}}}).dump(4)).digest, digest);
  EXPECT_EQ(Read(ManifestOf(ValidSuite()), "other").digest, digest);
  nlohmann::ordered_json changed = ValidSuite();
  changed["limits"]["step_s"] = 31;
  EXPECT_NE(Read(ManifestOf(changed)).digest, digest);
}

TEST(ReadSignature, TakesEverything) {
  const FailureSignature signature = ReadSignature(nlohmann::json::parse(
      R"({"id": "xid", "title": "T", "class": "infrastructure", "patterns": ["a", "b"], "priority": 7, "device_fatal": true,
          "time_limit": true, "reason_only": true, "phase": "test", "advice": "A", "source": "S"})"));
  FailureSignature expected;
  expected.id = "xid";
  expected.title = "T";
  expected.cls = FailureClass::kInfrastructure;
  expected.patterns = {"a", "b"};
  expected.priority = 7;
  expected.device_fatal = true;
  expected.time_limit = true;
  expected.reason_only = true;
  expected.phase = "test";
  expected.advice = "A";
  expected.source = "S";
  EXPECT_EQ(signature, expected);
}

TEST(ReadRecipe, OnlyOneWithApplyIsApplicable) {
  Problems problems;
  const auto document = JsonDocument::Parse("f", R"({"recipes": [
      {"id": "a", "title": "A", "symptoms": ["s"], "cause": "C", "steps": ["do"]},
      {"id": "b", "title": "B", "symptoms": ["s"], "cause": "C", "steps": ["do"],
       "apply": {"variables": {"X": "1"}, "unset": ["Y"], "scripts": ["/s.sh"], "run": ["rm -rf out", ["touch", "x"]]}}]})",
                                            JsonLimits(), problems);
  ASSERT_TRUE(document);
  EXPECT_FALSE(ReadRecipe(*document, "/recipes/0").applicable);
  const RecoveryRecipe recipe = ReadRecipe(*document, "/recipes/1");
  EXPECT_TRUE(recipe.applicable);
  EXPECT_THAT(recipe.variables, ElementsAre(Pair("X", "1")));
  EXPECT_THAT(recipe.unset, ElementsAre("Y"));
  EXPECT_THAT(recipe.scripts, ElementsAre("/s.sh"));
  ASSERT_THAT(recipe.commands, SizeIs(2));
  EXPECT_EQ(recipe.commands[0].shell, "rm -rf out");
  EXPECT_THAT(recipe.commands[1].words, ElementsAre("touch", "x"));
}

}  // namespace
}  // namespace yardmaster::rules
