// The page for people who write checks is true: its examples load, and their cases pass.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rules/engine/checks/check_set.h"
#include "rules/engine/checks/review.h"
#include "tests/support/source_path.h"

namespace yardmaster::rules {
namespace {

// The JSON blocks of a Markdown text.
std::vector<std::string> JsonBlocks(const std::string& text) {
  std::vector<std::string> blocks;
  for (size_t begin = text.find("```json\n"); begin != std::string::npos; begin = text.find("```json\n", begin)) {
    begin += 8;
    const size_t end = text.find("```\n", begin);
    blocks.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return blocks;
}

TEST(ChecksPage, TheExamplesLoadAndTheirCasesPass) {
  const std::vector<std::string> blocks = JsonBlocks(yardmaster::testing::SourceText("rules/checks.md"));
  ASSERT_EQ(blocks.size(), 3U);

  PackFiles files = {{"page/pack.json", R"({"name": "page", "title": "examples"})"},
                     {"page/checks/examples.json", blocks[2]}};
  Problems problems;
  const auto checks = LoadChecks(files, "page", problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  ASSERT_NE(checks, nullptr);
  EXPECT_GE(checks->checks().size(), 18U);
  for (const CheckCaseResult& result : RunCheckCases(*checks)) {
    EXPECT_TRUE(result.passed) << result.name << ": " << result.message;
  }
}

TEST(ChecksPage, TheFirstExampleFindsWhatItSays) {
  const std::string first = JsonBlocks(yardmaster::testing::SourceText("rules/checks.md"))[0];
  PackFiles files = {{"page/pack.json", R"({"name": "page", "title": "examples"})"},
                     {"page/checks/base.json",
                      R"json({"roles": [{"role": "kernel", "path": ".*\\.py", "example": "k.py"}],
                          "definitions": {"jit": {"each": "function", "where": {"decorators": "fw.jit"}}}})json"},
                     {"page/checks/first.json", first}};
  Problems problems;
  const auto checks = LoadChecks(files, "page", problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  ASSERT_NE(checks, nullptr);
  const ReviewResult result =
      Review(*checks, {{"k.py", "import fw\n@fw.jit\ndef k(x):\n    return x\n", {}, "", false}}, {});
  ASSERT_EQ(result.findings.size(), 1U);
  EXPECT_EQ(result.findings[0].line, 4U);
  EXPECT_EQ(result.findings[0].column, 5U);
  EXPECT_EQ(result.findings[0].end_column, 13U);
  EXPECT_EQ(result.findings[0].message, "`k` is a kernel: nothing takes what it returns");
  EXPECT_EQ(result.findings[0].severity, Severity::kBlock);
}

}  // namespace
}  // namespace yardmaster::rules
