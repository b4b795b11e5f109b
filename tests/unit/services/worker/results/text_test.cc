#include "services/worker/results/text.h"

#include <gtest/gtest.h>

#include <limits>
#include <string>

namespace yardmaster::worker {
namespace {

TEST(PlainText, EscapeSequencesAreLeftOutAndOtherControlsBecomePictures) {
  EXPECT_EQ(PlainText("\x1b[1;31mred\x1b[0m \x1b]0;title\aafter\x1b]8;;x\x1b\\link", 100), "red afterlink");
  EXPECT_EQ(PlainText(std::string("a\0b\x07"
                                  "c\x7f",
                                  6),
                      100),
            "a␀b␇c␡");
  EXPECT_EQ(PlainText("one\r\ntwo\rthree\tfour\n", 100), "one\ntwo\nthree\tfour\n");
  // What is never closed takes nothing with it.
  EXPECT_EQ(PlainText("\x1b]0;never closed\nnext", 100), "0;never closed\nnext");
  EXPECT_EQ(PlainText("end\x1b", 100), "end");
}

TEST(PlainText, BytesThatAreNotUtf8AndReversalsAreReplaced) {
  EXPECT_EQ(PlainText("a\xff"
                      "b",
                      100),
            "a\uFFFDb");
  EXPECT_EQ(PlainText("\xc0\xaf", 100), "\uFFFD\uFFFD");
  EXPECT_EQ(PlainText("\xed\xa0\x80", 100), "\uFFFD\uFFFD\uFFFD");
  EXPECT_EQ(PlainText("\xe2\x80\xae"
                      "x",
                      100),
            "\uFFFDx");
  EXPECT_EQ(PlainText("中文 ok 😀", 100), "中文 ok 😀");
}

TEST(PlainText, WhatIsTooLongIsCutAtACharacter) {
  EXPECT_EQ(PlainText("ab中", 4), "ab…");
  EXPECT_EQ(PlainText("ab中", 5), "ab中");
  EXPECT_EQ(PlainText(std::string(1000, 'x'), 3), "xxx…");
}

TEST(ValidUtf8, OnlyBadBytesAreReplaced) {
  EXPECT_EQ(ValidUtf8("\x1b[0m\x01 \xfe 中"), "\x1b[0m\x01 \uFFFD 中");
  EXPECT_EQ(ValidUtf8("cut \xe4\xb8"), "cut \uFFFD\uFFFD");
}

TEST(EscapeMarkup, WhatMeansSomethingInMarkupIsEscaped) {
  EXPECT_EQ(EscapeMarkup("<a href=\"x\" b='y'>&", 100), "&lt;a href=&quot;x&quot; b=&#39;y&#39;&gt;&amp;");
}

TEST(DurationText, EachSizeHasItsUnit) {
  EXPECT_EQ(DurationText(0), "0 s");
  EXPECT_EQ(DurationText(0.0001), "1 ms");
  EXPECT_EQ(DurationText(0.34), "340 ms");
  EXPECT_EQ(DurationText(4.21), "4.2 s");
  EXPECT_EQ(DurationText(42), "42 s");
  EXPECT_EQ(DurationText(59.7), "1 min 00 s");
  EXPECT_EQ(DurationText(187), "3 min 07 s");
  EXPECT_EQ(DurationText(7500), "2 h 05 min");
  EXPECT_EQ(DurationText(std::numeric_limits<double>::quiet_NaN()), "0 s");
}

TEST(CountText, ThousandsAreSeparated) {
  EXPECT_EQ(CountText(0), "0");
  EXPECT_EQ(CountText(999), "999");
  EXPECT_EQ(CountText(1'234'567), "1,234,567");
}

}  // namespace
}  // namespace yardmaster::worker
