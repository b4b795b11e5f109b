#include "clients/cli/terminal.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace yardmaster::cli {
namespace {

using ::testing::ElementsAre;

TEST(DisplayWidth, ChineseAndEmojiTakeTwoColumnsAndCombiningMarksNone) {
  EXPECT_EQ(DisplayWidth("abc"), 3);
  EXPECT_EQ(DisplayWidth("网络"), 4);
  EXPECT_EQ(DisplayWidth("ａ"), 2);
  EXPECT_EQ(DisplayWidth("한글"), 4);
  EXPECT_EQ(DisplayWidth("かな"), 4);
  EXPECT_EQ(DisplayWidth("😀"), 2);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1);
  EXPECT_EQ(DisplayWidth("é–…“”"), 5);
  EXPECT_EQ(DisplayWidth("\U00020000"), 2);
  EXPECT_EQ(DisplayWidth(""), 0);
  EXPECT_EQ(DisplayWidth("\xFF"), 1);
}

TEST(Printable, NothingThatATerminalObeysIsLeft) {
  EXPECT_EQ(Printable("a\x1b[31mb"), "a␛[31mb");
  EXPECT_EQ(Printable(std::string_view("\0\x7F", 2)), "␀␡");
  EXPECT_EQ(PrintableLines("a\x1b[2J\nb\t\n\nc"), "a␛[2J\nb \n\nc");
  EXPECT_EQ(Printable("a\r\nb\nc\td"), "a b c d");
  EXPECT_EQ(Printable("\xC2\x9B"), "\xEF\xBF\xBD");  // the eight-bit CSI
  EXPECT_EQ(Printable("a\u202Eb"),
            "a\xEF\xBF\xBD"
            "b");  // reversed reading
  EXPECT_EQ(Printable("网络\xFF"), "网络\xEF\xBF\xBD");
}

TEST(CutToWidth, EndsInAnEllipsisAndNeverInHalfACharacter) {
  EXPECT_EQ(CutToWidth("abcdef", 6), "abcdef");
  EXPECT_EQ(CutToWidth("abcdef", 5), "abcd…");
  EXPECT_EQ(CutToWidth("网络网络", 5), "网络…");
  EXPECT_EQ(CutToWidth("网络网络", 4), "网…");
  EXPECT_EQ(CutToWidth("abc", 0), "");
}

TEST(Pad, CountsColumnsAndNotBytes) {
  EXPECT_EQ(PadRight("网", 4), "网  ");
  EXPECT_EQ(PadLeft("网", 4), "  网");
  EXPECT_EQ(PadRight("long", 2), "long");
}

TEST(WrapToWidth, BreaksBetweenWordsAndKeepsLineEnds) {
  EXPECT_THAT(WrapToWidth("one two three", 7), ElementsAre("one two", "three"));
  EXPECT_THAT(WrapToWidth("incomprehensibilities of a", 6), ElementsAre("incomprehensibilities", "of a"));
  EXPECT_THAT(WrapToWidth("a\n\nb", 10), ElementsAre("a", "", "b"));
  EXPECT_THAT(WrapToWidth("网络 网络", 5), ElementsAre("网络", "网络"));
  EXPECT_THAT(WrapToWidth("", 5), ElementsAre(""));
}

}  // namespace
}  // namespace yardmaster::cli
