#include "rules/engine/code/json_numbers.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster::rules {
namespace {

TEST(NumbersForGrammar, ASignInAnExponentAndWordsForNumbersAreReplacedInPlace) {
  const auto same_length = [](std::string_view text, std::string_view expected) {
    EXPECT_EQ(text.size(), expected.size());
    EXPECT_EQ(NumbersForGrammar(text).value_or("unchanged"), expected);
  };
  same_length("[3.4e+38, 1E+2, 2.e+1]", "[3.4e038, 1E02, 2.e01]");
  same_length("[NaN, Infinity, -Infinity]", "[111, 11111111, -11111111]");
  same_length(R"({"a\"": NaN})", R"({"a\"": 111})");
}

TEST(NumbersForGrammar, WhatIsNoNumberStays) {
  for (const char* text : {"[3.4e38, 1e-3]", R"(["NaN", "1e+3"])", R"(["\"NaN"])", "[NaNs, aNaN, xe+1, 1e+, 1+e+1]", "",
                           "\"", "\"\\", "e+"}) {
    EXPECT_FALSE(NumbersForGrammar(text).has_value()) << text;
  }
}

}  // namespace
}  // namespace yardmaster::rules
