#include "services/core/lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(LinesOf, TheLastLineNeedsNoEnd) {
  EXPECT_THAT(LinesOf("a\n\nb"), ElementsAre("a", "", "b"));
  EXPECT_THAT(LinesOf("a\n"), ElementsAre("a"));
  EXPECT_THAT(LinesOf("\n"), ElementsAre(""));
  EXPECT_THAT(LinesOf(""), IsEmpty());
}

TEST(TrimBlanks, OnlyAtTheEnds) {
  EXPECT_EQ(TrimBlanks(" \ta b\r\n"), "a b");
  EXPECT_EQ(TrimBlanks(" \n"), "");
  EXPECT_EQ(TrimBlanks(""), "");
}

}  // namespace
}  // namespace yardmaster
