#include "rules/engine/code/python_stars.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace yardmaster::rules {
namespace {

TEST(StarsForGrammar, AStarOfBracketsOrAStringInAListWithoutBracketsBecomesABlank) {
  const auto same_length = [](std::string_view text, std::string_view expected) {
    EXPECT_EQ(text.size(), expected.size());
    EXPECT_EQ(StarsForGrammar(text).value_or("unchanged"), expected);
  };
  same_length("a = b, *[c]", "a = b,  [c]");
  same_length("a = *(b), * {c}", "a =  (b),   {c}");
  same_length("return *(f(*[a])), *b", "return  (f(*[a])), *b");
  same_length("for x in *'ab', c:", "for x in  'ab', c:");
  same_length("x = yield *\"a\", b", "x = yield  \"a\", b");
}

TEST(StarsForGrammar, OtherStarsStay) {
  for (const char* text : {"f(a, *[b])", "[a, *[b]]", "x = (a,\n *[b])", "a, *b = c", "a * (b)", "a = b ** (c)",
                           "a *= (b)", "a = b, **{c}", "'a, *[b]'", "# a, *[b]", "\"\"\"\na, *[b]\n\"\"\"",
                           "'\\', *[b]'", "main *(a)", "a = b * *[c]", "", "*", "'", "*("}) {
    EXPECT_FALSE(StarsForGrammar(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace yardmaster::rules
