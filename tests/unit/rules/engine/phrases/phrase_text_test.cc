#include "rules/engine/phrases/phrase_text.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster::rules {
namespace {

std::string Folded(std::string_view message) { return NormalisePhrase(message, {}).text; }

std::string Masked(std::string_view message) {
  PhraseText phrase = NormalisePhrase(message, {});
  MaskQuotations(phrase);
  for (char& c : phrase.text) {
    if (c == kQuoteMask) c = 'Q';
    if (c == kCodeMask) c = 'C';
    if (c == kBlockMask) c = 'B';
  }
  return phrase.text;
}

TEST(PhraseText, FullWidthCharactersAndCaseAreFolded) {
  EXPECT_EQ(Folded("ＰＲ　＃１６０，Squash！"), "pr #160,squash!");
}

TEST(PhraseText, EveryByteKnowsWhereItCameFrom) {
  const PhraseText phrase = NormalisePhrase("ＰR 1", {});
  ASSERT_EQ(phrase.text, "pr 1");
  ASSERT_EQ(phrase.origin.size(), 5u);
  EXPECT_EQ(phrase.origin[0], 0u);
  EXPECT_EQ(phrase.origin[1], 3u);
  EXPECT_EQ(phrase.origin[4], 6u);
}

TEST(PhraseText, VariantsOfCharactersBecomeTheOneThatWordsUse) {
  const CharacterFold fold = {{U'請', U'请'}, {U'幫', U'帮'}};
  EXPECT_EQ(NormalisePhrase("請幫我", fold).text, "请帮我");
}

TEST(PhraseText, InvisibleCharactersGoAndBrokenBytesBecomeSpaces) {
  EXPECT_EQ(Folded("squ\xE2\x80\x8B"
                   "ash"),
            "squash");
  EXPECT_EQ(Folded("a\xFF"
                   "b\x01"
                   "c"),
            "a b c");
}

TEST(PhraseText, QuotedLinesCodeAndQuotationsAreMasked) {
  EXPECT_EQ(Masked("> squash\nok"), "BBBBBBBB\nok");
  EXPECT_EQ(Masked("a `b` c"), "a CCC c");
  EXPECT_EQ(Masked("say \"push\" now"), "say QQQQQQ now");
  EXPECT_EQ(Masked("```\npush\n```\nok"), "BBBBBBBBBBBB\nok");
  EXPECT_EQ(Masked("a<!-- b -->c"), "aBBBBBBBBBBc");
}

TEST(PhraseText, AnOpenFenceReachesToTheEnd) { EXPECT_EQ(Masked("a\n```\npush"), "a\nBBBBBBBB"); }

TEST(PhraseText, AnApostropheOpensNoQuotation) {
  EXPECT_EQ(Masked("don't push, it's mine"), "don't push, it's mine");
  EXPECT_EQ(Masked("call it 'my fix' then"), "call it QQQQQQQQ then");
}

TEST(PhraseText, AMarkWithoutItsPartnerIsACharacter) { EXPECT_EQ(Masked("5\" screen"), "5\" screen"); }

}  // namespace
}  // namespace yardmaster::rules
