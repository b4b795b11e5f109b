#include "services/commands/line_tokens.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "services/core/characters.h"
#include "services/core/limits.h"
#include "tests/support/hostile_texts.h"

namespace yardmaster::commands {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

std::vector<std::string> Texts(std::string_view line) {
  std::vector<std::string> out;
  for (const LineToken& word : SplitWords(line, 0).words) out.push_back(word.text);
  return out;
}

std::vector<std::string> Plains(std::string_view line) {
  std::vector<std::string> out;
  for (const LineToken& word : SplitWords(line, 0).words) out.push_back(word.plain);
  return out;
}

TEST(LineTokens, BlanksOfEveryWidthSeparate) {
  EXPECT_THAT(Texts("a  b\tc"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(Texts("a　b\xC2\xA0"
                    "c"),
              ElementsAre("a", "b", "c"));
  EXPECT_THAT(Texts(""), IsEmpty());
  EXPECT_THAT(Texts("  　 "), IsEmpty());
}

TEST(LineTokens, CommasOfEveryKindSeparateAndAreRemembered) {
  const LineTokens split = SplitWords("a,b，c、d e", 0);
  ASSERT_EQ(split.words.size(), 5U);
  EXPECT_FALSE(split.words[0].after_comma);
  EXPECT_TRUE(split.words[1].after_comma);
  EXPECT_TRUE(split.words[2].after_comma);
  EXPECT_TRUE(split.words[3].after_comma);
  EXPECT_FALSE(split.words[4].after_comma);
}

TEST(LineTokens, WideFormsBecomePlainAndStayAsTypedInTheText) {
  EXPECT_THAT(Plains("＃１６０ ａ＝ｂ"), ElementsAre("#160", "a=b"));
  EXPECT_THAT(Texts("＃１６０ ａ＝ｂ"), ElementsAre("＃１６０", "ａ＝ｂ"));
}

TEST(LineTokens, QuotesOfEveryScriptHoldBlanks) {
  for (std::string_view line : {"-m \"a, b\"", "-m 'a, b'", "-m “a, b”", "-m ‘a, b’", "-m 「a, b」", "-m 『a, b』",
                                "-m `a, b`", "-m ＂a, b＂", "-m ＇a, b＇", "-m ”a, b”", "-m “a, b“"}) {
    const LineTokens split = SplitWords(line, 0);
    ASSERT_EQ(split.words.size(), 2U) << line;
    EXPECT_EQ(split.words[1].text, "a, b") << line;
    EXPECT_TRUE(split.words[1].quoted) << line;
    EXPECT_FALSE(split.open_quote) << line;
  }
}

TEST(LineTokens, QuotesInsideOfQuotes) {
  EXPECT_THAT(Texts(R"("say \"hi\" \\ \n")"), ElementsAre(R"(say "hi" \ \n)"));
  EXPECT_THAT(Texts("“a “b” c” d"), ElementsAre("a “b” c", "d"));
  EXPECT_THAT(Texts("\"fix “x”\""), ElementsAre("fix “x”"));
  EXPECT_THAT(Texts("'a \"b\" c'"), ElementsAre("a \"b\" c"));
}

TEST(LineTokens, WideFormsInQuotesStay) {
  EXPECT_THAT(Plains("\"修复：１６０，ａ\""), ElementsAre("修复：１６０，ａ"));
}

TEST(LineTokens, QuotesOpenOnlyWhereAValueBegins) {
  EXPECT_THAT(Texts("don't can't"), ElementsAre("don't", "can't"));
  EXPECT_THAT(Texts("a\"b c\""), ElementsAre("a\"b", "c\""));
  EXPECT_THAT(Texts("title=\"a b\" base='c d'"), ElementsAre("title=a b", "base=c d"));
  EXPECT_THAT(Texts("-m\"a b\""), ElementsAre("-ma b"));
  EXPECT_THAT(Texts("title＝“a b”"), ElementsAre("title＝a b"));
}

TEST(LineTokens, AQuoteThatIsNeverClosedIsSaidExceptForApostrophes) {
  EXPECT_TRUE(SplitWords("-m \"a b", 0).open_quote);
  EXPECT_TRUE(SplitWords("-m “a b", 0).open_quote);
  EXPECT_FALSE(SplitWords("'tis `a", 0).open_quote);
  EXPECT_THAT(Texts("'tis `a"), ElementsAre("'tis", "`a"));
}

TEST(LineTokens, ValuesBehindASeparator) {
  const LineTokens split = SplitWords("--base=r2.6 标题：x pr＝１ a:b=c", 0);
  ASSERT_EQ(split.words.size(), 4U);
  EXPECT_EQ(split.words[0].plain.substr(split.words[0].plain_value), "r2.6");
  EXPECT_EQ(split.words[0].separator, '=');
  EXPECT_EQ(split.words[1].separator, ':');
  EXPECT_EQ(split.words[1].text.substr(split.words[1].text_value), "x");
  EXPECT_EQ(split.words[2].plain.substr(split.words[2].plain_value), "1");
  EXPECT_EQ(split.words[3].separator, ':') << "the first one counts";
}

TEST(LineTokens, DashesThatKeyboardsMake) {
  EXPECT_THAT(Plains("—amend ——amend –amend －－amend −m ‐m"),
              ElementsAre("--amend", "--amend", "--amend", "--amend", "-m", "-m"));
  EXPECT_THAT(Plains("— a"), ElementsAre("—", "a")) << "no letter behind it";
}

TEST(LineTokens, TheEndOfASentenceIsNoPartOfTheLastWord) {
  EXPECT_THAT(Plains("160。"), ElementsAre("160"));
  EXPECT_THAT(Plains("r2.6."), ElementsAre("r2.6"));
  EXPECT_THAT(Plains("a 160！"), ElementsAre("a", "160"));
  EXPECT_THAT(Plains("a 。"), ElementsAre("a"));
  EXPECT_THAT(Plains("--base=r2.6；"), ElementsAre("--base=r2.6"));
  EXPECT_THAT(Plains("-m \"fix.\" 。"), ElementsAre("-m", "fix."));
  EXPECT_THAT(Plains("-m “修复”。"), ElementsAre("-m", "修复"));
  EXPECT_THAT(Plains("160？"), ElementsAre("160?")) << "a question is no command";
}

TEST(LineTokens, OffsetsAreThoseOfTheLine) {
  const std::string_view line = "/squash  “a b”， --x=y";
  const LineTokens split = SplitWords(line, 1);
  ASSERT_EQ(split.words.size(), 3U);
  EXPECT_EQ(line.substr(split.words[0].begin, split.words[0].end - split.words[0].begin), "squash");
  EXPECT_EQ(line.substr(split.words[1].begin, split.words[1].end - split.words[1].begin), "“a b”");
  EXPECT_EQ(line.substr(split.words[2].begin, split.words[2].end - split.words[2].begin), "--x=y");
}

TEST(LineTokens, MoreWordsThanTheLimitAreLeftOutAndSaid) {
  const LineTokens split = SplitWords(testing::Repeat("a ", 4 * kMaxCommandWords), 0);
  EXPECT_EQ(split.words.size(), kMaxCommandWords);
  EXPECT_TRUE(split.too_many);
}

TEST(Characters, BytesThatAreNoUtf8AreOneCharacterEach) {
  EXPECT_EQ(CharacterAt("\xFF", 0).code, 0xFFFDU);
  EXPECT_EQ(CharacterAt("\xE4\xB8", 0).length, 1U);
  EXPECT_EQ(CharacterAt("\xC0\xAF", 0).code, 0xFFFDU) << "overlong slash";
  EXPECT_EQ(CharacterAt("\xED\xA0\x80", 0).code, 0xFFFDU) << "surrogate";
  EXPECT_EQ(CharacterAt("中", 0).length, 3U);
  EXPECT_EQ(CharacterAt("😀", 0).code, 0x1F600U);
}

}  // namespace
}  // namespace yardmaster::commands
