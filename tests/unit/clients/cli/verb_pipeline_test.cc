#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "tests/unit/clients/cli/command_line.h"

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;

constexpr const char* kFailedBuild = R"({
  "pr": {"owner": "mindspore", "repo": "hyper-parallel", "number": 12, "head_at": "2025-06-10T10:00:00Z"},
  "labels": ["pr-check-pass"],
  "builds": [{"number": 501, "result": "FAILURE", "description": "Pull Request #12", "started": "2025-06-10T10:20:00Z",
              "console": "core/a.py:41: [W0612(unused-variable), f] Unused variable 'x'\nExecute project of Check_Pylint is failed"}]})";

TEST(PipelineDiagnose, AFileIsReadWithoutAServer) {
  const Result result =
      RunWithShippedPacks({"pipeline", "diagnose", "--file", "-", "--pack", "hyper-parallel"}, kFailedBuild);
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("P2_FAILED  next: fix"));
  EXPECT_THAT(result.out, HasSubstr("core/a.py:41"));
  EXPECT_THAT(result.out, HasSubstr("Delete the variable"));
}

TEST(PipelineDiagnose, JsonIsOneDocumentWithTheReport) {
  const Result result = RunWithShippedPacks(
      {"pipeline", "diagnose", "--file", "-", "--pack", "hyper-parallel", "--json", "--now", "2025-06-10T12:00:00Z"},
      kFailedBuild);
  ASSERT_EQ(result.code, 0) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["phase"], "P2_FAILED");
  EXPECT_EQ(report["next"]["action"], "fix");
  EXPECT_EQ(report["first_failure"]["line"], 41);
  EXPECT_EQ(report["evidence"][0]["signal"], "head");
}

TEST(PipelineDiagnose, WhatIsWrongIsNamed) {
  const auto run = [](const std::string& pack, const std::string& text) {
    return RunWithShippedPacks({"pipeline", "diagnose", "--file", "-", "--pack", pack}, text);
  };
  EXPECT_EQ(run("yardmaster", "{}").code, 1);
  EXPECT_EQ(run("nothing", "{}").code, 1);
  const Result broken = run("hyper-parallel", "{\"pr\": {}, \"labels\": 3}");
  EXPECT_EQ(broken.code, 2);
  EXPECT_THAT(broken.err, HasSubstr("labels: expected a list"));
  EXPECT_EQ(run("hyper-parallel", "{").code, 2);
  EXPECT_EQ(RunWithShippedPacks({"pipeline", "diagnose"}).code, 2);
  EXPECT_EQ(RunWithShippedPacks({"pipeline", "diagnose", "o/r#1"}).code, 2);
  EXPECT_EQ(RunWithShippedPacks({"pipeline", "retest", "gitcode:o/r#1", "--local"}).code, 2);
}

}  // namespace
}  // namespace yardmaster::cli
