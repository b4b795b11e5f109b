#include "services/core/store/effect_payloads.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster::store {
namespace {

TEST(EffectPayloads, EveryKindOfOldBecomesItsAction) {
  const v1::Action added = ActionOfOldPayload("add_labels", R"({"labels":["a","b c"],"command":"label"})");
  ASSERT_EQ(added.add_labels().labels_size(), 2);
  EXPECT_EQ(added.add_labels().labels(1), "b c");
  EXPECT_EQ(added.add_labels().command(), "label");
  EXPECT_EQ(ActionOfOldPayload("remove_labels", R"({"labels":["a"]})").remove_labels().labels(0), "a");
  const v1::Action posted = ActionOfOldPayload("post_template", R"({"template":"more","body":"text","key":"p-1"})");
  EXPECT_EQ(posted.post_template().template_id(), "more");
  EXPECT_EQ(posted.post_template().body(), "text");
  const v1::Action reacted = ActionOfOldPayload("react", R"({"comment":"77","content":"eyes"})");
  EXPECT_EQ(reacted.react().comment(), "77");
  EXPECT_EQ(reacted.react().content(), "eyes");
}

TEST(EffectPayloads, AnAnswersNameAndRevisionAreReadFromWhereTheyStood) {
  const v1::Action action = ActionOfOldPayload(
      "answer_comment",
      R"({"key":"a-0123456789abcdef-3","body":"Done.\n\n<!-- yardmaster pack=p template=answer-7 key=a-0123 -->"})");
  EXPECT_EQ(action.answer_comment().name(), "answer-7");
  EXPECT_EQ(action.answer_comment().revision(), 3);
  EXPECT_TRUE(action.answer_comment().body().starts_with("Done."));
}

// An action that says nothing: executing it is refused, and the effect ends.
TEST(EffectPayloads, WhatCanNotBeReadSaysNothing) {
  for (const char* payload : {"", "not json", "[]", R"({"labels": 7})", R"({"labels": [7]})"}) {
    EXPECT_EQ(ActionOfOldPayload("add_labels", payload).add_labels().labels_size(), 0) << payload;
  }
  EXPECT_EQ(ActionOfOldPayload("of_tomorrow", "{}").action_case(), v1::Action::ACTION_NOT_SET);
}

}  // namespace
}  // namespace yardmaster::store
