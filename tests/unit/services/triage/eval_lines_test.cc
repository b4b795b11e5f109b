#include "services/triage/eval_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>
#include <string>

#include "services/core/limits.h"

namespace yardmaster {
namespace {

using ::testing::HasSubstr;

std::optional<std::vector<EvalCase>> Read(const std::string& text, Problems& problems, const EvalLimits& limits = {}) {
  std::istringstream in(text);
  return ReadEvalLines(in, "f.jsonl", limits, problems);
}

std::string Line(int number) { return R"({"number": )" + std::to_string(number) + R"(, "title": "t", "body": "b"})"; }

TEST(ReadEvalLines, BlankLinesAreSkippedAndNumbersStayThoseOfTheFile) {
  Problems problems;
  const auto cases = Read("\n" + Line(5) + "\r\n  \t\r\n" + Line(6), problems);
  ASSERT_TRUE(cases.has_value());
  ASSERT_EQ(cases->size(), 2u);
  EXPECT_EQ((*cases)[0].line, 2u);
  EXPECT_EQ((*cases)[0].issue.subject().number(), 5);
  EXPECT_EQ((*cases)[1].line, 4u);
  EXPECT_TRUE(problems.empty());
}

TEST(ReadEvalLines, AnEmptyFileIsNoCaseAndNoError) {
  Problems problems;
  const auto cases = Read("", problems);
  ASSERT_TRUE(cases.has_value());
  EXPECT_TRUE(cases->empty());
}

TEST(ReadEvalLines, EveryBadLineIsNamedWithWhatWasExpected) {
  Problems problems;
  EXPECT_FALSE(
      Read(Line(1) + "\n{\"number\": \n" + Line(2) + "\n{\"number\": 3, \"title\": 4, \"body\": \"\"}\n", problems)
          .has_value());
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].line, 2u);
  EXPECT_EQ(problems[1].line, 4u);
  EXPECT_THAT(problems[1].ToString(), HasSubstr("f.jsonl:4"));
  EXPECT_THAT(problems[1].message, HasSubstr("title"));
  EXPECT_THAT(problems[1].message, HasSubstr("string"));
}

TEST(ReadEvalLines, AFileOfRubbishStopsAfterSomeProblems) {
  Problems problems;
  problems.clear();
  std::string many;
  for (int i = 0; i < 100; ++i) many += "no\n";
  EXPECT_FALSE(Read(many, problems).has_value());
  EXPECT_EQ(problems.size(), EvalLimits().max_problems);
}

TEST(ReadEvalLines, ALineOverTheLimitIsNamedAndTheNextOneHasTheRightNumber) {
  Problems problems;
  const EvalLimits limits{.max_line_bytes = 100 * 1024};
  const std::string long_line = R"({"number": 1, "title": "", "body": ")" + std::string(200 * 1024, 'a') + "\"}";
  EXPECT_FALSE(Read(Line(1) + "\n" + long_line + "\n[]\n", problems, limits).has_value());
  ASSERT_EQ(problems.size(), 2u);
  EXPECT_EQ(problems[0].line, 2u);
  EXPECT_THAT(problems[0].message, HasSubstr("102400"));
  EXPECT_EQ(problems[1].line, 3u);
}

TEST(ReadEvalLines, ALineOfExactlyTheLimitIsRead) {
  Problems problems;
  EXPECT_TRUE(Read(Line(1) + "\n", problems, {.max_line_bytes = Line(1).size()}).has_value());
  EXPECT_FALSE(Read(Line(1) + "\n", problems, {.max_line_bytes = Line(1).size() - 1}).has_value());
}

TEST(ReadEvalLines, MoreBytesThanFitInMemoryAreRefused) {
  Problems problems;
  EXPECT_FALSE(Read(Line(1) + "\n" + Line(2) + "\n", problems, {.max_total_bytes = Line(1).size() + 3}).has_value());
  ASSERT_EQ(problems.size(), 1u);
  EXPECT_EQ(problems[0].line, 2u);
}

TEST(ParseIssue, OtherKeysNeverReachTheDecision) {
  std::string error;
  const auto plain = ParseIssue(Line(1), EvalLimits(), error);
  const auto more = ParseIssue(R"({"number": 1, "title": "t", "body": "b", "gold_modules": ["x"], "labels": ["y"]})",
                               EvalLimits(), error);
  ASSERT_TRUE(plain.has_value() && more.has_value());
  EXPECT_EQ(plain->SerializeAsString(), more->SerializeAsString());
  EXPECT_FALSE(more->labels_known());
}

TEST(ParseIssue, LabelsBeforeAreKnownEvenIfThereAreNone) {
  std::string error;
  const auto issue =
      ParseIssue(R"({"number": 1, "title": "t", "body": null, "labels_before": []})", EvalLimits(), error);
  ASSERT_TRUE(issue.has_value()) << error;
  EXPECT_TRUE(issue->labels_known());
  EXPECT_EQ(issue->labels_size(), 0);
}

TEST(ParseIssue, SizesOfTheServerHoldHereToo) {
  std::string error;
  const std::string title = std::string(kMaxTitleBytes + 1, 'a');
  EXPECT_FALSE(
      ParseIssue(R"({"number": 1, "title": ")" + title + R"(", "body": ""})", EvalLimits(), error).has_value());
  EXPECT_THAT(error, HasSubstr("title"));
  EXPECT_THAT(error, HasSubstr(std::to_string(kMaxTitleBytes)));
}

}  // namespace
}  // namespace yardmaster
