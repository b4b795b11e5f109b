#include "services/core/utf8.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

TEST(Utf8, EveryLengthIsDecoded) {
  EXPECT_EQ(DecodeUtf8("a", 0).code_point, U'a');
  EXPECT_EQ(DecodeUtf8("é", 0).code_point, U'é');
  EXPECT_EQ(DecodeUtf8("网", 0).code_point, U'网');
  EXPECT_EQ(DecodeUtf8("😀", 0).code_point, U'😀');
  EXPECT_EQ(DecodeUtf8("😀", 0).bytes, 4u);
}

TEST(Utf8, WhatUnicodeForbidsIsInvalidAndOneByteLong) {
  for (const char* bad : {"\x80", "\xC0\x80", "\xE0\x80\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                          "\xF8\x88\x80\x80\x80", "\xE7\xBD", "\xFF"}) {
    const Utf8Char c = DecodeUtf8(bad, 0);
    EXPECT_FALSE(c.valid) << bad;
    EXPECT_EQ(c.bytes, 1u) << bad;
  }
}

TEST(CutUtf8, NeverEndsInsideACharacter) {
  const std::string text = "ab网络";
  EXPECT_EQ(CutUtf8(text, 8), text);
  EXPECT_EQ(CutUtf8(text, 7), "ab网");
  EXPECT_EQ(CutUtf8(text, 6), "ab网");
  EXPECT_EQ(CutUtf8(text, 5), "ab网");
  EXPECT_EQ(CutUtf8(text, 4), "ab");
  EXPECT_EQ(CutUtf8(text, 0), "");
  EXPECT_EQ(CutUtf8("😀😀", 7), "😀");
}

TEST(CutUtf8, ARunOfContinuationBytesIsCutWhereTheLimitIs) {
  EXPECT_EQ(CutUtf8(std::string(10, '\x80'), 5).size(), 5u);
}

TEST(TailUtf8, NeverBeginsInsideACharacter) {
  const std::string text = "网络ab";
  EXPECT_EQ(TailUtf8(text, 8), text);
  EXPECT_EQ(TailUtf8(text, 7), "络ab");
  EXPECT_EQ(TailUtf8(text, 5), "络ab");
  EXPECT_EQ(TailUtf8(text, 4), "ab");
  EXPECT_EQ(TailUtf8(text, 0), "");
  EXPECT_EQ(TailUtf8(std::string(10, '\x80'), 5).size(), 5u);
}

TEST(AppendValidUtf8, InvalidBytesBecomeReplacementCharacters) {
  std::string out = ">";
  AppendValidUtf8("a\xFF网\xE7\xBD", out);
  EXPECT_EQ(out, ">a\xEF\xBF\xBD网\xEF\xBF\xBD\xEF\xBF\xBD");
}

}  // namespace
}  // namespace yardmaster
