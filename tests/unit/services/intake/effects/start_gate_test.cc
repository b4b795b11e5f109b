// The comment that starts a gate: exactly that text, exactly once, whatever is lost and whoever dies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "services/intake/effects/kinds.h"
#include "tests/support/rounds.h"
#include "tests/unit/services/intake/effects/effect_runs.h"

namespace yardmaster {
namespace {

using testing::kRepository;

v1::Action StartAction(int64_t start, const std::string& head = "abc") {
  v1::Action action;
  v1::StartGate& gate = *action.mutable_start_gate();
  gate.set_comment("/retest");
  gate.set_gate("retest");
  gate.set_head(head);
  gate.set_start(start);
  return action;
}

class StartGateEffects : public testing::EffectRuns {
 public:
  void TestBody() override {}
  StartGateEffects() : EffectRuns(v1::SUBJECT_KIND_PULL_REQUEST) {
    world_.forge_.Open(kRepository, 1, "title", "body", {});
  }
  int64_t Posted() {
    world_.clock_.Advance(std::chrono::minutes(1));
    const auto& comments = world_.forge_.At(kRepository, 1).comments;
    return std::count_if(comments.begin(), comments.end(),
                         [](const ForgeComment& comment) { return comment.body == "/retest"; });
  }
  void GoBySeed(uint64_t seed) {
    std::mt19937_64 random(seed);
    world_.forge_.Seed(seed,
                       {.not_sent = 8, .limited = 8, .lost_before = 8, .lost_after = 12, .late = 12, .invisible = 12});
    int deaths = 0;
    world_.die_again = [&]() -> int64_t { return ++deaths < 4 ? static_cast<int64_t>(1 + random() % 20) : -1; };
    world_.points_ = 0;
    world_.die_at_ = static_cast<int64_t>(1 + random() % 20);
    EXPECT_TRUE(Run({StartAction(0)}).done());
    world_.die_at_ = 0;
    EXPECT_EQ(Posted(), 1);
    world_.ExpectSettled();
  }
};

TEST_F(StartGateEffects, TheTextStandsAlone) {
  ASSERT_TRUE(Run({StartAction(0)}).done());
  EXPECT_EQ(Posted(), 1);
  EXPECT_EQ(Last().state, store::EffectState::kConfirmed);
  EXPECT_EQ(Last().kind, "start_gate");
}

TEST_F(StartGateEffects, TheSameStartIsOneAndAnotherIsAnother) {
  ASSERT_TRUE(Run({StartAction(0), StartAction(0)}).done());
  EXPECT_EQ(Posted(), 1);
  ASSERT_TRUE(Run({StartAction(1)}).done());
  EXPECT_EQ(Posted(), 2);
  ASSERT_TRUE(Run({StartAction(0, "def")}).done());
  EXPECT_EQ(Posted(), 3);
}

TEST_F(StartGateEffects, WhatOthersWroteIsNotOurs) {
  world_.forge_.Comment(world_.forge_.At(kRepository, 1), "ann", "/retest");
  ASSERT_TRUE(Run({StartAction(1)}).done());
  EXPECT_EQ(Posted(), 2);
}

TEST_F(StartGateEffects, WhatIsNoStartIsRefused) {
  v1::Action action = StartAction(0);
  action.mutable_start_gate()->set_comment("");
  EXPECT_FALSE(StartGateEffect().Prepare(plan_, action).ok());
  action.mutable_start_gate()->set_comment(std::string(201, 'x'));
  EXPECT_FALSE(StartGateEffect().Prepare(plan_, action).ok());
}

TEST(StartGateBySeed, FaultsAndDeathsStartItOnce) {
  for (uint64_t seed = 1; seed <= testing::Rounds("YARD_EFFECT_SEEDS", 200); ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    StartGateEffects().GoBySeed(seed);
    if (::testing::Test::HasFailure()) break;
  }
}

}  // namespace
}  // namespace yardmaster
