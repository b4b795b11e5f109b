#include "rules/suites/cells.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

SuiteModel Suite() {
  SuiteModel suite;
  suite.matrix.axes = {{"backend", {"nccl", "gloo"}}, {"dtype", {"float32", "bfloat16"}}, {"world_size", {"2", "8"}}};
  return suite;
}

SuiteStep Step(std::vector<std::string> axes) {
  SuiteStep step;
  step.axes = std::move(axes);
  return step;
}

std::vector<std::string> Texts(const SuiteModel& suite, const SuiteStep& step) {
  std::vector<std::string> texts;
  for (const Cell& cell : ExpandCells(suite, step)) texts.push_back(CellText(cell));
  return texts;
}

TEST(ExpandCells, AStepWithoutAxesHasOneEmptyCell) {
  EXPECT_THAT(ExpandCells(Suite(), Step({})), ElementsAre(IsEmpty()));
  EXPECT_EQ(CellText({}), "");
}

TEST(CellName, HasTheCellAndOfSeveralShardsWhich) {
  SuiteStep step = Step({"dtype"});
  step.id = "sum";
  EXPECT_EQ(CellName(step, {}, 0), "sum");
  EXPECT_EQ(CellName(step, {{"dtype", "float32"}}, 0), "sum[dtype=float32]");
  step.shards = 4;
  EXPECT_EQ(CellName(step, {}, 1), "sum[shard=2/4]");
  EXPECT_EQ(CellName(step, {{"dtype", "float32"}}, 3), "sum[dtype=float32,shard=4/4]");
}

TEST(ExpandCells, TheLastAxisChangesFirst) {
  EXPECT_THAT(Texts(Suite(), Step({"dtype", "backend"})),
              ElementsAre("backend=nccl,dtype=float32", "backend=gloo,dtype=float32", "backend=nccl,dtype=bfloat16",
                          "backend=gloo,dtype=bfloat16"));
}

TEST(ExpandCells, ExcludedCombinationsAreLeftOut) {
  SuiteModel suite = Suite();
  suite.matrix.exclude = {{{"backend", "gloo"}, {"dtype", "bfloat16"}}, {{"world_size", "8"}}};
  EXPECT_THAT(Texts(suite, Step({"backend", "dtype"})),
              ElementsAre("backend=nccl,dtype=float32", "backend=nccl,dtype=bfloat16", "backend=gloo,dtype=float32"));
  // An exclusion over axes that a step does not have does not concern it.
  EXPECT_THAT(Texts(suite, Step({"backend"})), ElementsAre("backend=nccl", "backend=gloo"));
  EXPECT_THAT(Texts(suite, Step({"world_size"})), ElementsAre("world_size=2"));
}

TEST(ExpandCells, AnUnknownAxisHasNoCells) { EXPECT_THAT(ExpandCells(Suite(), Step({"color"})), IsEmpty()); }

TEST(ExpandCells, StopsAtTheLimit) {
  SuiteModel suite;
  std::vector<std::string> many;
  many.reserve(40);
  for (int i = 0; i < 40; ++i) many.push_back(std::to_string(i));
  suite.matrix.axes = {{"a", many}, {"b", many}, {"c", many}, {"d", many}, {"e", many}};
  EXPECT_THAT(ExpandCells(suite, Step({"a"})), SizeIs(40));
  EXPECT_FALSE(HasTooManyCells(suite, Step({"a"})));
  EXPECT_THAT(ExpandCells(suite, Step({"a", "b"})), SizeIs(kMaxCells));
  EXPECT_TRUE(HasTooManyCells(suite, Step({"a", "b"})));
  EXPECT_EQ(Combinations(suite, Step({"a", "b"})), 1600u);
  EXPECT_EQ(Combinations(suite, Step({"a", "b", "c", "d", "e"})), kMaxCombinations + 1);
  // Also where all are excluded, which would have to be looked at one by one.
  for (const std::string& value : many) suite.matrix.exclude.push_back({{"a", value}});
  EXPECT_THAT(ExpandCells(suite, Step({"a", "b", "c", "d", "e"})), IsEmpty());
  EXPECT_TRUE(HasTooManyCells(suite, Step({"a", "b", "c", "d", "e"})));
}

TEST(CellHas, AsksForAllThatIsWanted) {
  const Cell cell = {{"backend", "nccl"}, {"dtype", "float32"}};
  EXPECT_TRUE(CellHas(cell, {}));
  EXPECT_TRUE(CellHas(cell, {{"backend", "nccl"}}));
  EXPECT_FALSE(CellHas(cell, {{"backend", "gloo"}}));
  EXPECT_FALSE(CellHas(cell, {{"backend", "nccl"}, {"world_size", "8"}}));
}

TEST(ResolveCount, GivesTheNumberOfTheCell) {
  std::string error;
  EXPECT_EQ(ResolveCount("", {}, error), 1u);
  EXPECT_EQ(ResolveCount("8", {}, error), 8u);
  EXPECT_EQ(ResolveCount("${matrix.world_size}", {{"world_size", "4"}}, error), 4u);
  EXPECT_EQ(error, "");
}

TEST(ResolveCount, RefusesWhatIsNoNumberOfRanks) {
  for (const char* text : {"0", "-1", "eight", "8 ", "1.5", "4097", "99999999999999999999999"}) {
    std::string error;
    EXPECT_FALSE(ResolveCount(text, {}, error)) << text;
    EXPECT_THAT(error, HasSubstr("expected a number from 1 to 4096")) << text;
  }
  std::string error;
  EXPECT_FALSE(ResolveCount("${matrix.ranks}", {{"world_size", "4"}}, error));
  EXPECT_THAT(error, HasSubstr("unknown placeholder"));
}

TEST(AddCellValues, PutsTheAxesUnderTheirPlaceholders) {
  PlaceholderValues values = {{"RANK", "0"}};
  AddCellValues({{"dtype", "float32"}}, values);
  EXPECT_EQ(values, (PlaceholderValues{{"RANK", "0"}, {"matrix.dtype", "float32"}}));
}

}  // namespace
}  // namespace yardmaster::rules
