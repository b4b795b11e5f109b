#include "rules/engine/phrases/concept_pattern.h"

#include <gtest/gtest.h>

#include <utility>
#include <vector>

namespace yardmaster::rules {
namespace {

using Repeat = ConceptPattern::Repeat;

ConceptPattern Of(std::vector<ConceptPattern::Item> items) {
  ConceptPattern pattern;
  for (ConceptPattern::Item& item : items) pattern.Add(std::move(item));
  return pattern;
}

ConceptBits Bits(const std::vector<uint16_t>& concepts) {
  ConceptBits bits;
  for (const uint16_t number : concepts) bits.Add(number);
  return bits;
}

TEST(ConceptPattern, AGapTakesAsLittleAsItCanAndNoMoreThanItMay) {
  const ConceptPattern pattern = Of({{Repeat::kOnce, 0, {1}}, {Repeat::kGap, 3, {}}, {Repeat::kOnce, 0, {2}}});
  ConceptPattern::Found found;
  ASSERT_TRUE(pattern.Match({9, 1, 7, 2, 2}, found));
  EXPECT_EQ(found.begin, 1u);
  EXPECT_EQ(found.end, 4u);
  EXPECT_FALSE(pattern.Match({1, 7, 7, 7, 7, 2}, found));
}

TEST(ConceptPattern, RepeatsTakeAsMuchAsTheyCanAndGiveBack) {
  const ConceptPattern pattern =
      Of({{Repeat::kOptional, 0, {1}}, {Repeat::kStar, 0, {1, 2}}, {Repeat::kOnce, 0, {2}}, {Repeat::kPlus, 0, {3}}});
  ConceptPattern::Found found;
  ASSERT_TRUE(pattern.Match({1, 2, 1, 2, 3, 3, 4}, found));
  EXPECT_EQ(found.begin, 0u);
  EXPECT_EQ(found.end, 6u);
  EXPECT_FALSE(pattern.Match({1, 2, 4}, found));
}

TEST(ConceptPattern, AnchorsHoldAtBothEnds) {
  ConceptPattern pattern = Of({{Repeat::kOnce, 0, {5}}});
  pattern.AnchorBegin();
  pattern.AnchorEnd();
  ConceptPattern::Found found;
  EXPECT_TRUE(pattern.Match({5}, found));
  EXPECT_FALSE(pattern.Match({5, 6}, found));
  EXPECT_FALSE(pattern.Match({6, 5}, found));
  EXPECT_FALSE(pattern.Match({}, found));
}

TEST(ConceptPattern, IsPossibleOnlyWhereAllThatItNeedsIsThere) {
  const ConceptPattern pattern =
      Of({{Repeat::kOnce, 0, {1, 300}}, {Repeat::kOptional, 0, {4}}, {Repeat::kPlus, 0, {2}}});
  EXPECT_TRUE(pattern.Possible(Bits({300, 2})));
  EXPECT_FALSE(pattern.Possible(Bits({300, 4})));
  EXPECT_FALSE(pattern.Possible(Bits({})));
}

}  // namespace
}  // namespace yardmaster::rules
