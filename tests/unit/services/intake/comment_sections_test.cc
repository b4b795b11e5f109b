#include "services/intake/comment_sections.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(CommentSections, ASectionIsAddedReplacedAndTakenAway) {
  const std::string once = WithSection("The review.\n", "tests", "one passed\n");
  EXPECT_THAT(once, ::testing::StartsWith("The review.\n\n<!-- yardmaster section=tests -->\n\none passed"));
  EXPECT_EQ(WithSection(once, "tests", "one passed"), once);
  const std::string two = WithSection(WithSection(once, "other", "more"), "tests", "two passed");
  EXPECT_THAT(two, HasSubstr("two passed"));
  EXPECT_THAT(two, Not(HasSubstr("one passed")));
  EXPECT_THAT(two, HasSubstr("more"));
  EXPECT_EQ(WithSection(once, "tests", ""), "The review.");
}

TEST(CommentSections, WhoWritesTheCommentAnewKeepsWhatOthersWrote) {
  const std::string older = WithSection(WithSection("Old review.", "tests", "one passed"), "other", "more");
  const std::string anew = WithSectionsOf(older, "New review.\n");
  EXPECT_THAT(anew, ::testing::StartsWith("New review.\n\n<!--"));
  EXPECT_THAT(anew, Not(HasSubstr("Old review")));
  EXPECT_EQ(WithSection(WithSection("New review.", "tests", "one passed"), "other", "more"), anew);
  // One that has them already says what it means to say.
  EXPECT_EQ(WithSectionsOf(older, anew), anew);
  EXPECT_EQ(WithSectionsOf("", "New review."), "New review.");
}

TEST(CommentSections, ASectionThatWasCutOffEndsWithTheComment) {
  const std::string cut = "Review.\n\n<!-- yardmaster section=tests -->\n\none pas";
  EXPECT_EQ(WithSection(cut, "tests", "two"), WithSection("Review.", "tests", "two"));
}

}  // namespace
}  // namespace yardmaster
