// Refs that move, pull requests that are opened and described anew, and commands that wait for a yes: each once,
// whatever is lost and whoever dies, and never over what somebody else did meanwhile.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "services/intake/effects/kinds.h"
#include "tests/support/rounds.h"
#include "tests/unit/services/intake/effects/effect_runs.h"

namespace yardmaster {
namespace {

using store::EffectState;
using ::testing::HasSubstr;
using testing::kRepository;

constexpr const char* kFork = "alice/repo";
constexpr const char* kTopic = "refs/heads/topic";

std::string Commit(char digit) { return std::string(40, digit); }

v1::Action PushAction(const std::string& old_id, const std::string& new_id, const std::string& cause = "c1") {
  v1::Action action;
  v1::PushRef& push = *action.mutable_push_ref();
  push.set_repository(kFork);
  push.set_ref(kTopic);
  push.set_old_id(old_id);
  push.set_new_id(new_id);
  push.set_pack("PACK");
  push.set_cause(cause);
  return action;
}

v1::Action OpenAction() {
  v1::Action action;
  v1::OpenPull& open = *action.mutable_open_pull();
  open.set_head_repository(kRepository);
  open.set_head("backport-1-to-r1");
  open.set_head_id(Commit('b'));
  open.set_base("r1");
  open.set_title("[r1] A change");
  open.set_body("Backport of #1");
  open.set_cause("c1");
  return action;
}

v1::Action EditAction(const std::string& title = "new", const std::string& body = "new text") {
  v1::Action action;
  v1::EditPull& edit = *action.mutable_edit_pull();
  edit.set_title(title);
  edit.set_body(body);
  edit.set_old_title("old");
  edit.set_old_body("old text");
  edit.set_cause("c1");
  return action;
}

class PullEffects : public testing::EffectRuns {
 public:
  void TestBody() override {}
  PullEffects() : EffectRuns(v1::SUBJECT_KIND_PULL_REQUEST) {
    ForgePull& pull = world_.forge_.pulls[{kRepository, 1}];
    pull.number = 1;
    pull.title = "old";
    pull.body = "old text";
    Topic() = Commit('a');
    world_.git_.refs[kRepository]["refs/heads/backport-1-to-r1"] = Commit('b');
  }
  std::string& Topic() { return world_.git_.refs[kFork][kTopic]; }
  ForgePull& Pull(int64_t number = 1) { return world_.forge_.pulls[{kRepository, number}]; }
  void ExpectEnded(EffectState state, const std::string& reason) {
    EXPECT_EQ(Last().state, state);
    EXPECT_THAT(Last().reason, HasSubstr(reason));
  }
  void Unwell(uint64_t seed) {
    random_.seed(seed);
    world_.forge_.Seed(seed,
                       {.not_sent = 8, .limited = 8, .lost_before = 8, .lost_after = 12, .late = 12, .invisible = 12});
    world_.git_.Seed(seed, {.unreachable = 8, .lost_before = 12, .lost_after = 12});
    deaths_ = 0;
    world_.die_again = [this]() -> int64_t { return ++deaths_ < 4 ? static_cast<int64_t>(1 + random_() % 20) : -1; };
    world_.points_ = 0;
    world_.die_at_ = static_cast<int64_t>(1 + random_() % 20);
  }
  void Well() {
    world_.die_at_ = 0;
    world_.clock_.Advance(std::chrono::minutes(1));
    world_.ExpectSettled();
  }
  // What a backport does: the branch, then the pull request.
  void BackportBySeed(uint64_t seed) {
    world_.git_.refs[kRepository].clear();
    v1::Action push = PushAction("", Commit('b'));
    push.mutable_push_ref()->set_repository(kRepository);
    push.mutable_push_ref()->set_ref("refs/heads/backport-1-to-r1");
    Unwell(seed);
    EXPECT_TRUE(Run({push, OpenAction()}).done());
    Well();
    EXPECT_EQ(world_.git_.moves, 1);
    EXPECT_EQ(world_.forge_.opened_pulls, 1);
  }
  void PushBySeed(uint64_t seed) {
    Unwell(seed);
    EXPECT_TRUE(Run({PushAction(Commit('a'), Commit('b'))}).done());
    Well();
    EXPECT_EQ(Topic(), Commit('b'));
    EXPECT_EQ(world_.git_.moves, 1);
  }
  // Somebody else pushes at some time: theirs stays, and ours is there or refused.
  void RaceBySeed(uint64_t seed) {
    Unwell(seed);
    const uint64_t when = 1 + random_() % 3;
    uint64_t seen = 0;
    world_.git_.before_push = [&] {
      if (++seen == when) Topic() = Commit('f');
    };
    Run({PushAction(Commit('a'), Commit('b'))});
    Well();
    // Over it nothing was pushed; it may have come after ours.
    if (seen >= when) EXPECT_EQ(Topic(), Commit('f'));
    EXPECT_LE(world_.git_.moves, 1);
  }
  void EditBySeed(uint64_t seed) {
    Unwell(seed);
    EXPECT_TRUE(Run({EditAction()}).done());
    Well();
    EXPECT_EQ(Pull().title, "new");
    EXPECT_EQ(Pull().body, "new text");
  }

 private:
  std::mt19937_64 random_;
  int deaths_ = 0;
};

void ForSeeds(void (PullEffects::*test)(uint64_t)) {
  for (uint64_t seed = 1; seed <= testing::Rounds("YARD_EFFECT_SEEDS", 100); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    (PullEffects().*test)(seed);
    if (::testing::Test::HasFailure()) break;
  }
}

// --- push_ref ---

TEST_F(PullEffects, ARefMovesFromWhereItWas) {
  ASSERT_TRUE(Run({PushAction(Commit('a'), Commit('b'))}).done());
  EXPECT_EQ(Topic(), Commit('b'));
  EXPECT_EQ(Last().state, EffectState::kConfirmed);
  EXPECT_EQ(Last().forge_ref, Commit('b'));
  // The same push, planned once more: it is done.
  ASSERT_TRUE(Run({PushAction(Commit('a'), Commit('b'))}).done());
  EXPECT_EQ(world_.git_.pushes, 1);
}

TEST_F(PullEffects, ABranchIsMadeAndRemoved) {
  world_.git_.refs[kFork].clear();
  ASSERT_TRUE(Run({PushAction("", Commit('b'))}).done());
  EXPECT_EQ(Topic(), Commit('b'));
  ASSERT_TRUE(Run({PushAction(Commit('b'), "", "c2")}).done());
  EXPECT_FALSE(world_.git_.refs[kFork].contains(kTopic));
  EXPECT_EQ(Last().forge_ref, "removed");
}

TEST_F(PullEffects, WhatSomebodyPushedBetweenPlanAndPushStays) {
  world_.git_.before_push = [this] { Topic() = Commit('f'); };
  EXPECT_TRUE(Run({PushAction(Commit('a'), Commit('b'))}).failed());
  EXPECT_EQ(Topic(), Commit('f'));
  EXPECT_EQ(world_.git_.moves, 0);
  ExpectEnded(EffectState::kRefused, "somebody else has moved refs/heads/topic of alice/repo to " + Commit('f'));
  // Not even when it is planned again by the same words.
  EXPECT_TRUE(Run({PushAction(Commit('a'), Commit('b'))}).failed());
  EXPECT_EQ(Topic(), Commit('f'));
}

TEST_F(PullEffects, ARefusalOfTheServerIsTheEnd) {
  world_.git_.refuses = "protected branch hook declined";
  EXPECT_TRUE(Run({PushAction(Commit('a'), Commit('b'))}).failed());
  EXPECT_EQ(world_.git_.pushes, 1) << "refusals are not tried again";
  ExpectEnded(EffectState::kRefused, "protected branch hook declined");
}

TEST_F(PullEffects, APushOfUnknownOutcomeIsReadBack) {
  world_.git_.Seed(1, {.lost_after = 100});
  EXPECT_TRUE(Run({PushAction(Commit('a'), Commit('b'))}).done());
  EXPECT_EQ(world_.git_.pushes, 1) << "it was found there";
  EXPECT_EQ(Last().state, EffectState::kConfirmed);
}

TEST_F(PullEffects, WithoutAGitServerNothingIsPushed) {
  world_.account_->WriteWith(&world_.forge_, nullptr);
  EXPECT_TRUE(Run({PushAction(Commit('a'), Commit('b'))}).failed());
  EXPECT_EQ(Topic(), Commit('a'));
}

TEST_F(PullEffects, OnlyBranchesMoveAndOnlyToCommits) {
  const auto fine = [this](const std::function<void(v1::PushRef&)>& change) {
    v1::Action action = PushAction(Commit('a'), Commit('b'));
    change(*action.mutable_push_ref());
    return PushRefEffect().Prepare(plan_, action).ok();
  };
  EXPECT_TRUE(fine([](v1::PushRef&) {}));
  EXPECT_FALSE(fine([](v1::PushRef& push) { push.set_ref("refs/tags/v1"); }));
  EXPECT_FALSE(fine([](v1::PushRef& push) { push.set_ref("HEAD"); }));
  EXPECT_FALSE(fine([](v1::PushRef& push) { push.set_new_id("main"); }));
  EXPECT_FALSE(fine([](v1::PushRef& push) { push.set_old_id(push.new_id()); }));
  EXPECT_FALSE(fine([](v1::PushRef& push) { push.set_repository("../etc"); }));
  EXPECT_FALSE(fine([](v1::PushRef& push) { push.clear_cause(); }));
  EXPECT_FALSE(fine([](v1::PushRef& push) { push.set_pack(std::string(8 * 1024 * 1024 + 1, 'x')); }));
}

TEST(PushRefBySeed, FaultsAndDeathsMoveItOnce) { ForSeeds(&PullEffects::PushBySeed); }
TEST(PushRefBySeed, WhatSomebodyElsePushesIsNeverOverwritten) { ForSeeds(&PullEffects::RaceBySeed); }

// --- open_pull ---

TEST_F(PullEffects, APullRequestIsOpenedForTheBranchThatWasPushed) {
  ASSERT_TRUE(Run({OpenAction()}).done());
  EXPECT_EQ(Last().forge_ref, "2");
  EXPECT_EQ(Pull(2).title, "[r1] A change");
  EXPECT_EQ(Pull(2).base_ref, "r1");
  ASSERT_TRUE(Run({OpenAction()}).done());
  EXPECT_EQ(world_.forge_.opened_pulls, 1);
}

TEST_F(PullEffects, OneThatIsOpenFromThereToThereIsTheOne) {
  ForgePull& theirs = Pull(7);
  theirs.number = 7;
  theirs.head_repository = kRepository;
  theirs.head_ref = "backport-1-to-r1";
  theirs.base_ref = "r1";
  ASSERT_TRUE(Run({OpenAction()}).done());
  EXPECT_EQ(Last().forge_ref, "7");
  EXPECT_EQ(world_.forge_.opened_pulls, 0);
}

TEST_F(PullEffects, OneToAnotherBranchIsAnother) {
  ForgePull& theirs = Pull(7);
  theirs.number = 7;
  theirs.head_repository = kRepository;
  theirs.head_ref = "backport-1-to-r1";
  theirs.base_ref = "main";
  ASSERT_TRUE(Run({OpenAction()}).done());
  EXPECT_EQ(world_.forge_.opened_pulls, 1);
}

TEST_F(PullEffects, ABranchThatIsNotWhatWasPushedIsNotProposed) {
  world_.git_.refs[kRepository]["refs/heads/backport-1-to-r1"] = Commit('f');
  EXPECT_TRUE(Run({OpenAction()}).failed());
  EXPECT_EQ(world_.forge_.opened_pulls, 0);
  ExpectEnded(EffectState::kRefused, "the branch backport-1-to-r1 is not what was pushed");
}

TEST_F(PullEffects, WhereThePushFailedNothingIsOpened) {
  world_.git_.refs[kRepository].clear();
  world_.git_.refuses = "no";
  v1::Action push = PushAction("", Commit('b'));
  push.mutable_push_ref()->set_repository(kRepository);
  push.mutable_push_ref()->set_ref("refs/heads/backport-1-to-r1");
  EXPECT_TRUE(Run({push}).failed());
  EXPECT_TRUE(Run({OpenAction()}).failed());
  EXPECT_EQ(world_.forge_.opened_pulls, 0);
}

TEST(OpenPullBySeed, FaultsAndDeathsOpenItOnce) { ForSeeds(&PullEffects::BackportBySeed); }

// --- edit_pull ---

TEST_F(PullEffects, TitleAndDescriptionAreReplaced) {
  ASSERT_TRUE(Run({EditAction()}).done());
  EXPECT_EQ(Pull().title, "new");
  EXPECT_EQ(Pull().body, "new text");
  EXPECT_EQ(Last().state, EffectState::kConfirmed);
}

TEST_F(PullEffects, WhatSomebodyEditedMeanwhileStays) {
  Pull().title = "by hand";
  EXPECT_TRUE(Run({EditAction()}).failed());
  EXPECT_EQ(Pull().title, "by hand");
  EXPECT_EQ(world_.forge_.edited_pulls, 0);
  ExpectEnded(EffectState::kRefused, "somebody else has changed title or description meanwhile");
  Pull().title = "old";
  Pull().body = "old text, and more";
  EXPECT_TRUE(Run({EditAction("newer")}).failed());
  EXPECT_EQ(Pull().body, "old text, and more");
}

TEST_F(PullEffects, LineEndsOfTheForgeAreNoEdit) {
  Pull().body = "old text\r\n";
  ASSERT_TRUE(Run({EditAction("new", "one\ntwo")}).done());
  EXPECT_EQ(Pull().body, "one\ntwo");
}

TEST_F(PullEffects, WhatIsThereAlreadyIsNotWrittenAgain) {
  Pull().title = "new";
  Pull().body = "new text";
  ASSERT_TRUE(Run({EditAction()}).done());
  EXPECT_EQ(world_.forge_.edited_pulls, 0);
}

TEST_F(PullEffects, APullRequestKeepsATitle) { EXPECT_FALSE(EditPullEffect().Prepare(plan_, EditAction("")).ok()); }

TEST(EditPullBySeed, FaultsAndDeathsLeaveTheNewText) { ForSeeds(&PullEffects::EditBySeed); }

// --- await_confirmation ---

v1::Action AwaitAction(bool ended = false) {
  v1::Action action;
  v1::AwaitConfirmation& wait = *action.mutable_await_confirmation();
  wait.set_command("/squash");
  wait.set_by("alice");
  wait.set_cause("c1");
  wait.set_stands_on("abc");
  wait.set_ended(ended);
  return action;
}

TEST_F(PullEffects, AWaitIsNotedAndNothingIsWritten) {
  ASSERT_TRUE(Run({AwaitAction()}).done());
  EXPECT_EQ(Last().state, EffectState::kConfirmed);
  EXPECT_EQ(Last().action.await_confirmation().stands_on(), "abc");
  EXPECT_EQ(world_.forge_.writes, 0);
  // Its end is another entry, and comes once.
  ASSERT_TRUE(Run({AwaitAction(/*ended=*/true), AwaitAction(/*ended=*/true)}).done());
  EXPECT_EQ(world_.Effects().size(), 2U);
}

TEST_F(PullEffects, AWaitNeedsACommandAndAPerson) {
  v1::Action action = AwaitAction();
  action.mutable_await_confirmation()->clear_by();
  EXPECT_FALSE(AwaitConfirmationEffect().Prepare(plan_, action).ok());
  action = AwaitAction();
  action.mutable_await_confirmation()->clear_command();
  EXPECT_FALSE(AwaitConfirmationEffect().Prepare(plan_, action).ok());
}

}  // namespace
}  // namespace yardmaster
