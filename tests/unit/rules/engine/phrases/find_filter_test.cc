#include "rules/engine/phrases/find_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace yardmaster::rules {
namespace {

RE2::Options Quiet() { return RE2::Options(RE2::Quiet); }

FindFilter FilterOf(const std::vector<std::string>& patterns) {
  FindFilter filter;
  std::string error;
  for (const std::string& pattern : patterns) EXPECT_GE(filter.Add(pattern, Quiet(), error), 0) << error;
  filter.Compile();
  return filter;
}

TEST(FindFilter, PatternsAreNumberedInTheOrderTheyCame) {
  FindFilter filter;
  std::string error;
  EXPECT_EQ(filter.Add("pull", Quiet(), error), 0);
  EXPECT_EQ(filter.Add("issue", Quiet(), error), 1);
  filter.Compile();
  EXPECT_EQ(filter.pattern(0).pattern(), "pull");
  EXPECT_EQ(filter.pattern(1).pattern(), "issue");
}

TEST(FindFilter, WhatIsNoPatternGivesTheReasonAndTakesNoNumber) {
  FindFilter filter;
  std::string error;
  EXPECT_EQ(filter.Add("(", Quiet(), error), -1);
  EXPECT_FALSE(error.empty());
  EXPECT_EQ(filter.Add("pull", Quiet(), error), 0);
}

TEST(FindFilter, OnlyPatternsWhoseTextsAreThereAreCandidates) {
  const FindFilter filter = FilterOf({"pull/[0-9]+", "issues/[0-9]+", "分支"});
  EXPECT_EQ(filter.Candidates("see /pull/7"), std::vector<int>({0}));
  EXPECT_EQ(filter.Candidates("issues/7 和 pull/8"), std::vector<int>({0, 1}));
  EXPECT_EQ(filter.Candidates("develop 分支"), std::vector<int>({2}));
  EXPECT_TRUE(filter.Candidates("nothing of it").empty());
}

TEST(FindFilter, AnAlternativeOfTwoTextsIsACandidateForEither) {
  const FindFilter filter = FilterOf({"(?:squash|压缩)[0-9]+"});
  EXPECT_EQ(filter.Candidates("squash12"), std::vector<int>({0}));
  EXPECT_EQ(filter.Candidates("压缩12"), std::vector<int>({0}));
  EXPECT_TRUE(filter.Candidates("merge12").empty());
}

TEST(FindFilter, APatternWithoutATextOfItsOwnIsAlwaysACandidate) {
  const FindFilter filter = FilterOf({"[0-9a-f]+", "branch"});
  EXPECT_EQ(filter.Candidates("zzz"), std::vector<int>({0}));
  EXPECT_EQ(filter.Candidates(""), std::vector<int>({0}));
}

TEST(FindFilter, TextsThatBeginAlikeAndOverlapAreAllSeen) {
  const FindFilter filter = FilterOf({"aab", "aabc", "abc"});
  EXPECT_EQ(filter.Candidates("aabc"), std::vector<int>({0, 1, 2}));
  EXPECT_EQ(filter.Candidates("aaab"), std::vector<int>({0}));
}

TEST(FindFilter, EverythingThatMatchesIsAmongTheCandidates) {
  const std::vector<std::string> patterns = {"(?:^|[^a-z])(?:to|into)\\s+([a-z]+)", "reviewers?[:=]\\s*@?([a-z]+)",
                                             "#([0-9]{1,9})", "(?i)base\\s+([a-z0-9.]+)"};
  const FindFilter filter = FilterOf(patterns);
  for (const char* text : {"pr into main", "reviewer: @bob", "squash #12", "base r2.6", "#1 to x", "到 main"}) {
    const std::vector<int> candidates = filter.Candidates(text);
    for (int i = 0; i < static_cast<int>(patterns.size()); ++i) {
      if (!RE2::PartialMatch(text, filter.pattern(i))) continue;
      EXPECT_NE(std::find(candidates.begin(), candidates.end(), i), candidates.end()) << text << " " << i;
    }
  }
}

TEST(FindFilter, WithoutPatternsThereAreNoCandidates) {
  FindFilter filter;
  filter.Compile();
  EXPECT_TRUE(filter.Candidates("anything").empty());
}

}  // namespace
}  // namespace yardmaster::rules
