#include "services/commands/command_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <string_view>
#include <vector>

#include "rules/engine/text/zones.h"
#include "services/core/thread_clock.h"
#include "tests/support/hostile_texts.h"

namespace yardmaster::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Lines(std::string_view text) {
  std::vector<std::string> out;
  for (const CommandLine& line : FindCommandLines(text).lines) out.emplace_back(line.Text(text));
  return out;
}

TEST(CommandLines, BeginWithASlashOrAMention) {
  EXPECT_THAT(Lines("/retest"), ElementsAre("/retest"));
  EXPECT_THAT(Lines("Looks good.\n/squash 160\n\nThanks!\n@bot help\n"), ElementsAre("/squash 160", "@bot help"));
  EXPECT_THAT(Lines("  /retest\n\t\n   @bot"), ElementsAre("/retest", "@bot"));
}

TEST(CommandLines, WideSlashesMentionsAndBlanksCount) {
  EXPECT_THAT(Lines("／retest"), ElementsAre("／retest"));
  EXPECT_THAT(Lines("＠bot 帮忙"), ElementsAre("＠bot 帮忙"));
  EXPECT_THAT(Lines("　　/retest"), ElementsAre("/retest"));
  EXPECT_THAT(Lines("\xEF\xBB\xBF/retest"), ElementsAre("/retest"));
}

TEST(CommandLines, OtherPlacesOfSlashesDoNotCount) {
  for (std::string_view text :
       {"please /retest", "and/or", "// comment", "/* comment */", "/", "/ retest", "/1", "- /retest", "* /retest",
        "1. /retest", "# /retest", "| /retest |", "**/retest**", "`/retest`", "see https://a.b/retest", "\\/retest"}) {
    EXPECT_THAT(Lines(text), IsEmpty()) << text;
  }
}

TEST(CommandLines, EveryLineEndingCounts) {
  EXPECT_THAT(Lines("a\r\n/b c\r\n/d"), ElementsAre("/b c", "/d"));
  EXPECT_THAT(Lines("a\r/b c\r/d"), ElementsAre("/b c", "/d"));
}

TEST(CommandLines, CodeHoldsNone) {
  EXPECT_THAT(Lines("```\n/retest\n```"), IsEmpty());
  EXPECT_THAT(Lines("~~~ sh\n/retest\n~~~\n/review"), ElementsAre("/review"));
  EXPECT_THAT(Lines("```\n/retest"), IsEmpty()) << "a fence that is never closed";
  EXPECT_THAT(Lines("    /retest"), IsEmpty());
  EXPECT_THAT(Lines("\t/retest"), IsEmpty());
  EXPECT_THAT(Lines("- item\n\n  ```\n  /retest\n  ```\n  /review"), ElementsAre("/review"));
}

TEST(CommandLines, IndentationInsideOfAParagraphIsNoCode) {
  EXPECT_THAT(Lines("text\n      /retest"), ElementsAre("/retest"));
}

TEST(CommandLines, CodeSpansOverSeveralLinesHoldNone) {
  EXPECT_THAT(Lines("run `a\n/retest\nb` then\n/review"), ElementsAre("/review"));
  EXPECT_THAT(Lines("a ` tick\n/retest"), ElementsAre("/retest")) << "never closed: no code";
  EXPECT_THAT(Lines("a ` tick\n\n/retest\n\nb ` tick"), ElementsAre("/retest")) << "other paragraphs";
  EXPECT_THAT(Lines("a \\`\n/retest\n`"), ElementsAre("/retest")) << "escaped";
  EXPECT_THAT(Lines("/squash -m `a`\n/retest"), ElementsAre("/squash -m `a`", "/retest"));
  EXPECT_THAT(Lines("/squash -m `a\n/retest`"), ElementsAre("/squash -m `a"));
}

TEST(CommandLines, QuotesHoldNone) {
  EXPECT_THAT(Lines("> /retest"), IsEmpty());
  EXPECT_THAT(Lines("> 门禁又挂了\n\n/retest"), ElementsAre("/retest"));
  EXPECT_THAT(Lines("> > deep\n> /retest"), IsEmpty());
  EXPECT_THAT(Lines("- > a\n  > /retest"), IsEmpty());
}

TEST(CommandLines, LinesThatLazilyContinueAQuoteBelongToIt) { EXPECT_THAT(Lines("> quoted\n/retest"), IsEmpty()); }

TEST(CommandLines, HtmlCommentsHoldNone) {
  EXPECT_THAT(Lines("<!-- /retest -->"), IsEmpty());
  EXPECT_THAT(Lines("<!--\n/retest\n-->\n\n/review"), ElementsAre("/review"));
  EXPECT_THAT(Lines("<!--\n\n/retest\n\n/squash"), IsEmpty()) << "never closed";
  EXPECT_THAT(Lines("text <!--\n/retest\n--> more\n/review"), ElementsAre("/review"));
}

TEST(CommandLines, CommentsInsideOfALineAreBlanks) {
  EXPECT_THAT(Lines("/squash <!-- a --> 160"), ElementsAre("/squash            160"));
  const std::string_view text = "@bot <!-- squash 160\n--> merge\nnow";
  const CommandLines found = FindCommandLines(text);
  ASSERT_EQ(found.lines.size(), 1U);
  EXPECT_EQ(found.lines[0].Text(text), "@bot                ");
  EXPECT_EQ(found.lines[0].Rest(text), "     merge\nnow");
}

TEST(CommandLines, HtmlThatIsShownAsItStandsHoldsNone) {
  EXPECT_THAT(Lines("<pre>\n/retest\n</pre>\n\n/review"), ElementsAre("/review"));
  EXPECT_THAT(Lines("<pre>\n\n/retest\n\n</pre>"), IsEmpty());
  EXPECT_THAT(Lines("<details><pre>\n/retest\n</pre>\n/review\n</details>"), ElementsAre("/review"));
  EXPECT_THAT(Lines("<blockquote>\n/retest\n</blockquote>\n/review"), ElementsAre("/review"));
  EXPECT_THAT(Lines("<blockquote>\n\n/retest\n\n</blockquote>\n\n/review"), ElementsAre("/review"));
  EXPECT_THAT(Lines("text <code>\n/retest\n</code>\n/review"), ElementsAre("/review"));
  EXPECT_THAT(Lines("use <code> here\n\n/review"), ElementsAre("/review")) << "closed with its paragraph";
  EXPECT_THAT(Lines("<script>\n/retest\n</script>"), IsEmpty());
  EXPECT_THAT(Lines("<?php\n/retest\n?>"), IsEmpty());
  EXPECT_THAT(Lines("<div title=\"\n/retest\n\">"), IsEmpty());
  EXPECT_THAT(Lines("<details>\n```\n/retest\n```\n/review\n</details>"), ElementsAre("/review"));
}

TEST(CommandLines, OtherHtmlIsOrdinaryText) {
  EXPECT_THAT(Lines("<details>\n<summary>more</summary>\n\n/retest\n\n</details>"), ElementsAre("/retest"));
  EXPECT_THAT(Lines("<details>\n/retest\n</details>"), ElementsAre("/retest"));
  EXPECT_THAT(Lines("a < b and c > d\n/retest"), ElementsAre("/retest"));
}

TEST(CommandLines, ListsAndHeadingsWithAnUnderlineAreOrdinaryText) {
  EXPECT_THAT(Lines("- item\n  /retest"), ElementsAre("/retest"));
  EXPECT_THAT(Lines("/retest\n---\nmore"), ElementsAre("/retest"));
}

TEST(CommandLines, ARequestGoesOnToTheEndOfItsParagraph) {
  const std::string_view text = "@bot\n帮我看下\n为什么挂了\n/retest\n\nother";
  const CommandLines found = FindCommandLines(text);
  ASSERT_EQ(found.lines.size(), 2U);
  EXPECT_EQ(found.lines[0].Rest(text), "\n帮我看下\n为什么挂了");
  EXPECT_EQ(found.lines[1].Rest(text), "");
}

TEST(CommandLines, WhatIsPastTheLimitOfTheParserIsSaidToBeUnread) {
  const std::string filler = testing::Repeat("word word word\n", rules::kMaxMarkdownBytes);
  EXPECT_EQ(FindCommandLines(filler + "\n/retest").unread, filler.size() + 1);
  EXPECT_EQ(FindCommandLines(filler + filler).unread, std::string_view::npos) << "nothing to be read there";
  EXPECT_THAT(Lines("/retest\n\n" + filler + filler), ElementsAre("/retest"));
}

TEST(CommandLines, TooDeepListsAreSaidToBeUnread) {
  const CommandLines found = FindCommandLines(testing::Repeat("- ", 4096) + "a\n\n/retest");
  EXPECT_TRUE(found.too_deep);
  EXPECT_THAT(found.lines, IsEmpty());
}

TEST(CommandLines, HostileTextsTakeNoTime) {
  for (auto& [name, hostile] : testing::HostileTexts(rules::kMaxMarkdownBytes - 16)) {
    const std::string text = hostile + "\n\n/retest\n";
    const auto start = ThreadClock::now();
    FindCommandLines(text);
    EXPECT_LT(ThreadClock::now() - start, std::chrono::seconds(3)) << name;
  }
}

TEST(CommandLines, ManyTagsAndParagraphsTakeNoTime) {
  for (std::string_view unit : {"a\n\n", "<pre></pre>\n\n", "/a <code>\n\n", "<div>\n/a\n\n", "<b\n\n", "/a `\n\n"}) {
    const std::string text = testing::Repeat(unit, rules::kMaxMarkdownBytes - 8) + "<b> /a";
    const auto start = ThreadClock::now();
    FindCommandLines(text);
    EXPECT_LT(ThreadClock::now() - start, std::chrono::seconds(2)) << unit;
  }
}

}  // namespace
}  // namespace yardmaster::commands
