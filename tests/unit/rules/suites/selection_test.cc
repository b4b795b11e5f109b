#include "rules/suites/selection.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

SuiteModel LayeredSuite() {
  SuiteModel suite;
  suite.matrix.axes = {{"dtype", {"float32", "bfloat16"}}};
  for (const auto& [id, after] : std::vector<std::pair<std::string, std::vector<std::string>>>{
           {"module", {"correctness"}}, {"import", {}}, {"correctness", {"import"}}, {"benchmark", {}}}) {
    SuiteLayer layer;
    layer.id = id;
    layer.after = after;
    suite.layers.push_back(layer);
  }
  return suite;
}

std::vector<std::string> Ids(const SuiteModel& suite) {
  std::vector<std::string> ids;
  ids.reserve(suite.layers.size());
  for (const SuiteLayer& layer : suite.layers) ids.push_back(layer.id);
  return ids;
}

TEST(SelectPart, WithoutASelectionAllLayersAreThereBehindThoseTheyComeAfter) {
  const auto part = SelectPart(LayeredSuite(), {}, {});
  ASSERT_TRUE(part.ok());
  EXPECT_THAT(Ids(*part), ElementsAre("import", "correctness", "module", "benchmark"));
}

TEST(SelectPart, ALayerBringsWhatItComesAfter) {
  const auto part = SelectPart(LayeredSuite(), {}, {"correctness"});
  ASSERT_TRUE(part.ok());
  EXPECT_THAT(Ids(*part), ElementsAre("import", "correctness"));
}

TEST(SelectPart, ValuesOfAnAxisKeepTheManifestsOrder) {
  const auto part = SelectPart(LayeredSuite(), {{"dtype", {"bfloat16", "float32"}}}, {});
  ASSERT_TRUE(part.ok());
  EXPECT_THAT(part->matrix.axes.at(0).second, ElementsAre("float32", "bfloat16"));
  EXPECT_THAT(SelectPart(LayeredSuite(), {{"dtype", {"bfloat16"}}}, {})->matrix.axes.at(0).second,
              ElementsAre("bfloat16"));
}

TEST(SelectPart, UnknownNamesAreErrorsThatSayWhatThereIs) {
  const auto axis = SelectPart(LayeredSuite(), {{"dtpye", {"float32"}}}, {});
  EXPECT_THAT(std::string(axis.status().message()), HasSubstr("there are dtype"));
  const auto value = SelectPart(LayeredSuite(), {{"dtype", {"int8"}}}, {});
  EXPECT_THAT(std::string(value.status().message()), HasSubstr("float32, bfloat16"));
  const auto layer = SelectPart(LayeredSuite(), {}, {"modul"});
  EXPECT_THAT(std::string(layer.status().message()), HasSubstr("module"));
}

TEST(SelectPart, OfLayersThatRunElsewhereTheBuildsAreLeftAndComeFirst) {
  SuiteModel suite;
  const auto add = [&](const std::string& id, LayerKind kind, std::vector<std::string> after) {
    SuiteLayer layer;
    layer.id = id;
    layer.kind = kind;
    layer.after = std::move(after);
    suite.layers.push_back(layer);
  };
  add("package", LayerKind::kBuild, {});
  add("import", LayerKind::kImport, {"package"});
  add("kernels", LayerKind::kBuild, {"import"});
  add("smoke", LayerKind::kSmoke, {"import"});
  add("correctness", LayerKind::kCorrectness, {"smoke", "kernels"});
  add("other", LayerKind::kBuild, {});
  const auto part = SelectPart(suite, {}, {"correctness"}, LayersBefore::kBuilds);
  ASSERT_TRUE(part.ok());
  EXPECT_THAT(Ids(*part), ElementsAre("package", "kernels", "correctness"));
  EXPECT_THAT(part->layers[1].after, ElementsAre("package"));
  EXPECT_THAT(part->layers[2].after, ElementsAre("package", "kernels"));
  // One that was chosen itself is a gate as ever.
  const auto both = SelectPart(suite, {}, {"correctness", "smoke"}, LayersBefore::kBuilds);
  ASSERT_TRUE(both.ok());
  EXPECT_THAT(Ids(*both), ElementsAre("package", "kernels", "smoke", "correctness"));
  EXPECT_THAT(both->layers[3].after, ElementsAre("smoke", "kernels"));
}

TEST(ParseSelection, AWordWithoutAnAxisIsOneMoreValueOfTheOneBefore) {
  const auto select = ParseSelection({"dtype=float32,bfloat16,backend=nccl", "dtype=int8"});
  ASSERT_TRUE(select.ok());
  EXPECT_THAT(select->at("dtype"), ElementsAre("float32", "bfloat16", "int8"));
  EXPECT_THAT(select->at("backend"), ElementsAre("nccl"));
  for (const char* wrong : {"dtype", "=x", "dtype=", "a=b,,c", ""}) {
    EXPECT_THAT(std::string(ParseSelection({wrong}).status().message()), HasSubstr("AXIS=VALUE")) << wrong;
  }
}

TEST(OverrideDevices, ANumberIsAlsoThatOfTheRanksThatAreAsMany) {
  SuiteModel suite;
  suite.devices.kind = DeviceKind::kNpu;
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
  devices.kind = DeviceKind::kCpu;
  OverrideDevices(devices, suite);
  EXPECT_EQ(suite.devices.kind, DeviceKind::kCpu);
  EXPECT_TRUE(suite.devices.models.empty());
}

TEST(OverrideDevices, AnAxisThatSaysHowManyHasOnlyThatValue) {
  SuiteModel suite;
  suite.devices.count = "${matrix.world_size}";
  suite.matrix.axes = {{"dtype", {"float32"}}, {"world_size", {"2", "8"}}};
  DeviceOverride devices;
  devices.count = 4;
  OverrideDevices(devices, suite);
  EXPECT_EQ(suite.devices.count, "${matrix.world_size}");
  EXPECT_THAT(suite.matrix.axes[1].second, ElementsAre("4"));
  EXPECT_THAT(suite.matrix.axes[0].second, ElementsAre("float32"));
}

}  // namespace
}  // namespace yardmaster::rules
