#include "rules/engine/text/alternatives.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;

TEST(AlternativesOf, AreThoseOutsideOfGroupsWithTheFlagsAndBoundariesOfAll) {
  EXPECT_THAT(AlternativesOf("ab|c(?:d|e)|[|]"), ElementsAre("(?:ab)", "(?:c(?:d|e))", "(?:[|])"));
  EXPECT_THAT(AlternativesOf("(?i)\\b(?:a|b.c)\\b"), ElementsAre("(?i)\\b(?:a)\\b", "(?i)\\b(?:b.c)\\b"));
  EXPECT_THAT(AlternativesOf("(?m)^a|b\\||[]|]c"), ElementsAre("(?m)(?:^a)", "(?m)(?:b\\|)", "(?m)(?:[]|]c)"));
  EXPECT_THAT(AlternativesOf("\\b(?:a|b)"), ElementsAre("\\b(?:a)", "\\b(?:b)"));
}

TEST(AlternativesOf, APatternThatIsNoneIsLeftAsItIs) {
  for (const std::string pattern : {"ab", "(?:a|b)c", "(?:a)(?:b|c)", "(?:a|b)+", "\\b(?:a|b\\)\\b", "a|(b", "a|b)",
                                    "a|[b", "a|(?i)b", "a|[[:alpha:]|]", "a|\\Qb|c\\E", "a|b\\"}) {
    EXPECT_THAT(AlternativesOf(pattern), ElementsAre(pattern));
  }
}

}  // namespace
}  // namespace yardmaster::rules
