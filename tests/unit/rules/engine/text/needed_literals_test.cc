#include "rules/engine/text/needed_literals.h"

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

// By group: the literals, those that match in either case with "~" in front.
std::vector<std::vector<std::string>> Needed(const std::string& pattern) {
  re2::FilteredRE2 compiled(kShortestNeeded);
  int id = 0;
  EXPECT_EQ(compiled.Add(pattern, RE2::Options(RE2::Quiet), &id), RE2::NoError) << pattern;
  std::vector<std::vector<std::string>> groups;
  for (const std::vector<NeededLiteral>& group : NeededLiteralsOf(compiled)) {
    std::vector<std::string>& texts = groups.emplace_back();
    for (const NeededLiteral& literal : group)
      texts.push_back(absl::StrCat(literal.fold_case ? "~" : "", literal.text));
  }
  return groups;
}

TEST(NeededLiterals, OfEachAlternativeOne) {
  EXPECT_THAT(Needed("dead ?lock|hang(?:s|ing)"), ElementsAre(UnorderedElementsAre("dead", "hangs", "hanging")));
  EXPECT_THAT(Needed("(?m)^\\s*[2-3][.)]\\s+\\S"), ElementsAre(UnorderedElementsAre("2.", "2)", "3.", "3)")));
}

TEST(NeededLiterals, WhereSeveralMustBeThereThereAreTwoGroupsTheRareOnesFirst) {
  EXPECT_THAT(Needed("(?i)\\b(?:saves|loads)\\b.{0,40}\\bcheckpoint"),
              ElementsAre(ElementsAre("~checkpoint"), UnorderedElementsAre("~saves", "~loads")));
  // A short one is in nearly every text.
  EXPECT_THAT(Needed("(?i)\\b(?:is|loads)\\b.{0,40}\\bcheckpoint"), ElementsAre(ElementsAre("~checkpoint")));
}

TEST(NeededLiterals, AreInTheCaseInWhichTheyStandInThePattern) {
  EXPECT_THAT(Needed("\\bTP (?:degree|\\s+mesh)\\w*"),
              ElementsAre(UnorderedElementsAre("mesh", "degree"), ElementsAre("TP ")));
  EXPECT_THAT(Needed("\\bRing\\w+Attention"), ElementsAre(ElementsAre("Attention"), ElementsAre("Ring")));
  EXPECT_THAT(Needed("(?m:^TP)"), ElementsAre(ElementsAre("TP")));
  EXPECT_THAT(Needed("N[a-c]L"), ElementsAre(UnorderedElementsAre("NaL", "NbL", "NcL")));
}

TEST(NeededLiterals, MatchInEitherCaseWhereThePatternMayMeanBoth) {
  EXPECT_THAT(Needed("(?i)TP mesh"), ElementsAre(ElementsAre("~tp mesh")));
  EXPECT_THAT(Needed("TP (?i:mesh)"), ElementsAre(ElementsAre("~tp mesh")));
  EXPECT_THAT(Needed("(?mi)^TP"), ElementsAre(ElementsAre("~tp")));
  EXPECT_THAT(Needed("[Nn][Cc][Cc][Ll]"), ElementsAre(ElementsAre("~nccl")));
  EXPECT_THAT(Needed("[A-C]xb"), ElementsAre(UnorderedElementsAre("~axb", "~bxb", "~cxb")));
  EXPECT_THAT(Needed("\\x54P|xt"), ElementsAre(UnorderedElementsAre("~tp", "~xt")));
  EXPECT_THAT(Needed("[?-B]x|b"), IsEmpty());
  EXPECT_THAT(Needed("[@-B]x"), ElementsAre(UnorderedElementsAre("@x", "Ax", "Bx")));
  EXPECT_THAT(Needed("é-bB"), IsEmpty());
  EXPECT_THAT(Needed("[[:upper:]]?TP"), ElementsAre(ElementsAre("~tp")));
}

TEST(NeededLiterals, NoneWhereNothingIsNeededOrOnlyRe2KnowsTheCase) {
  EXPECT_THAT(Needed("\\d+"), IsEmpty());
  EXPECT_THAT(Needed("checkpoint|\\d+"), IsEmpty());
  EXPECT_THAT(Needed("(?i)größe"), IsEmpty());
}

}  // namespace
}  // namespace yardmaster::rules
