#include "clients/chat/plain_markdown.h"

#include <gtest/gtest.h>

namespace yardmaster::chat {
namespace {

constexpr const char* kTable =
    "Commands:\n\n| command | what it does |\n|---|:--:|\n| `/device a\\|b` | asks |\n| `/x` |  |\n\nThat is all.\n";

TEST(PlainMarkdown, ATableBecomesAListBelowTheNamesOfItsColumns) {
  EXPECT_EQ(PlainMarkdown(kTable, false),
            "Commands:\n\n**command · what it does**\n- `/device a|b` · asks\n- `/x` · –\n\nThat is all.\n");
  EXPECT_EQ(PlainMarkdown(kTable, true), kTable) << "where the platform shows tables";
}

TEST(PlainMarkdown, ATableAtTheEndEndsAsItDid) {
  EXPECT_EQ(PlainMarkdown("| a |\n|---|\n| 1 |", false), "**a**\n- 1");
  EXPECT_EQ(PlainMarkdown("| a |\n|---|\n| 1 |\n", false), "**a**\n- 1\n");
  EXPECT_EQ(PlainMarkdown("| a |\n|---|", false), "**a**");
}

TEST(PlainMarkdown, WhatIsFoldedIsTextBelowItsTitle) {
  const char* folded = "* suite: passed\n\n  <details><summary>job 7</summary>\n\nfine\n\n  </details>\nend";
  EXPECT_EQ(PlainMarkdown(folded, true), "* suite: passed\n\n**job 7**\n\nfine\n\nend");
}

TEST(PlainMarkdown, BackslashesGoWhereNothingBecomesMarkup) {
  EXPECT_EQ(PlainMarkdown("\\/squash 1 or HP\\-PR\\-001\\.issue \\(default\\)\\: test\\_one", false),
            "/squash 1 or HP-PR-001.issue (default): test_one");
  EXPECT_EQ(PlainMarkdown("a\\.b", true), "a\\.b") << "what reads Markdown hides them itself";
  for (const char* text : {"\\# no heading", "  \\- no list", "\\[no\\]\\(link)", "\\*no\\* \\_no\\_ \\~no\\~ \\`no\\`",
                           "no \\:emoji\\:s", "`in\\.code`", "``in\\.` code``", "```\nin\\.code\n```", "end\\"}) {
    EXPECT_EQ(PlainMarkdown(text, false), text);
  }
}

TEST(PlainMarkdown, CodeAndBarsThatAreNoTableStay) {
  for (const char* text : {"```\n| a |\n|---|\n| 1 |\n</details>\n```", "a | b\nc | d", "| a |\n| b |", "|---|", "|",
                           "", "\n\n", "say `</details>` here", "<details><summary></summary>"}) {
    EXPECT_EQ(PlainMarkdown(text, false), text);
  }
}

}  // namespace
}  // namespace yardmaster::chat
