#include "rules/engine/checks/shared_pattern.h"

#include <gtest/gtest.h>

namespace yardmaster::rules {
namespace {

TEST(SharedPattern, IsOneForOneTextAsLongAsItIsHeld) {
  const auto first = SharedPattern("^shared_(.*)$");
  ASSERT_TRUE(first->ok());
  EXPECT_EQ(first, SharedPattern("^shared_(.*)$"));
  EXPECT_NE(first, SharedPattern("^shared_(.*)"));
}

TEST(SharedPattern, OfATextThatIsNoneSaysWhy) {
  const auto bad = SharedPattern("shared_(");
  EXPECT_FALSE(bad->ok());
  EXPECT_NE(bad->error(), "");
}

}  // namespace
}  // namespace yardmaster::rules
