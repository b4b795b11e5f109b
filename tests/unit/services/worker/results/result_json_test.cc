#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <string>
#include <vector>

#include "services/worker/results/result_files.h"
#include "tests/unit/services/worker/results/sample_run.h"

namespace yardmaster::worker {
namespace {

using Json = nlohmann::ordered_json;

std::vector<std::string> Keys(const Json& object) {
  std::vector<std::string> keys;
  for (const auto& [key, value] : object.items()) keys.push_back(key);
  return keys;
}

TEST(ResultJson, TheFixedKeysComeFirstAndHaveTheirWords) {
  const Json json = ResultJson(SampleRun());
  std::vector<std::string> keys = Keys(json);
  keys.resize(9);
  EXPECT_THAT(keys, ::testing::ElementsAre("job", "suite", "commit", "suite_digest", "verdict", "layers", "tests",
                                           "devices", "seconds"));
  EXPECT_EQ(json["verdict"], "failed");
  EXPECT_EQ(json["seconds"], 12.5);
  const Json& layer = json["layers"][0];
  EXPECT_EQ(layer["id"], "correctness");
  EXPECT_EQ(layer["verdict"], "failed");
  EXPECT_EQ(layer["tests"], 8);
  EXPECT_EQ(layer["failed"], 1);
  EXPECT_EQ(layer["skipped"], 4);
  EXPECT_EQ(layer["seconds"], 10.0);
  EXPECT_EQ(json["layers"][1]["verdict"], "not_run");
  ASSERT_EQ(json["tests"].size(), 8u);
  const Json& test = json["tests"][4];
  EXPECT_EQ(test["id"], "test_all_reduce.py::test_sum");
  EXPECT_EQ(test["rank"], 2);
  EXPECT_EQ(test["verdict"], "failed");
  EXPECT_EQ(test["seconds"], 0.125);
  EXPECT_EQ(test["message"], "AssertionError: tensors differ\nmore lines");
}

TEST(ResultJson, TheCauseNamesClassRankLineAndVictims) {
  const Json cause = ResultJson(SampleRun())["cause"];
  EXPECT_EQ(cause["class"], "code");
  EXPECT_EQ(cause["signature"], "precision");
  EXPECT_EQ(cause["rank"], 2);
  EXPECT_EQ(cause["line"], 41);
  EXPECT_EQ(cause["victims"], Json({0, 3}));
  EXPECT_EQ(cause["excerpt"][1]["text"], "AssertionError: tensors differ");
  EXPECT_EQ(cause["excerpt"][1]["seconds"], 1.1);
  EXPECT_EQ(cause["excerpt"][1]["stream"], "stderr");
}

TEST(ResultJson, StepsTellWhereEachRankStoodAndWhatIsUnknownIsNull) {
  const Json json = ResultJson(SampleRun());
  EXPECT_EQ(json["steps"][0]["ranks"][0]["rank"], nullptr);
  EXPECT_EQ(json["steps"][0]["cause"], nullptr);
  EXPECT_EQ(json["steps"][1]["ranks"][2]["first_error"], 3.1);
  EXPECT_EQ(json["steps"][1]["ranks"][1]["first_error"], nullptr);
  EXPECT_TRUE(json["steps"][1]["ranks"][3]["victim"].get<bool>());
  EXPECT_EQ(ResultJson(RunResult())["cause"], nullptr);
  EXPECT_EQ(ResultJson(RunResult())["verdict"], "not_run");
}

TEST(ResultJson, WhereARankStoodWhenItWasStoppedIsTold) {
  RunResult run = SampleRun();
  EXPECT_EQ(ResultJson(run)["steps"][1]["ranks"][3]["stood"], nullptr);
  RankStand& stood = run.steps[1].ranks[3].stood.emplace();
  stood.text = "waits in all_reduce (train.py:12 in step), sleeps";
  stood.doing = "waits_for_others";
  stood.operation = "all_reduce";
  stood.place = "train.py:12 in step";
  stood.state = "sleeps";
  stood.processes = 2;
  const Json json = ResultJson(run)["steps"][1]["ranks"][3]["stood"];
  EXPECT_THAT(Keys(json),
              ::testing::ElementsAre("text", "doing", "operation", "place", "state", "waits_in", "cpu", "processes"));
  EXPECT_EQ(json["operation"], "all_reduce");
  EXPECT_EQ(json["cpu"], nullptr);
  run.steps[1].ranks[3].stood->cpu = 0.984;
  EXPECT_EQ(ResultJson(run)["steps"][1]["ranks"][3]["stood"]["cpu"], 0.98);
}

TEST(ResultJson, TextsThatAreNotUtf8CanBeWritten) {
  RunResult run = SampleRun();
  run.tests[0].id = run.notes[0] = run.cause->excerpt[0].text = kHostileText;
  run.versions["x\xff"] = "\xff";
  const std::string text = ResultJson(run).dump();
  EXPECT_EQ(Json::parse(text), ResultJson(run));
}

TEST(TensorsJson, NumbersThatJsonLacksAreTexts) {
  RunResult run = SampleRun();
  run.tensors[0].max_abs = std::numeric_limits<double>::infinity();
  run.tensors[0].worst_actual = std::numeric_limits<double>::quiet_NaN();
  const Json json = TensorsJson(run);
  ASSERT_EQ(json["tensors"].size(), 4u);
  EXPECT_EQ(json["tensors"][0]["max_abs"], "inf");
  EXPECT_EQ(json["tensors"][0]["worst"]["actual"], "nan");
  EXPECT_TRUE(json["tensors"][0]["ok"].get<bool>());
  EXPECT_EQ(json["tensors"][0]["first_off"], nullptr);
  EXPECT_FALSE(json["tensors"][2]["ok"].get<bool>());
  EXPECT_EQ(json["tensors"][2]["first_off"], 5);
  EXPECT_EQ(json["tensors"][2]["histogram"], Json({4000, 80, 10, 3, 2, 0, 1}));
}

}  // namespace
}  // namespace yardmaster::worker
