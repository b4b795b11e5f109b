#include "rules/engine/checks/normalized.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster::rules {
namespace {

TEST(Normalized, IsWithoutWhatFormattingChanges) {
  EXPECT_EQ(Normalized(""), "");
  EXPECT_EQ(Normalized(" \n\t "), "");
  EXPECT_EQ(Normalized("f( 'a',\n  b, )\n"), "f(\"a\",b)");
  EXPECT_EQ(Normalized("[1,\n]"), "[1]");
  EXPECT_EQ(Normalized("(1,,)"), "(1,)");
  EXPECT_EQ(Normalized("a, b,"), "a,b,");
}

TEST(Normalized, TextsAreComparedAsTheyAreWritten) {
  const std::string texts[] = {"",       " ",       ",",      "f(a, b)", "f(a,b,\n)", "f('a')", "f(\"a\")",
                               "f(a,,)", "f(a , )", "f(a)  ", "f(a)x",   "f(a",       "x,",     "x, "};
  for (const std::string& a : texts) {
    for (const std::string& b : texts) {
      EXPECT_EQ(SameNormalized(a, b), Normalized(a) == Normalized(b)) << a << " and " << b;
    }
  }
}

}  // namespace
}  // namespace yardmaster::rules
