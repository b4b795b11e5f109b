#include "services/core/defang.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/core/readable.h"

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr char kJoiner[] = "\xe2\x81\xa0";

TEST(EchoCode, MentionsAndNumbersAreBroken) {
  EXPECT_EQ(EchoCode("/squash 160"), "`/squash 160`");
  EXPECT_EQ(EchoCode("@alice #12 !7"), std::string("`@") + kJoiner + "alice #" + kJoiner + "12 !" + kJoiner + "7`");
  EXPECT_EQ(EchoCode("owner/repo#12"), std::string("`owner/repo#") + kJoiner + "12`");
  EXPECT_EQ(EchoCode("GH-12"), std::string("`GH-") + kJoiner + "12`");
  EXPECT_EQ(EchoCode("https://x.y www.z.w"), std::string("`https:") + kJoiner + "//x.y www." + kJoiner + "z.w`");
}

TEST(EchoCode, WideFormsOfSignsAreBrokenToo) {
  const std::string echo = EchoCode("＠alice ＃12");
  EXPECT_EQ(echo, std::string("`@") + kJoiner + "alice #" + kJoiner + "12`");
}

TEST(EchoCode, BackticksCantEndTheSpan) {
  EXPECT_EQ(EchoCode("a`b"), "``a`b``");
  EXPECT_EQ(EchoCode("```"), "```` ``` ````");
  EXPECT_EQ(EchoCode("x` <b>@y</b>"), std::string("``x` <b>@") + kJoiner + "y</b>``");
}

TEST(EchoCode, LinesControlCharactersAndMarksOfDirectionAreGone) {
  EXPECT_EQ(EchoCode("a\nb\r\n\tc"), "`a b c`");
  EXPECT_EQ(EchoCode("\x1b[31mred\x07"), "`[31mred`");
  EXPECT_EQ(EchoCode("a\xe2\x80\xae"
                     "b\xe2\x81\xa6"
                     "c"),
            "`abc`");
  EXPECT_EQ(EchoCode(" \n\t "), "");
  EXPECT_EQ(EchoCode(""), "");
}

TEST(EchoCode, LongAndInvalidTextsStayShortAndValid) {
  const std::string echo = EchoCode(std::string(100000, 'x'));
  EXPECT_LT(echo.size(), kMaxEchoBytes + 8);
  EXPECT_THAT(echo, HasSubstr("…`"));
  for (const std::string& text : {std::string("\xff\xfe@\xf0\x9f"), std::string(50000, '@'), std::string(50000, '`')}) {
    EXPECT_TRUE(IsValidUtf8(EchoCode(text)));
    EXPECT_LT(EchoCode(text).size(), 4000u);
  }
}

TEST(EchoText, MarkupIsEscaped) {
  const std::string echo = EchoText("<img src=x> **b** [l](u) `c` @a");
  EXPECT_THAT(echo, Not(HasSubstr("<")));
  EXPECT_THAT(echo, Not(HasSubstr(" **b")));
  EXPECT_THAT(echo, HasSubstr("\\*\\*b\\*\\*"));
  EXPECT_THAT(echo, HasSubstr("\\[l\\]\\(u\\)"));
  EXPECT_THAT(echo, HasSubstr("\\`c\\`"));
  EXPECT_THAT(echo, HasSubstr(std::string("\\@") + kJoiner + "a"));
  EXPECT_EQ(EchoText("<!-- yardmaster pack=x -->").find("<!--"), std::string::npos);
  EXPECT_EQ(EchoText("普通文字"), "普通文字");
}

TEST(IsChinese, OneIdeographIsEnough) {
  EXPECT_TRUE(IsChinese("/squash 160 谢谢"));
  EXPECT_FALSE(IsChinese("/squash 160"));
  EXPECT_FALSE(IsChinese("／ｓｑｕａｓｈ　160"));
  EXPECT_FALSE(IsChinese("\xff\xfe"));
}

TEST(TableCell, BarsAndLineEndsDoNotEndTheCell) {
  EXPECT_EQ(TableCell(EchoCode("/a|b")), "`/a\\|b`");
  EXPECT_EQ(TableCell("one\ntwo"), "one two");
  EXPECT_EQ(TableCell(""), "");
}

}  // namespace
}  // namespace yardmaster
