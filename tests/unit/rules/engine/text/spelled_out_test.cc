#include "rules/engine/text/spelled_out.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

// The texts, with "~" in front where case does not matter, "|" at boundaries and "*" where word bytes may follow.
std::vector<std::string> Spelled(const std::string& pattern) {
  std::vector<std::string> out;
  for (const auto& [literal, goes_on] : SpelledOut(pattern)) {
    out.push_back(absl::StrCat(literal.fold_case ? "~" : "", literal.starts_at_word ? "|" : "", literal.text,
                               literal.ends_at_word ? "|" : "", goes_on ? "*" : ""));
  }
  return out;
}

TEST(SpelledOut, AlternativesOptionsAndClassesInTheOrderInWhichTheyWin) {
  EXPECT_THAT(Spelled("hangs?|stuck"), ElementsAre("hangs", "hang", "stuck"));
  EXPECT_THAT(Spelled("(?:dead|live)[ -]?lock"),
              ElementsAre("dead lock", "dead-lock", "deadlock", "live lock", "live-lock", "livelock"));
  EXPECT_THAT(Spelled("rank[0-2](?:s|)"), ElementsAre("rank0s", "rank0", "rank1s", "rank1", "rank2s", "rank2"));
  EXPECT_THAT(Spelled("\\[rfc\\]|c\\+\\+"), ElementsAre("[rfc]", "c++"));
}

TEST(SpelledOut, CaseIsFoldedForAllOrForNone) {
  EXPECT_THAT(Spelled("(?i)Bug|OOM"), ElementsAre("~Bug", "~OOM"));
  EXPECT_THAT(Spelled("(?i)死锁|🐛"), ElementsAre("~死锁", "~🐛"));
  EXPECT_THAT(Spelled("(?i)größe"), IsEmpty());
  EXPECT_THAT(Spelled("größe"), ElementsAre("größe"));
  EXPECT_THAT(Spelled("Bug|(?i:oom)"), IsEmpty());
}

TEST(SpelledOut, BoundariesWithinATextAreThereOrNot) {
  EXPECT_THAT(Spelled("\\b(?:fsdp2?|ddp\\b)"), ElementsAre("|fsdp2", "|fsdp", "|ddp|"));
  EXPECT_THAT(Spelled("\\bnot\\b use\\b"), ElementsAre("|not use|"));
  EXPECT_THAT(Spelled("no\\bde|edge"), ElementsAre("edge"));
  EXPECT_THAT(Spelled("死锁?x"), ElementsAre("死锁x", "死x"));
}

TEST(SpelledOut, WordsMayGoOn) {
  EXPECT_THAT(Spelled("\\b(?:shard\\w*|mesh)\\b"), ElementsAre("|shard*", "|mesh|"));
  EXPECT_THAT(Spelled("shard-\\w*"), IsEmpty());
  EXPECT_THAT(Spelled("shard\\w*s"), IsEmpty());
  EXPECT_THAT(Spelled("shard\\w*?"), IsEmpty());
  EXPECT_THAT(Spelled("shard\\b\\w*"), IsEmpty());
}

TEST(SpelledOut, WhatOnlyRe2KnowsIsLeftToIt) {
  for (const char* pattern : {"", "a", "ab|", "ab+", "ab{2}", "ab??", "a.b", "^ab", "ab$", "(ab)", "[^a]b",
                              "[[:alpha:]]b", "[b-a]c", "\\d\\d", "ab|)", "(?:ab", "(?m)ab", "ab\\", "[a-z][a-z]x"}) {
    EXPECT_THAT(Spelled(pattern), IsEmpty()) << pattern;
  }
  std::string nested;
  for (int i = 0; i < 100'000; ++i) nested += "(?:";
  EXPECT_THAT(Spelled(nested), IsEmpty());
}

std::vector<std::string> Begun(const std::string& pattern) {
  std::vector<std::string> out;
  for (const Literal& literal : BeginningsOf(pattern)) {
    out.push_back(absl::StrCat(literal.fold_case ? "~" : "", literal.starts_at_word ? "|" : "", literal.text));
  }
  return out;
}

TEST(BeginningsOf, WhatStandsBeforeSomethingThatHasNoEnd) {
  EXPECT_THAT(Begun("torch\\.\\w+\\("), ElementsAre("torch."));
  EXPECT_THAT(Begun("(?i)\\bimport(?:ing)? (?:py)?torch.{0,9}fails"),
              UnorderedElementsAre("~|import pytorch", "~|import torch", "~|importing pytorch", "~|importing torch"));
  EXPECT_THAT(Begun("\\b(?:param(?:eter)?s?|grad\\w*|loss(?:es)?)\\b.{0,9}wrong"),
              UnorderedElementsAre("|param", "|grad", "|loss"));
  EXPECT_THAT(Begun("\\b(?:save|load[a-z|)]+x|rest(?:ore|[^)(]y)) it"),
              UnorderedElementsAre("|save it", "|load", "|rest"));
  EXPECT_THAT(Begun("\\bv?\\d+\\.\\d"), IsEmpty());  // "v" alone
  EXPECT_THAT(
      Begun("\\b(?:two|[2-4]) (?:gpu|card)s?.+x"),
      UnorderedElementsAre("|2 gpu", "|3 gpu", "|4 gpu", "|2 card", "|3 card", "|4 card", "|two gpu", "|two card"));
}

TEST(BeginningsOf, NothingWhereOneIsShortOrNotKnown) {
  for (const char* pattern : {"", "ab.c", "(?:abc|.)d", "abc|\\w+", "^abc.", "(?m)abc.", "(?:abc)?.d", "abc*|(?i)d",
                              "a+bcd", "(?i)größe.+", "\\Qabc.\\E", "abc[[:alpha:]]+", "abc(.", "abc.)", "abc\\"}) {
    EXPECT_THAT(Begun(pattern), IsEmpty()) << pattern;
  }
  std::string nested;
  for (int i = 0; i < 100'000; ++i) nested += "(?:";
  EXPECT_THAT(Begun(nested), IsEmpty());
}

}  // namespace
}  // namespace yardmaster::rules
