#include "clients/cli/test_results.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace yardmaster::cli {
namespace {

TEST(ListResults, TheNewestComesFirstAndWhatIsNoResultIsPassedOver) {
  const testing::TempDir folder;
  folder.Write("old/result.json", R"({"started_at": "2026-01-01T00:00:00Z", "job": "old"})");
  folder.Write("new/result.json", R"({"started_at": "2026-01-02T00:00:00Z", "job": "new"})");
  folder.Write("damaged/result.json", "{");
  folder.Write("no-result/junit.xml", "<x/>");
  const std::vector<ListedResult> results = ListResults(folder.path());
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[0].result["job"], "new");
  EXPECT_EQ(results[1].result["job"], "old");
  EXPECT_TRUE(ListResults(folder.path() / "missing").empty());
}

TEST(ReadResult, WhatIsWrongIsNamed) {
  const testing::TempDir folder;
  const auto error = [&] { return std::string(ReadResult(folder.path()).status().message()); };
  EXPECT_THAT(error(), ::testing::HasSubstr("result.json"));
  folder.Write("result.json", "[1]");
  EXPECT_THAT(error(), ::testing::HasSubstr("is not the result of a run"));
}

TEST(ReadRequest, WhatWasWrittenIsReadBack) {
  const testing::TempDir folder;
  RunRequest request;
  request.suite = "pypto/st";
  request.source = "/src";
  request.select = {"dtype=float32"};
  request.layers = {"smoke"};
  request.assignments = {"A=b=c"};
  request.keep_going = true;
  request.cpu_devices = 8;
  folder.Write("request.json", RequestJson(request).dump());
  const std::optional<RunRequest> read = ReadRequest(folder.path());
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(RequestJson(*read), RequestJson(request));
  folder.Write("request.json", "{}");
  EXPECT_FALSE(ReadRequest(folder.path()).has_value());
  folder.Write("request.json", R"({"suite": "a/b", "cpu_devices": -1, "layers": 3})");
  ASSERT_TRUE(ReadRequest(folder.path()).has_value());
  EXPECT_EQ(ReadRequest(folder.path())->cpu_devices, 0u);
}

}  // namespace
}  // namespace yardmaster::cli
