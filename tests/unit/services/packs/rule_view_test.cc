#include "services/packs/rule_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::Pair;

TEST(RuleView, TellsWhatARuleSaysBeforeHowItIsWrittenAndItsCasesLast) {
  v1::RuleInfo rule;
  rule.set_kind("check");
  rule.set_json(
      R"JSON({"bad": ["a()"], "each": "call", "fix": "Do b.", "good": ["b()"], "id": "R1", "message": "a", "title": "no a"})JSON");
  const RuleView view = ViewOf(rule);
  EXPECT_THAT(view.prose, ElementsAre(Pair("title", "no a"), Pair("message", "a"), Pair("fix", "Do b.")));
  EXPECT_EQ(view.written, "{\n  \"each\": \"call\"\n}");
  EXPECT_THAT(view.cases, HasSubstr("\"bad\": [\n    \"a()\"\n  ]"));
}

TEST(RuleView, TakesEnglishWhereATextHasTwoLanguages) {
  v1::RuleInfo rule;
  rule.set_kind("command");
  rule.set_json(R"({"id": "squash", "title": {"en": "Squash", "zh": "压缩"}, "good": true})");
  const RuleView view = ViewOf(rule);
  EXPECT_THAT(view.prose, ElementsAre(Pair("title", "Squash")));
  EXPECT_THAT(view.written, HasSubstr("good"));
  EXPECT_THAT(view.cases, IsEmpty());
}

TEST(RuleView, WhatIsNoJsonIsShownAsItCame) {
  v1::RuleInfo rule;
  rule.set_json("{");
  EXPECT_EQ(ViewOf(rule).written, "{");
  EXPECT_THAT(ViewOf(rule).prose, IsEmpty());
}

}  // namespace
}  // namespace yardmaster
