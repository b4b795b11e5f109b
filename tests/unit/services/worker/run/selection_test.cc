#include "services/worker/run/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

rules::SuiteModel Suite() {
  rules::SuiteModel suite;
  suite.matrix.axes = {{"dtype", {"float32", "bfloat16"}}};
  for (const auto& [id, after] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"module", {"correctness"}}, {"import", {}}, {"correctness", {"import"}}, {"benchmark", {}}}) {
    rules::SuiteLayer layer;
    layer.id = id;
    layer.after = after;
    suite.layers.push_back(layer);
  }
  return suite;
}

std::vector<std::string> Ids(const rules::SuiteModel& suite) {
  std::vector<std::string> ids;
  ids.reserve(suite.layers.size());
  for (const rules::SuiteLayer& layer : suite.layers) ids.push_back(layer.id);
  return ids;
}

TEST(SelectPart, WithoutASelectionAllLayersAreThereBehindThoseTheyComeAfter) {
  const auto part = SelectPart(Suite(), {}, {});
  ASSERT_TRUE(part.ok());
  EXPECT_THAT(Ids(*part), ElementsAre("import", "correctness", "module", "benchmark"));
}

TEST(SelectPart, ALayerBringsWhatItComesAfter) {
  const auto part = SelectPart(Suite(), {}, {"correctness"});
  ASSERT_TRUE(part.ok());
  EXPECT_THAT(Ids(*part), ElementsAre("import", "correctness"));
}

TEST(SelectPart, ValuesOfAnAxisKeepTheManifestsOrder) {
  const auto part = SelectPart(Suite(), {{"dtype", {"bfloat16", "float32"}}}, {});
  ASSERT_TRUE(part.ok());
  EXPECT_THAT(part->matrix.axes.at(0).second, ElementsAre("float32", "bfloat16"));
  EXPECT_THAT(SelectPart(Suite(), {{"dtype", {"bfloat16"}}}, {})->matrix.axes.at(0).second, ElementsAre("bfloat16"));
}

TEST(SelectPart, UnknownNamesAreErrorsThatSayWhatThereIs) {
  const auto axis = SelectPart(Suite(), {{"dtpye", {"float32"}}}, {});
  EXPECT_THAT(std::string(axis.status().message()), HasSubstr("there are dtype"));
  const auto value = SelectPart(Suite(), {{"dtype", {"int8"}}}, {});
  EXPECT_THAT(std::string(value.status().message()), HasSubstr("float32, bfloat16"));
  const auto layer = SelectPart(Suite(), {}, {"modul"});
  EXPECT_THAT(std::string(layer.status().message()), HasSubstr("module"));
}

TEST(OverrideDevices, ANumberIsAlsoThatOfTheRanksThatAreAsMany) {
  rules::SuiteModel suite;
  suite.devices.kind = rules::DeviceKind::kNpu;
  suite.devices.count = "8";
  suite.devices.models = {"*910B*"};
  suite.layers.resize(1);
  suite.layers[0].steps.resize(3);
  suite.layers[0].steps[0].launcher = {"torchrun", "8"};
  suite.layers[0].steps[1].launcher = {"torchrun", "2"};
  suite.layers[0].steps[2].launcher = {"none", "8"};
  DeviceOverride devices;
  devices.count = 4;
  OverrideDevices(devices, suite);
  EXPECT_EQ(suite.devices.count, "4");
  EXPECT_THAT(suite.devices.models, ElementsAre("*910B*"));
  EXPECT_EQ(suite.layers[0].steps[0].launcher.world_size, "4");
  EXPECT_EQ(suite.layers[0].steps[1].launcher.world_size, "2");
  EXPECT_EQ(suite.layers[0].steps[2].launcher.world_size, "8");
  // Another kind: what is said of models is about the other.
  devices.kind = rules::DeviceKind::kCpu;
  OverrideDevices(devices, suite);
  EXPECT_EQ(suite.devices.kind, rules::DeviceKind::kCpu);
  EXPECT_TRUE(suite.devices.models.empty());
}

TEST(OverrideDevices, AnAxisThatSaysHowManyHasOnlyThatValue) {
  rules::SuiteModel suite;
  suite.devices.count = "${matrix.world_size}";
  suite.matrix.axes = {{"dtype", {"float32"}}, {"world_size", {"2", "8"}}};
  DeviceOverride devices;
  devices.count = 4;
  OverrideDevices(devices, suite);
  EXPECT_EQ(suite.devices.count, "${matrix.world_size}");
  EXPECT_THAT(suite.matrix.axes[1].second, ElementsAre("4"));
  EXPECT_THAT(suite.matrix.axes[0].second, ElementsAre("float32"));
}

std::string VariableOf(const rules::SuiteStep& step) {
  return step.variables.empty() ? "" : step.variables.back().first + "=" + step.variables.back().second;
}

TEST(ChooseTests, PytestAndGoogleTestAreToldWhichAndOthersRunAll) {
  rules::SuiteStep step;
  step.tests_at_least = 50;
  step.reports.push_back({.format = rules::ReportFormat::kJunit});
  ChooseTests(
      {"tests/test_a.py::test_add[float32-1]", "tests/test_a.py::TestB::test_sub", "tests/test_a.py::test_add[x]"},
      step);
  EXPECT_EQ(VariableOf(step), "PYTEST_ADDOPTS=-k 'test_add or test_sub'");
  EXPECT_EQ(step.tests_at_least, 1u);

  rules::SuiteStep google;
  google.reports.push_back({.format = rules::ReportFormat::kGoogleTest});
  ChooseTests({"Sum.IsRight", "All/Sum.OfTypes/0"}, google);
  EXPECT_EQ(VariableOf(google), "GTEST_FILTER=Sum.IsRight:All/Sum.OfTypes/0");

  for (const std::vector<std::string>& tests : std::vector<std::vector<std::string>>{
           {}, {"tests/test_a.py::test_add; rm -rf /"}, {"test_a.py::test 'x'"}, {"a::" + std::string(100'000, 'x')}}) {
    rules::SuiteStep whole;
    whole.reports.push_back({.format = rules::ReportFormat::kJunit});
    ChooseTests(tests, whole);
    EXPECT_EQ(VariableOf(whole), "");
  }
  rules::SuiteStep ctest;
  ctest.reports.push_back({.format = rules::ReportFormat::kCtest});
  ChooseTests({"one"}, ctest);
  EXPECT_EQ(VariableOf(ctest), "");
}

}  // namespace
}  // namespace yardmaster::worker
