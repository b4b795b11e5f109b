#include "services/intake/plans/last_answer.h"

#include <gtest/gtest.h>

#include <string>

#include "services/intake/effects/answer_comment.h"
#include "tests/unit/services/intake/world.h"

namespace yardmaster {
namespace {

class LastAnswerTest : public ::testing::Test {
 protected:
  LastAnswerTest() {
    subject_.set_forge("github");
    subject_.set_repository(testing::kRepository);
    subject_.set_number(1);
    subject_.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  }
  // Notes that it is about to be said; its row in the ledger.
  int64_t Say(const std::string& name, const std::string& text, int64_t revision) {
    store::NewEffect effect;
    effect.key = AnswerKey(subject_, name, revision);
    effect.subject = subject_;
    effect.kind = "answer_comment";
    v1::AnswerComment& answer = *effect.action.mutable_answer_comment();
    answer.set_name(name);
    answer.set_body(text);
    answer.set_revision(revision);
    const auto intent = world_.store_->ledger().Intent(effect);
    EXPECT_TRUE(intent.ok()) << intent.status();
    return intent.ok() ? intent->id : 0;
  }
  AnswerBefore Last(int64_t delivery) {
    const SubjectRun run(*world_.environment_, subject_, delivery, ForgePriority::kEvent);
    const absl::StatusOr<AnswerBefore> last = LastAnswer(run, "summary");
    EXPECT_TRUE(last.ok()) << last.status();
    return last.value_or(AnswerBefore());
  }

  testing::World world_;
  v1::Subject subject_;
};

TEST_F(LastAnswerTest, TheNextRevisionIsTheDeliverysAndAboveAllBefore) {
  EXPECT_EQ(Last(3).text, "");
  EXPECT_EQ(Last(3).next_revision, 3);
  Say("other", "elsewhere", 9);
  EXPECT_EQ(Last(3).next_revision, 3);
  // The delivery was cut short after it had said this, and now finds another head.
  Say("summary", "of the old head", 3);
  EXPECT_EQ(Last(3).text, "of the old head");
  EXPECT_EQ(Last(3).next_revision, 4);
  EXPECT_EQ(Last(8).next_revision, 8);
}

TEST_F(LastAnswerTest, WhatWasRefusedIsNoTextButItsRevisionIsUsed) {
  Say("summary", "first", 3);
  EXPECT_TRUE(world_.store_->ledger().MarkRefused(Say("summary", "refused", 4), "no").ok());
  EXPECT_EQ(Last(3).text, "first");
  EXPECT_EQ(Last(3).next_revision, 5);
}

}  // namespace
}  // namespace yardmaster
