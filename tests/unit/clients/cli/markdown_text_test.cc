#include "clients/cli/markdown_text.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster::cli {
namespace {

TEST(MarkdownText, MarksAreTakenOff) {
  EXPECT_EQ(MarkdownText("**`/squash`** Makes one commit of `160`.\n\n- Usage: `/squash [PR]`\n- Who: all\n", 0, false),
            "/squash Makes one commit of 160.\n\n  * Usage: /squash [PR]\n  * Who: all\n");
  EXPECT_EQ(MarkdownText("``a `b` c`` and **not available**: it is 2 * 3", 0, false),
            "a `b` c and not available: it is 2 * 3\n");
}

TEST(MarkdownText, ColoursSayWhatMarksDid) {
  EXPECT_EQ(MarkdownText("**now** `x y` z", 0, true), "\x1b[1mnow\x1b[0m \x1b[36mx y\x1b[0m z\n");
}

TEST(MarkdownText, LongItemsGoOnBelowTheirText) {
  EXPECT_EQ(MarkdownText("- one two three\nfour five\n", 10, false), "  * one\n    two\n    three\nfour five\n");
  EXPECT_EQ(MarkdownText("- 压成一个 commit\n", 12, false), "  * 压成一个\n    commit\n") << "wide characters take two";
  EXPECT_EQ(MarkdownText("- see `/squash 160`, now\n", 12, false), "  * see\n    /squash 160,\n    now\n")
      << "neither code nor what stands right behind it is torn apart";
}

TEST(MarkdownText, WhatIsNotClosedStaysAndNothingIsObeyed) {
  EXPECT_EQ(MarkdownText("a ` b", 0, false), "a ` b\n");
  EXPECT_EQ(MarkdownText("\x1b[31mred", 0, false), "\xe2\x90\x9b[31mred\n");
  EXPECT_EQ(MarkdownText("", 80, false), "");
}

}  // namespace
}  // namespace yardmaster::cli
