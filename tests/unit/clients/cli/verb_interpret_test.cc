#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"
#include "tests/unit/clients/cli/command_line.h"

namespace yardmaster::cli {
namespace {

using ::testing::HasSubstr;

TEST(Interpret, TellsTheCommandAndWhy) {
  const Result result = RunWithShippedPacks({"interpret", "把 #160 压成一个 commit"});
  EXPECT_EQ(result.code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("squash pr=160\n"));
  EXPECT_THAT(result.out, HasSubstr("why: squash.pr"));
}

TEST(Interpret, TheContextFillsWhatIsMissing) {
  const Result result =
      RunWithShippedPacks({"interpret", "squash please", "--context", R"({"pr": 7, "repo": "o/r"})", "--json"});
  EXPECT_EQ(result.code, 0) << result.err;
  const auto answer = nlohmann::json::parse(result.out);
  EXPECT_EQ(answer["command"], "squash");
  EXPECT_EQ(answer["slots"], nlohmann::json::parse(R"({"pr": 7, "repo": "o/r"})"));
  EXPECT_GT(answer["confidence"].get<double>(), 0.5);
}

TEST(Interpret, AQuestionBackHasItsChoices) {
  const auto answer = nlohmann::json::parse(RunWithShippedPacks({"interpret", "squash please", "--json"}).out);
  EXPECT_EQ(answer["command"], "ask");
  EXPECT_EQ(answer["choices"][0]["command"], "squash");
}

TEST(Interpret, ABadContextOrNoTextIsAUsageError) {
  EXPECT_EQ(RunWithShippedPacks({"interpret", "squash", "--context", "{"}).code, 2);
  EXPECT_EQ(RunWithShippedPacks({"interpret", "squash", "--context", R"({"pr": 0})"}).code, 2);
  EXPECT_EQ(RunWithShippedPacks({"interpret"}).code, 2);
}

TEST(InterpretEval, AnswersEachLineInOrder) {
  const Result result = RunWithShippedPacks({"interpret", "eval", "--cases", "-"},
                                            "{\"id\": 2, \"text\": \"run lint, then commit\", \"lang\": \"en\"}\n\n"
                                            "{\"id\": 1, \"text\": \"squash\", \"context\": {\"pr\": 9}}\r\n");
  ASSERT_EQ(result.code, 0) << result.err;
  std::istringstream lines(result.out);
  std::string line;
  ASSERT_TRUE(std::getline(lines, line));
  const auto first = nlohmann::json::parse(line);
  EXPECT_EQ(first["id"], 2);
  EXPECT_EQ(first["command"], "check");
  EXPECT_EQ(first["then"], nlohmann::json::parse(R"(["commit"])"));
  ASSERT_TRUE(std::getline(lines, line));
  const auto second = nlohmann::json::parse(line);
  EXPECT_EQ(second["id"], 1);
  EXPECT_EQ(second["slots"]["pr"], 9);
  EXPECT_FALSE(std::getline(lines, line));
}

TEST(InterpretEval, ABadLineIsNamedAndNothingIsWritten) {
  const testing::TempDir dir;
  const std::string out = (dir.path() / "out.jsonl").string();
  const Result result = RunWithShippedPacks({"interpret", "eval", "--cases", "-", "--predictions", out},
                                            "{\"id\": 1, \"text\": \"commit\"}\n{\"id\": 2}\n");
  EXPECT_EQ(result.code, 2);
  EXPECT_THAT(result.err, HasSubstr(":2:"));
  EXPECT_FALSE(std::ifstream(out).good());
}

}  // namespace
}  // namespace yardmaster::cli
