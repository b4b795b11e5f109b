// `yard review progress`, with the packs that are shipped.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"
#include "tests/unit/clients/cli/command_line.h"

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;
using Json = nlohmann::json;

class ReviewProgressTest : public ::testing::Test {
 protected:
  ReviewProgressTest() {
    const std::string ops = "hyper_parallel/core/shard/ops/";
    tree_.Write(ops + "parallel_roll.py",
                "class RollDistributedOp(DistributedOp):\n    def infer_layout(self, layouts, extra):\n"
                "        self._check_partial_inputs(layouts)\n        return layouts[0]\n");
    tree_.Write(ops + "yaml/torch_roll.yaml",
                "roll:\n  dist_op_name: _torch_roll_dist_op\n  distributed_op_class: RollDistributedOp\n"
                "  distributed_op_file: parallel_roll\n");
    tree_.Write(ops + "yaml/torch_add.yaml",
                "add:\n  dist_op_name: _torch_add_dist_op\n  distributed_op_class: AddDistributedOp\n"
                "  distributed_op_file: parallel_add\n");
  }
  Result Run(std::vector<std::string> options) const {
    options.insert(options.begin(), {"review", "progress", tree_.path().string(), "--pack", "hyper-parallel"});
    return RunWithShippedPacks(options);
  }

  testing::TempDir tree_;
};

TEST_F(ReviewProgressTest, SaysOfEveryOperatorWhatComesNext) {
  const Result result = Run({});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("roll"));
  EXPECT_THAT(result.out, HasSubstr("unit test"));
  const Json json = Json::parse(Run({"--json"}).out);
  EXPECT_EQ(json["pack"], "hyper-parallel");
  ASSERT_EQ(json["operators"].size(), 2u);
  EXPECT_EQ(json["operators"][0]["name"], "add");
  EXPECT_EQ(json["operators"][0]["next"], "implementation");
  EXPECT_EQ(json["operators"][1]["next"], "unit test");
}

TEST_F(ReviewProgressTest, OneOperatorIsToldStageByStage) {
  const Result result = Run({"--operator", "ROLL"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("torch_roll.yaml:1"));
  EXPECT_THAT(result.out, HasSubstr("no unit test names its class"));
  EXPECT_THAT(result.out, HasSubstr("next: unit test: "));
  const Result unknown = Run({"--operator", "pad"});
  EXPECT_EQ(unknown.code, 1);
  EXPECT_THAT(unknown.err, HasSubstr("there is no 'pad'"));
}

TEST_F(ReviewProgressTest, ThePullRequestIsLookedAtWhereItIsGiven) {
  const auto last = [&](const std::string& meta) {
    const Result result = Run({"--operator", "roll", "--json", "--meta", tree_.Write("meta.json", meta).string()});
    EXPECT_EQ(result.code, 0) << result.err;
    return Json::parse(result.out)["operators"][0]["stages"].back()["state"];
  };
  EXPECT_EQ(last(R"({"title": "feat(shard): add roll", "body": "/kind feature"})"), "there");
  EXPECT_EQ(last(R"({"title": "roll"})"), "inconsistent");
  EXPECT_EQ(Run({"--meta", tree_.Write("bad.json", "[]").string()}).code, 2);
}

}  // namespace
}  // namespace yardmaster::cli
