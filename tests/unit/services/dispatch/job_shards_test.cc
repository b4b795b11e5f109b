#include "services/dispatch/job_shards.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster::dispatch {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

rules::SuiteModel Suite() {
  rules::SuiteModel suite;
  suite.matrix.axes = {{"dtype", {"float32", "int8"}}};
  const auto step = [](const std::string& id) {
    rules::SuiteStep one;
    one.id = id;
    return one;
  };
  const auto add = [&](const std::string& id, rules::LayerKind kind, std::vector<std::string> after,
                       std::vector<rules::SuiteStep> steps) {
    rules::SuiteLayer layer;
    layer.id = id;
    layer.kind = kind;
    layer.after = std::move(after);
    layer.steps = std::move(steps);
    suite.layers.push_back(std::move(layer));
  };
  suite.build = {step("configure")};
  add("compile", rules::LayerKind::kBuild, {}, {step("make")});
  add("import", rules::LayerKind::kImport, {"compile"}, {step("import")});
  rules::SuiteStep sum = step("sum");
  sum.axes = {"dtype"};
  rules::SuiteStep slow = step("slow");
  slow.shards = 2;
  add("unit", rules::LayerKind::kCorrectness, {"import"}, {sum, slow});
  add("lint", rules::LayerKind::kBuild, {}, {step("lint")});
  return suite;
}

TimesOf Known(StepTimes times) {
  return [times = std::move(times)](const std::set<std::string>&) { return times; };
}

std::vector<std::vector<std::string>> StepsOf(const std::vector<v1::JobSpec>& plans) {
  std::vector<std::vector<std::string>> steps;
  for (const v1::JobSpec& plan : plans) {
    std::vector<std::string>& of_shard = steps.emplace_back();
    for (const v1::StepChoice& choice : plan.steps()) of_shard.push_back(choice.step());
  }
  return steps;
}

TEST(PlanShards, EachCellIsInOneShardAndWhatBuildsForThemInAll) {
  v1::JobSpec spec;
  spec.set_suite("repo/units");
  spec.add_variables("A=1");
  const auto plans = PlanShards(Suite(), spec, 3, "j-1",
                                Known({{"slow[shard=1/2]", 60},
                                       {"slow[shard=2/2]", 50},
                                       {"sum[dtype=float32]", 20},
                                       {"sum[dtype=int8]", 20},
                                       {"import", 1.5},
                                       {"make", 100},
                                       {"configure", 10}}));
  ASSERT_TRUE(plans.ok()) << plans.status();
  // Nobody knows how long "lint" takes: as long as the one in the middle.
  EXPECT_THAT(StepsOf(*plans), ElementsAre(ElementsAre("slow[shard=1/2]"), ElementsAre("import", "slow[shard=2/2]"),
                                           ElementsAre("sum[dtype=float32]", "sum[dtype=int8]", "lint")));
  EXPECT_THAT((*plans)[0].layers(), ElementsAre("unit"));
  EXPECT_THAT((*plans)[1].layers(), ElementsAre("import", "unit"));
  EXPECT_THAT((*plans)[2].layers(), ElementsAre("unit", "lint"));
  EXPECT_EQ((*plans)[0].shard().expected_seconds(), 60U + 110);
  EXPECT_EQ((*plans)[1].shard().expected_seconds(), 52U + 110);
  EXPECT_EQ((*plans)[2].shard().expected_seconds(), 40U + 110);
  for (const v1::JobSpec& plan : *plans) {
    EXPECT_THAT(plan.variables(), ElementsAre("A=1"));
    EXPECT_EQ(plan.shard().count(), 3U);
    EXPECT_EQ(plan.shard().group(), "j-1");
  }
  EXPECT_EQ((*plans)[2].shard().index(), 3U);
}

TEST(PlanShards, WhatOneJobWouldRunIsSharedOutAndNothingElse) {
  v1::JobSpec spec;
  spec.add_layers("unit");
  spec.add_select("dtype=int8");
  auto plans = PlanShards(Suite(), spec, 9, "j-1", Known({}));
  ASSERT_TRUE(plans.ok()) << plans.status();
  EXPECT_THAT(StepsOf(*plans), ElementsAre(ElementsAre("import"), ElementsAre("sum[dtype=int8]"),
                                           ElementsAre("slow[shard=1/2]"), ElementsAre("slow[shard=2/2]")));
  EXPECT_EQ((*plans)[0].shard().expected_seconds(), 0U) << "nobody knows";
  // Chosen steps and tests stay; what they depend on runs as a whole.
  v1::StepChoice& choice = *spec.add_steps();
  choice.set_step("sum[dtype=int8]");
  choice.add_tests("Sum.One");
  plans = PlanShards(Suite(), spec, 9, "j-1", Known({}));
  ASSERT_TRUE(plans.ok()) << plans.status();
  EXPECT_THAT(StepsOf(*plans), ElementsAre(ElementsAre("import"), ElementsAre("sum[dtype=int8]")));
  EXPECT_THAT((*plans)[1].steps(0).tests(), ElementsAre("Sum.One"));

  choice.set_step("sum[dtype=float32]");
  EXPECT_THAT(std::string(PlanShards(Suite(), spec, 9, "j-1", Known({})).status().message()),
              HasSubstr("sum[dtype=int8]"));
  spec.clear_steps();
  spec.clear_layers();
  spec.add_layers("units");
  EXPECT_FALSE(PlanShards(Suite(), spec, 9, "j-1", Known({})).ok());
}

TEST(PlanShards, WhatCanNotBeSharedIsOneJobAsItWas) {
  v1::JobSpec spec;
  spec.add_layers("import");
  for (const uint32_t shards : {0U, 1U, 4U}) {
    const auto plans = PlanShards(Suite(), spec, shards, "j-1", Known({}));
    ASSERT_TRUE(plans.ok()) << plans.status();
    ASSERT_THAT(*plans, SizeIs(1));
    EXPECT_FALSE(plans->front().has_shard());
    EXPECT_THAT(plans->front().steps(), IsEmpty());
    EXPECT_THAT(plans->front().layers(), ElementsAre("import"));
  }
}

TEST(PlanShards, ANumberOfDevicesIsTheOnlyValueOfTheAxisThatSaysHowMany) {
  rules::SuiteModel suite = Suite();
  suite.devices.count = "${matrix.world}";
  suite.matrix.axes.push_back({"world", {"2", "8"}});
  suite.layers[2].steps[0].axes = {"world"};
  v1::JobSpec spec;
  spec.add_layers("unit");
  spec.mutable_devices()->set_count(4);
  const auto plans = PlanShards(suite, spec, 2, "j-1", Known({{"sum[world=4]", 100}}));
  ASSERT_TRUE(plans.ok()) << plans.status();
  EXPECT_THAT(StepsOf(*plans), ::testing::Contains(::testing::Contains("sum[world=4]")));
}

TEST(ShardJobId, IsTheGroupsForTheFirstAndOneOfItsOwnForOthers) {
  EXPECT_EQ(ShardJobId("j-1", 1), "j-1");
  EXPECT_NE(ShardJobId("j-1", 2), ShardJobId("j-1", 3));
  EXPECT_NE(ShardJobId("j-1", 2), ShardJobId("j-2", 2));
  EXPECT_EQ(ShardJobId("j-1", 2), ShardJobId("j-1", 2));
}

TEST(StepTimes, StepsThatPassedCountAndTheNewestIsTold) {
  StepTimes times;
  AddStepTimes(R"({"steps": [{"name": "a", "verdict": "passed", "begin": 1, "end": 3.5},
    {"name": "b", "verdict": "failed", "begin": 1, "end": 3}, {"name": "c", "verdict": "passed", "begin": 3, "end": 1},
    {"name": "d", "verdict": "flaky", "begin": 0, "end": 9}, {"name": "e", "verdict": "passed", "begin": 0, "end": 1e99}, 7]})",
               times);
  AddStepTimes(
      R"({"steps": [{"name": "a", "verdict": "passed", "begin": 0, "end": 1}, {"name": "b", "verdict": "passed", "begin": 0, "end": 4}]})",
      times);
  AddStepTimes("no JSON", times);
  AddStepTimes("", times);
  EXPECT_EQ(times, (StepTimes{{"a", 2.5}, {"b", 4}, {"d", 9}}));
}

}  // namespace
}  // namespace yardmaster::dispatch
