#include "rules/engine/phrases/lexicon.h"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace yardmaster::rules {
namespace {

class LexiconTest : public ::testing::Test {
 protected:
  LexiconTest() {
    lexicon_.AddHomophones("交教");
    lexicon_.AddKnown("preview");
    EXPECT_TRUE(lexicon_.Add("commit", {1}));
    EXPECT_TRUE(lexicon_.Add("commit message", {2}));
    EXPECT_TRUE(lexicon_.Add("review", {3}));
    EXPECT_TRUE(lexicon_.Add("提交", {1}));
    EXPECT_TRUE(lexicon_.Add("提交信息", {2}));
    EXPECT_TRUE(lexicon_.Add("push", {4}));
  }

  uint16_t At(std::string_view text, size_t pos = 0) const {
    const WordMatch match = lexicon_.Find(text, pos);
    return match.bytes == 0 ? uint16_t{0} : match.concepts->front();
  }
  uint16_t Misspelt(std::string_view word) const {
    const WordMatch match = lexicon_.FindMisspelt(word);
    return match.bytes == 0 ? uint16_t{0} : match.concepts->front();
  }

  Lexicon lexicon_;
};

TEST_F(LexiconTest, TheLongestWordWins) {
  EXPECT_EQ(At("commit message"), 2);
  EXPECT_EQ(At("commit messages"), 1);
  EXPECT_EQ(At("提交信息"), 2);
  EXPECT_EQ(At("提交一下"), 1);
}

TEST_F(LexiconTest, AnyWhiteSpaceIsOneSpace) { EXPECT_EQ(At("commit   message"), 2); }

TEST_F(LexiconTest, WordsOfLettersHaveEndsOfWordsAroundThem) {
  EXPECT_EQ(At("commits"), 0);
  EXPECT_EQ(At("precommit", 3), 0);
  EXPECT_EQ(At("跑commit吧", 3), 1);
}

TEST_F(LexiconTest, ChineseWordsAreFoundByTheirSound) {
  const WordMatch match = lexicon_.Find("提教信息", 0);
  ASSERT_EQ(match.bytes, 12u);
  EXPECT_TRUE(match.misspelt);
  EXPECT_EQ(match.concepts->front(), 2);
}

TEST_F(LexiconTest, AFewMistakesAreForgiven) {
  EXPECT_EQ(Misspelt("commmit"), 1);
  EXPECT_EQ(Misspelt("reveiw"), 3);
  EXPECT_EQ(Misspelt("psuh"), 4);
}

TEST_F(LexiconTest, AnotherWordIsNoMistake) {
  EXPECT_EQ(Misspelt("preview"), 0);
  EXPECT_EQ(Misspelt("comment"), 0);
  EXPECT_EQ(Misspelt("rush"), 0);
  EXPECT_EQ(Misspelt("xyz"), 0);
}

TEST_F(LexiconTest, OneWordHasOneMeaning) {
  EXPECT_FALSE(lexicon_.Add("push", {9}));
  EXPECT_TRUE(lexicon_.Add("push", {4}));
}

}  // namespace
}  // namespace yardmaster::rules
