// Syntax errors that CPython knows and the grammar does not.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "rules/engine/code/source_file.h"

namespace yardmaster::rules {
namespace {

std::shared_ptr<const SourceFile> Read(const std::string& path, std::string text) {
  return SourceFile::Read(path, std::move(text), std::chrono::seconds(10));
}

TEST(PythonSyntax, BlocksWithoutAStatementAreErrors) {
  const std::pair<const char*, uint32_t> texts[] = {
      {"for x in y:\n", 1},
      {"x = 1\nwhile x:\ny = 2\n", 2},
      {"def f():\n  # only a comment\nx = 1\n", 1},
      {"class A:", 1},
      {"if a:\n  b\nelse:\n", 3},
      {"try:\nexcept A:\n  b\n", 1},
      {"try:\n  a\nfinally:\n", 3},
      {"match x:\n", 1},
      {"match x:\n  case 1:\n  case 2:\n    y\n", 2},
      {"def f():\n  with a as b:\n  return b\n", 2},
  };
  for (const auto& [text, line] : texts) {
    const auto file = Read("a.py", text);
    ASSERT_EQ(file->facts().errors.size(), 1U) << text;
    EXPECT_EQ(file->facts().errors[0].message, "expected an indented block") << text;
    EXPECT_EQ(file->facts().LineOf(file->facts().errors[0].begin), line) << text;
    EXPECT_LT(file->facts().errors[0].begin, file->facts().errors[0].end) << text;
  }
}

TEST(PythonSyntax, StatementsThatStandElsewhereThanTheirBlockAreErrors) {
  const std::pair<const char*, uint32_t> texts[] = {
      {"  x = 1\n", 1},
      {"x = 1\n  y = 2\n", 2},
      {"if a: b\n  c\n", 2},
      {"if a:\n    b\n  c\nd\n", 3},
      {"def f():\n  a\n    # a comment may stand anywhere\n    b\n", 4},
      {"if a:\n\tb\n        c\n", 3},  // a tab and eight blanks
      {"\f x = 1\n", 1},
  };
  for (const auto& [text, line] : texts) {
    const auto file = Read("a.py", text);
    ASSERT_EQ(file->facts().errors.size(), 1U) << text;
    EXPECT_THAT(file->facts().errors[0].message, testing::HasSubstr("indent")) << text;
    EXPECT_EQ(file->facts().LineOf(file->facts().errors[0].begin), line) << text;
  }
}

TEST(PythonSyntax, ATryThatNothingFollowsIsAnError) {
  for (const char* text : {"x = 1\ntry:\n  a\nb\n", "x = 1\ntry:\n  a\nelse:\n  b\n"}) {
    const auto file = Read("a.py", text);
    ASSERT_EQ(file->facts().errors.size(), 1U) << text;
    EXPECT_EQ(file->facts().errors[0].message, "expected 'except' or 'finally' block");
    EXPECT_EQ(file->facts().LineOf(file->facts().errors[0].begin), 2U);
  }
}

TEST(PythonSyntax, WhatPythonTakesIsNoError) {
  for (const char* text : {
           "",
           "# only a comment\n",
           "\n\n  # indented\nx = 1\n",
           "\fx = 1\ny = 2\n",
           " \f\nx = 1\n   \f  \ny = 2\n",
           "\xef\xbb\xbfx = 1\ny = 2\n",
           "def f():\n    x = 1\n# at the margin\n        # or far\n    y = 2\n",
           "if a: b; c\nd\n",
           "x = (1,\n         2)\ny = 2\n",
           "x = '''\n  a\n    b\n'''; y = 1\nz = 2\n",
           "x = 1; \\\n    y = 2\nz = 3\n",
           "if a:\n\tb\n\tc\n",
           "if a:\r\n  b\r\n  c\r\n",
           "match x:\n  case 1: y\n  case _:\n    z\n",
           "def f(): ...\nclass A: pass\n",
           "@d\ndef f():\n  'doc'\n",
           "try:\n  a\nexcept* A:\n  b\n",
           "try:\n  a\nfinally:\n  b\n",
           "if a:\n  b\nelif c:\n  d\nelse:\n  e\n",
           "a, *b = c, *[]\n",
           "a = *(b), *c\n",
           "def f():\n  return *(g(*a)), *[b, c]\n",
           "def f():\n  x = yield a, *'bc'\n",
           "for x in *{a}, b:\n  c\n",
       }) {
    const auto file = Read("a.py", text);
    EXPECT_TRUE(file->facts().errors.empty()) << text << ": " << file->facts().errors[0].message;
  }
}

TEST(PythonSyntax, AStarThatTheGrammarRefusesLeavesFactsAndOtherErrorsAsTheyAre) {
  const auto file = Read("a.py", "host, *rest = end, *[f(1)]\n");
  EXPECT_TRUE(file->facts().errors.empty());
  ASSERT_EQ(file->facts().assigns.size(), 2U);
  ASSERT_NE(file->facts().assigns[0].value, kNoRow);
  EXPECT_EQ(file->facts().Text(file->facts().exprs[file->facts().assigns[0].value].span), "end");
  for (const char* text : {"a = b, *[c\n", "a = b, *[c] d\n", "a = b * *[c]\n", "a = b, * *[c]\n", "a = *\n"}) {
    EXPECT_EQ(Read("a.py", text)->facts().errors.size(), 1U) << text;
  }
}

TEST(PythonSyntax, WhatIsNestedTooDeepIsNoEmptyBlock) {
  std::string text;
  for (size_t i = 0; i < 300; ++i) text += std::string(i, ' ') + "if x:\n";
  const auto file = Read("a.py", text + std::string(300, ' ') + "pass\n");
  EXPECT_FALSE(file->facts().limits.empty());
  EXPECT_TRUE(file->facts().errors.empty());
}

TEST(PythonSyntax, ABlockOfADocumentIsNotValidThenAndTheDocumentHasNoError) {
  const auto file = Read("a.md", "```python\ndef f():\nx = 1\n```\n\n- item\n  ```python\n  x = 1\n  y = 2\n  ```\n");
  EXPECT_TRUE(file->facts().errors.empty());
  ASSERT_EQ(file->facts().code_blocks.size(), 2U);
  EXPECT_FALSE(file->facts().code_blocks[0].valid);
  EXPECT_TRUE(file->facts().code_blocks[1].valid);
}

}  // namespace
}  // namespace yardmaster::rules
