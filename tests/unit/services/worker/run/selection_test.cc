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

}  // namespace
}  // namespace yardmaster::worker
