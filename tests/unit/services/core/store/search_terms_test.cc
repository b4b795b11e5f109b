#include "services/core/store/search_terms.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace yardmaster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(TextWords, WordsAreDistinctAndInLowerCase) {
  EXPECT_THAT(WordsOf("NCCL hangs; nccl HANGS, Hangs!", 10), ElementsAre("nccl", "hangs"));
}

TEST(TextWords, IdentifiersAreKeptWholeAndInParts) {
  EXPECT_THAT(WordsOf("dist.reduce_scatter_tensor(__init__)", 10),
              ElementsAre("dist", "reduce_scatter_tensor", "reduce", "scatter", "tensor", "init"));
}

TEST(TextWords, NumbersAddressesAndHashesAreNoWords) {
  EXPECT_THAT(WordsOf("line 12345 at 0x7ffdeadbeef commit 9867c564ab facade h100 2.5 x", 10),
              ElementsAre("line", "at", "commit", "facade", "h100"));
}

TEST(TextWords, RunsThatAreTooLongAreNoWords) {
  EXPECT_THAT(WordsOf(std::string(41, 'a') + " " + std::string(100'000, 'b') + " short " + std::string(40, 'c'), 10),
              ElementsAre("short", std::string(40, 'c')));
}

TEST(TextWords, ScriptsWithoutBlanksGivePairs) {
  EXPECT_THAT(WordsOf("通信超时", 10), ElementsAre("通信", "信超", "超时"));
  EXPECT_THAT(WordsOf("用HCCL通信", 10), ElementsAre("hccl", "通信"));
  EXPECT_THAT(WordsOf("卡", 10), IsEmpty());
  EXPECT_THAT(WordsOf("通信,超时。", 10), ElementsAre("通信", "超时"));
}

TEST(TextWords, OtherAlphabetsAreFolded) {
  EXPECT_THAT(WordsOf("Ошибка ÄRGER Ωμέγα ＮＣＣＬ", 10), ElementsAre("ошибка", "ärger", "ωμέγα", "nccl"));
}

TEST(TextWords, InvalidBytesSeparate) {
  EXPECT_THAT(WordsOf(std::string("ab\xff") + "cd\xe4\xbd" + "ef" + std::string(1, '\0') + "gh\xf0\x9f", 10),
              ElementsAre("ab", "cd", "ef", "gh"));
}

TEST(TextWords, StopsAtTheLimit) {
  std::string text;
  for (int i = 0; i < 100; ++i)
    text += "word" + std::string(1, static_cast<char>('a' + i % 26)) + std::to_string(i) + " ";
  EXPECT_THAT(WordsOf(text, 7), SizeIs(7));
}

TEST(TextWords, ContainNothingThatSeparates) {
  std::string all;
  for (int i = 1; i < 0x3000; ++i) {
    // Every character of the basic plane's beginning, as text.
    if (i < 0x80) {
      all += static_cast<char>(i);
    } else if (i < 0x800) {
      all += static_cast<char>(0xc0 | (i >> 6));
      all += static_cast<char>(0x80 | (i & 0x3f));
    } else {
      all += static_cast<char>(0xe0 | (i >> 12));
      all += static_cast<char>(0x80 | ((i >> 6) & 0x3f));
      all += static_cast<char>(0x80 | (i & 0x3f));
    }
  }
  for (const std::string& word : WordsOf(all, 100'000)) {
    for (unsigned char c : word) {
      EXPECT_TRUE(c >= 0x80 || c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z')) << word;
    }
  }
}

}  // namespace
}  // namespace yardmaster::store
