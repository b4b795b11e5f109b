#include "services/commands/pipe/direct_text.h"

#include <gtest/gtest.h>

namespace yardmaster::commands {
namespace {

TEST(DirectTextTest, SentencesGetTheMentionThatTheyDontNeed) {
  EXPECT_EQ(DirectText("why #12", "bot"), "@bot why #12");
  EXPECT_EQ(DirectText("  why #12 ", ""), "@yardmaster why #12");
  EXPECT_EQ(DirectText("/why #12", "bot"), "/why #12");
  EXPECT_EQ(DirectText("/yard why #12", "bot"), "@bot why #12");
  EXPECT_EQ(DirectText("/yard /why #12", "bot"), "/why #12");
  EXPECT_EQ(DirectText("/yard", "bot"), "@bot ");
  EXPECT_EQ(DirectText("/yardstick", "bot"), "/yardstick");
}

TEST(DirectTextTest, WordsThatNameTheSubjectAreTakenOut) {
  v1::Subject subject;
  subject.set_number(12);
  EXPECT_EQ(WithoutSubject("/yes #12", subject), "/yes ");
  EXPECT_EQ(WithoutSubject("/yes 12", subject), "/yes ");
  EXPECT_EQ(WithoutSubject("/undo octo/repo!12\nnext", subject), "/undo \nnext");
  EXPECT_EQ(WithoutSubject("/undo https://github.com/o/r/pull/12", subject), "/undo ");
  EXPECT_EQ(WithoutSubject("/label area/12 v12 112 #120 a=12", subject), "/label area/12 v12 112 #120 a=12");
}

}  // namespace
}  // namespace yardmaster::commands
