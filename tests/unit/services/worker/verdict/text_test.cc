#include "services/worker/verdict/text.h"

#include <gtest/gtest.h>

#include <csignal>

namespace yardmaster::worker {
namespace {

TEST(VerdictText, QuotedLosesBlanksAndColours) {
  EXPECT_EQ(Quoted("  \x1b[31mE   assert 1 == 2\x1b[0m\r\n"), "E   assert 1 == 2");
  EXPECT_EQ(Quoted("\x1b"), "");
  EXPECT_EQ(Quoted("a\x1b["), "a");
  EXPECT_EQ(Quoted(""), "");
}

TEST(VerdictText, QuotedLeavesOutTheMiddleBetweenCharacters) {
  std::string text;
  while (text.size() < 2 * kMaxQuotedBytes) text += "中";
  const std::string quoted = Quoted(text);
  EXPECT_LE(quoted.size(), kMaxQuotedBytes + 3);
  // Whole characters of three bytes, and the dots.
  EXPECT_EQ(quoted.size() % 3, 0U);
  EXPECT_TRUE(quoted.ends_with("中"));
  EXPECT_NE(quoted.find("中…中"), std::string::npos);
  const std::string long_message = "ValueError: the sharding " + std::string(400, 's') + " should be divisible by 4";
  EXPECT_TRUE(Quoted(long_message).starts_with("ValueError: the sharding sss"));
  EXPECT_TRUE(Quoted(long_message).ends_with("sss should be divisible by 4"));
}

TEST(VerdictText, QuotedShowsThePlaceThatSaysWhy) {
  const std::string before(400, 'a');
  const std::string after(400, 'z');
  const std::string quoted = Quoted(before + "No matching distribution" + after, before.size());
  EXPECT_TRUE(quoted.starts_with("…aaa")) << quoted;
  EXPECT_TRUE(quoted.ends_with("…" + std::string(kQuotedEndBytes, 'z'))) << quoted;
  EXPECT_NE(quoted.find("No matching distribution"), std::string::npos) << quoted;
  // What stands at the end is shown with as much before it as there is room for.
  const std::string at_end = Quoted(before + "No space left", before.size());
  EXPECT_TRUE(at_end.ends_with("No space left")) << at_end;
  EXPECT_GT(at_end.size(), kMaxQuotedBytes);
  // What is shown anyway, or does not exist, leaves the beginning.
  EXPECT_EQ(Quoted(before, 100), Quoted(before));
  EXPECT_EQ(Quoted(before, 4'000), Quoted(before));
  EXPECT_EQ(Quoted("short", 2), "short");
}

TEST(VerdictText, TheFirstLineIsTheFirstThatIsNotBlank) {
  EXPECT_EQ(FirstLine("\n  \n a\nb"), " a");
  EXPECT_EQ(FirstLine(" \n"), "");
}

TEST(VerdictText, RanksAreListedAsPeopleWriteThem) {
  EXPECT_EQ(RankList({}), "");
  EXPECT_EQ(RankList({3}), "rank 3");
  EXPECT_EQ(RankList({1, 4, 5}), "ranks 1, 4 and 5");
  EXPECT_EQ(RankList({0, 1, 2, 3, 4, 5, 6, 7, 8}), "ranks 0, 1, 2, 3, 4, 5, 6 and 2 more");
}

TEST(VerdictText, NumbersAreShort) {
  EXPECT_EQ(Decimal(3.5), "3.5");
  EXPECT_EQ(Decimal(1e-5), "1e-05");
  EXPECT_EQ(Concat("a ", 3, " b", size_t{4}), "a 3 b4");
  EXPECT_EQ(Count(1, "test"), "1 test");
  EXPECT_EQ(Count(0, "test"), "0 tests");
}

TEST(SignalName, SignalsHaveNamesAndMeanings) {
  EXPECT_EQ(SignalName(SIGSEGV), "SIGSEGV");
  EXPECT_EQ(SignalMeaning(SIGSEGV), "segmentation fault");
  EXPECT_EQ(SignalName(64), "signal 64");
  EXPECT_EQ(SignalMeaning(64), "");
}

}  // namespace
}  // namespace yardmaster::worker
