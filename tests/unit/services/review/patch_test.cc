#include "services/review/patch.h"

#include <gtest/gtest.h>

namespace yardmaster {
namespace {

TEST(TextBefore, TakesThePatchBack) {
  EXPECT_EQ(TextBefore("a\nB\nc\nd\ne\nF\n", "@@ -1,3 +1,4 @@ def f():\n a\n-b\n+B\n+c\n d\n@@ -5 +6 @@\n-f\n+F"),
            "a\nb\nd\ne\nf\n");
  EXPECT_EQ(TextBefore("a\n", ""), "a\n") << "renamed only";
}

TEST(TextBefore, WhatWasAddedOrRemovedWholeIsNothingBeforeOrAfter) {
  EXPECT_EQ(TextBefore("x = 1\n", "@@ -0,0 +1 @@\n+x = 1"), "");
  EXPECT_EQ(TextBefore("", "@@ -1,2 +0,0 @@\n-x = 1\n-y = 2"), "x = 1\ny = 2\n");
}

TEST(TextBefore, RemovedLinesBetweenOthersComeBack) {
  EXPECT_EQ(TextBefore("a\nb\n", "@@ -2,1 +1,0 @@\n-gone"), "a\ngone\nb\n");
}

TEST(TextBefore, TheMissingEndOfALastLineIsKept) {
  const char* const patch = "@@ -1 +1 @@\n-old\n\\ No newline at end of file\n+new";
  EXPECT_EQ(TextBefore("new\n", patch), "old");
  EXPECT_EQ(TextBefore("new", "@@ -1 +1 @@\n-old\n+new\n\\ No newline at end of file"), "old\n");
}

TEST(TextBefore, APatchOfAnotherTextIsRefused) {
  EXPECT_EQ(TextBefore("other\n", "@@ -1 +1 @@\n-a\n+b"), std::nullopt);
  EXPECT_EQ(TextBefore("b\n", "@@ -9 +9 @@\n-a\n+b"), std::nullopt);
  EXPECT_EQ(TextBefore("b\n", "no patch"), std::nullopt);
  EXPECT_EQ(TextBefore("b\n", "@@ -1 +99999999999999 @@\n+b"), std::nullopt);
  EXPECT_EQ(TextBefore("b\nc\n", "@@ -1 +2 @@\n+c\n@@ -1 +1 @@\n+b"), std::nullopt) << "hunks ascend";
}

}  // namespace
}  // namespace yardmaster
