#include "services/core/readable.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster {
namespace {

TEST(Readable, PrintableUtf8StaysAsItIs) { EXPECT_EQ(Readable("module: fsdp – 分布式"), "module: fsdp – 分布式"); }

TEST(Readable, BytesThatAreNoTextAreWrittenInHex) {
  EXPECT_EQ(Readable("a\xFF\n\x1B[0m"), "a<FF><0A><1B>[0m");
  EXPECT_EQ(Readable("\xC2\x85"), "<C2><85>") << "a C1 control";
  EXPECT_EQ(Readable("\xED\xA0\x80"), "<ED><A0><80>") << "a surrogate";
}

TEST(Readable, ALongTextIsCutBetweenCharacters) {
  EXPECT_EQ(Readable("abcdef", 3), "abc…");
  EXPECT_EQ(Readable("分布式", 4), "分布…");
  EXPECT_TRUE(IsValidUtf8(Readable(std::string(1000, '\xE5'), 50)));
}

TEST(NearestName, ASmallSlipIsRecognised) {
  const std::vector<std::string_view> known = {"signals", "suppressors", "classifiers", "steps"};
  EXPECT_EQ(NearestName("signal", known), "signals");
  EXPECT_EQ(NearestName("supressors", known), "suppressors");
  EXPECT_EQ(NearestName("setps", known), "steps");
  EXPECT_EQ(NearestName("Steps", known), "steps");
}

TEST(NearestName, AnotherWordIsNotGuessedAt) {
  EXPECT_EQ(NearestName("webhooks", {"signals", "steps"}), "");
  EXPECT_EQ(NearestName("", {"a"}), "");
  EXPECT_EQ(NearestName(std::string(10000, 'a'), {"a"}), "");
}

TEST(IsValidUtf8, OverlongFormsSurrogatesAndCutSequencesAreRefused) {
  EXPECT_TRUE(IsValidUtf8("plain, é, 分, 😀"));
  EXPECT_FALSE(IsValidUtf8("\xC0\xAF"));
  EXPECT_FALSE(IsValidUtf8("\xE0\x80\x80"));
  EXPECT_FALSE(IsValidUtf8("\xED\xB0\x80"));
  EXPECT_FALSE(IsValidUtf8("\xF4\x90\x80\x80"));
  EXPECT_FALSE(IsValidUtf8("abc\xE5\x88"));
}

TEST(CodePoints, ContinuationBytesDoNotCount) {
  EXPECT_EQ(CodePoints(""), 0u);
  EXPECT_EQ(CodePoints("abc"), 3u);
  EXPECT_EQ(CodePoints("h\u00e9 \u4e2d\u6587 \U0001F525"), 7u);
}

}  // namespace
}  // namespace yardmaster
