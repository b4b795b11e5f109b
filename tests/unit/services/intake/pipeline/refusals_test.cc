// Forges that refuse: what is final for a subject, what waits for an operator, and what goes on all the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "clients/forge/forge_error.h"
#include "services/core/reasons.h"
#include "services/intake/outcome.h"
#include "tests/unit/services/intake/world.h"

namespace yardmaster {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using testing::kRepository;
using testing::World;

absl::Status Refused(ForgeReason reason, int status, std::string_view text) {
  return MakeForgeStatus({reason, ForgeOutcome::kRefused, status, std::nullopt}, text);
}

std::vector<std::string> NoticeKeys(const World& world) {
  std::vector<std::string> keys;
  for (const Notice& notice : world.notices_->List()) keys.push_back(notice.key);
  return keys;
}

TEST(Refusals, WhatTheForgeRefusesForGoodIsFinalAndTheRestWaits) {
  for (const ForgeReason reason :
       {ForgeReason::kForbidden, ForgeReason::kNotFound, ForgeReason::kInvalid, ForgeReason::kConflict}) {
    EXPECT_TRUE(Outcome::OfForge(Refused(reason, 403, "no")).failed()) << static_cast<int>(reason);
  }
  EXPECT_EQ(Outcome::OfForge(Refused(ForgeReason::kUnauthorized, 401, "no")).kind, Outcome::Kind::kRetry);
  EXPECT_EQ(Outcome::OfForge(Refused(ForgeReason::kServer, 503, "no")).kind, Outcome::Kind::kRetry);
  EXPECT_EQ(Outcome::OfForge(Refused(ForgeReason::kRateLimited, 429, "no")).kind, Outcome::Kind::kWait);
}

TEST(Refusals, LabelsOfALockedIssueAreSetAndItsCommentIsTriedOnce) {
  World world;
  world.forge_.Open(kRepository, 1, "socket broken", "The socket does not work.", {"queue"});
  world.forge_.refuse_comments = Refused(ForgeReason::kForbidden, 403, "the conversation is locked");
  const int64_t id = world.Opened(1);
  const auto start = world.clock_.Now();
  world.Run();
  EXPECT_TRUE(world.Labels(1).contains("team b"));
  int comments = 0;
  for (const store::Effect& effect : world.Effects()) {
    if (effect.kind != "post_template") continue;
    ++comments;
    EXPECT_EQ(effect.state, store::EffectState::kRefused);
    EXPECT_EQ(effect.attempts, 1);
  }
  EXPECT_EQ(comments, 1);
  EXPECT_NE(world.Get(id).state, store::DeliveryState::kReceived);
  EXPECT_LT(world.clock_.Now() - start, std::chrono::minutes(5));
  world.ExpectSettled();
}

TEST(Refusals, WithoutAccessADeliveryWaitsAndAnOperatorIsTold) {
  World world;
  world.forge_.Open(kRepository, 1, "socket broken", "The socket does not work.", {"queue"});
  world.forge_.unreadable.insert(kRepository);
  const int64_t id = world.Opened(1);
  for (int i = 0; i < 50 && world.pipeline_->RunOne();) ++i;
  EXPECT_EQ(world.Get(id).state, store::DeliveryState::kReceived) << world.StateOf(id);
  EXPECT_THAT(NoticeKeys(world), Contains("access to github:octo/repo"));

  world.forge_.unreadable.clear();
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done");
  EXPECT_THAT(NoticeKeys(world), IsEmpty());
}

TEST(Refusals, AnIssueThatIsGoneEndsItsDeliveryWhereTheRepositoryIsThere) {
  World world;
  world.forge_.Open(kRepository, 1, "socket broken", "The socket does not work.", {"queue"});
  const int64_t id = world.Opened(1);
  world.forge_.refuse_issues[1] = Refused(ForgeReason::kNotFound, 404, "no such issue");
  world.Run();
  EXPECT_EQ(reasons::CodeOf(world.Get(id).reason), reasons::kGone);
  EXPECT_THAT(NoticeKeys(world), IsEmpty());
}

TEST(Refusals, ALabelThatTheRepositoryLacksIsNamedOnceAndNeverMade) {
  World world;
  // As the repository writes them.
  world.forge_.repository_labels[kRepository] = {"Queue", "Team B", "done", "needs info"};
  for (int64_t number : {1, 2}) {
    world.forge_.Open(kRepository, number, "socket broken", "The socket does not work.", {"queue"});
    world.Opened(number);
  }
  world.Run();
  for (int64_t number : {1, 2}) {
    EXPECT_TRUE(world.Labels(number).contains("done"));
    EXPECT_TRUE(world.Labels(number).contains("team b"));
    EXPECT_FALSE(world.Labels(number).contains("area: net"));
  }
  EXPECT_THAT(NoticeKeys(world), ::testing::ElementsAre("label 'area: net' in github:octo/repo"));
}

TEST(Refusals, WhatWeWroteIsOursWhateverLoginIsConfigured) {
  World world;
  world.bot_login_ = "another-account";
  world.Boot();
  world.forge_.Open(kRepository, 1, "socket broken", "The socket does not work.", {"queue"});
  world.Opened(1);
  world.Run();
  const auto comments = world.forge_.At(kRepository, 1).comments;
  ASSERT_EQ(comments.size(), 1U);
  // The forge tells us of our own comment, as if its author had answered.
  nlohmann::json body = world.Body("created", 1, "yardbot");
  body["comment"] = {{"id", std::stoll(comments[0].id)},
                     {"body", comments[0].body},
                     {"user", {{"login", "yardbot"}, {"type", "User"}}}};
  const int64_t id = world.Deliver("issue_comment", body);
  world.Run();
  EXPECT_EQ(world.Get(id).state, store::DeliveryState::kIgnored) << world.StateOf(id);
  EXPECT_EQ(world.forge_.At(kRepository, 1).comments.size(), 1U);
}

TEST(Refusals, ALoginThatTheForgeRefusesToTellIsAskedForAgain) {
  World world;
  world.bot_login_.clear();
  world.Boot();
  world.forge_.refuse_user = Refused(ForgeReason::kForbidden, 403, "not for this token");
  world.forge_.Open(kRepository, 1, "socket broken", "The socket does not work.", {"queue"});
  const int64_t id = world.Opened(1);
  world.Run();
  EXPECT_EQ(world.StateOf(id), "done") << "what needs no login goes on";
  EXPECT_THAT(NoticeKeys(world), ::testing::ElementsAre("login of github"));
  const int asked = world.forge_.asked_for_user;

  world.forge_.refuse_user.reset();
  world.clock_.Advance(std::chrono::minutes(2));
  world.forge_.Open(kRepository, 2, "socket broken", "The socket does not work.", {"queue"});
  world.Opened(2);
  world.Run();
  EXPECT_EQ(world.forge_.asked_for_user, asked + 1);
  EXPECT_THAT(NoticeKeys(world), IsEmpty());
  EXPECT_TRUE(world.account_->IsOurs(world.forge_.login));
}

TEST(Refusals, ACommentThatNoListShowsIsNotWrittenTwice) {
  World world;
  world.forge_.list_new_comments = false;
  world.forge_.Open(kRepository, 1, "socket broken", "The socket does not work.", {"queue"});
  const int64_t id = world.Opened(1);
  world.Run();
  EXPECT_EQ(world.forge_.unlisted[1].size(), 1U);
  EXPECT_EQ(world.StateOf(id), "done");
  world.ExpectSettled();
}

TEST(Refusals, EffectsThatNoDeliverySettlesAreEndedByTheSweepOfTheLedger) {
  World world;
  store::NewEffect unsent;
  unsent.key = "unsent";
  unsent.subject.set_forge("github");
  unsent.subject.set_repository(kRepository);
  unsent.subject.set_kind(v1::SUBJECT_KIND_ISSUE);
  unsent.subject.set_number(1);
  unsent.kind = "add_labels";
  unsent.action.mutable_add_labels()->add_labels("team a");
  store::NewEffect gone = unsent;
  gone.key = "gone";
  gone.subject.set_number(2);
  world.forge_.Open(kRepository, 1, "socket broken", "The socket does not work.", {"queue"});
  ASSERT_TRUE(world.store_->ledger().Intent(unsent).ok());
  const auto sent = world.store_->ledger().Intent(gone);
  ASSERT_TRUE(world.store_->ledger().Sending(sent->id).ok());
  ASSERT_TRUE(world.store_->ledger().MarkUnknown(sent->id, world.clock_.Now(), "429", "").ok());
  world.Run();
  world.ExpectSettled();
  for (const store::Effect& effect : world.Effects()) EXPECT_NE(effect.state, store::EffectState::kConfirmed);
  EXPECT_TRUE(world.Labels(1).contains("queue"));
  EXPECT_FALSE(world.Labels(1).contains("team a"));
}

// A label that was sent, and whose answer was lost.
void LoseAnAnswer(World& world) {
  store::NewEffect effect;
  effect.key = "lost";
  effect.subject.set_forge("github");
  effect.subject.set_repository(kRepository);
  effect.subject.set_kind(v1::SUBJECT_KIND_ISSUE);
  effect.subject.set_number(1);
  effect.kind = "add_labels";
  effect.action.mutable_add_labels()->add_labels("team a");
  const auto sent = world.store_->ledger().Intent(effect);
  ASSERT_TRUE(sent.ok()) << sent.status();
  ASSERT_TRUE(world.store_->ledger().Sending(sent->id).ok());
  ASSERT_TRUE(world.store_->ledger().MarkUnknown(sent->id, world.clock_.Now(), "429", "").ok());
}

TEST(Refusals, AForgeThatIsAwayForDaysLeavesNothingPendingForEver) {
  World world;
  world.bot_login_.clear();
  world.Boot();
  world.forge_.refuse_user = Refused(ForgeReason::kServer, 503, "away");
  LoseAnAnswer(world);
  const auto start = world.clock_.Now();
  world.Run();
  world.ExpectSettled();
  ASSERT_EQ(world.Effects().size(), 1U);
  EXPECT_GE(world.clock_.Now() - start, kMaxEffectAge);
  EXPECT_EQ(world.Effects()[0].state, store::EffectState::kFailed);
}

TEST(Refusals, WhatIsOpenOnAForgeThatIsNoLongerConfiguredEnds) {
  World world;
  LoseAnAnswer(world);
  world.environment_->forges.clear();
  world.Run();
  world.ExpectSettled();
  EXPECT_EQ(world.Effects()[0].state, store::EffectState::kFailed);
  EXPECT_THAT(world.Effects()[0].reason, HasSubstr("no longer configured"));
}

}  // namespace
}  // namespace yardmaster
