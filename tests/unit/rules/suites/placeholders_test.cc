#include "rules/suites/placeholders.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const PlaceholderValues kValues = {
    {"OUT", "/out/3"}, {"RANK", "3"}, {"matrix.dtype", "float32"}, {"TRICKY", "${RANK}"}};

std::string Filled(std::string_view text) {
  std::string error;
  const auto filled = Substitute(text, kValues, error);
  return filled ? *filled : "error: " + error;
}

TEST(Substitute, NamesBecomeTheirValues) {
  EXPECT_EQ(Filled(""), "");
  EXPECT_EQ(Filled("no names"), "no names");
  EXPECT_EQ(Filled("${OUT}/r${RANK}.xml"), "/out/3/r3.xml");
  EXPECT_EQ(Filled("${RANK}${RANK}"), "33");
  EXPECT_EQ(Filled("--dtype=${matrix.dtype}"), "--dtype=float32");
}

TEST(Substitute, AValueIsNotLookedAtAgain) { EXPECT_EQ(Filled("${TRICKY}"), "${RANK}"); }

TEST(Substitute, DollarsOfTheShellStay) {
  EXPECT_EQ(Filled("$HOME $(ls) $$ $"), "$HOME $(ls) $$ $");
  EXPECT_EQ(Filled("{RANK} }"), "{RANK} }");
}

TEST(Substitute, TwoDollarsBeforeABraceArePlain) {
  EXPECT_EQ(Filled("$${RANK}"), "${RANK}");
  EXPECT_EQ(Filled("$${X:-1} ${RANK}"), "${X:-1} 3");
  EXPECT_EQ(Filled("$$${RANK}"), "$${RANK}");
}

TEST(Substitute, AnUnknownEmptyOrOpenNameIsAnError) {
  EXPECT_EQ(Filled("${RANKS}"), "error: unknown placeholder \"${RANKS}\"");
  EXPECT_EQ(Filled("a ${} b"), "error: unknown placeholder \"${}\"");
  EXPECT_EQ(Filled("a ${RANK"), "error: expected \"}\" after \"${RANK\"");
  EXPECT_EQ(Filled("a ${"), "error: expected \"}\" after \"${\"");
}

TEST(Substitute, AnErrorIsReadableWhateverTheTextIs) {
  EXPECT_THAT(Filled(std::string("${") + '\0' + "\xff}"), HasSubstr("unknown placeholder"));
}

TEST(PlaceholderNames, AreThoseOfTheTextEachOnce) {
  EXPECT_THAT(PlaceholderNames("${B} ${A}${B} $${C} $D"), ElementsAre("B", "A"));
  EXPECT_THAT(PlaceholderNames("plain"), IsEmpty());
  EXPECT_THAT(PlaceholderNames("${A} ${B"), ElementsAre("A"));
}

}  // namespace
}  // namespace yardmaster::rules
