#include "rules/engine/checks/case_text.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster::rules {
namespace {

TEST(CaseText, CasesBecomeAsManyEmptyTexts) {
  EXPECT_EQ(
      WithoutCases(R"({"checks": [{"bad": [["x, y", "]"]], "good": ["f[\"{", {"files": {}}, ["a"]], "id": "a"}]})"),
      R"({"checks": [{"bad": [""           ], "good": ["","",""                     ], "id": "a"}]})");
  EXPECT_EQ(WithoutCases(R"({"checks": [{"good": [ ], "bad": []}]})"), R"({"checks": [{"good": [ ], "bad": []}]})");
}

TEST(CaseText, WhatFollowsKeepsLineAndColumn) {
  EXPECT_EQ(WithoutCases("{\"checks\": [{\"bad\": [\n  [\"a\",\n   \"b\"],\n  \"c\"], \"id\": \"x\"}]}"),
            "{\"checks\": [{\"bad\": [\"\",\"\"\n\n\n     ], \"id\": \"x\"}]}");
}

TEST(CaseText, OnlyListsOfChecksAreCases) {
  for (const std::string text :
       {R"({"lists": {"good": ["a"], "bad": ["b"]}})", R"({"checks": [{"where": {"good": ["a"]}}]})",
        R"({"checks": [{"good": {"a": ["b"]}, "bad": "c"}]})", R"({"roles": [{"good": ["a"]}]})",
        R"({"checks": ["good", ["a"]]})"}) {
    EXPECT_EQ(WithoutCases(text), text);
  }
}

TEST(CaseText, BrokenTextsStayAsTheyAre) {
  for (const std::string text : {R"({"checks": [{"good": ["a", "b)", R"({"checks": [{"good": [["a"])",
                                 R"(}{"checks": [{"good": ["a"]}]})", R"({"checks": [{"good": ["a\)", "", "\""}) {
    EXPECT_EQ(WithoutCases(text), text);
  }
}

}  // namespace
}  // namespace yardmaster::rules
