#include "services/core/store/commands.h"

#include <string>
#include <vector>

#include "services/core/limits.h"
#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

class CommandsTest : public StoreFixture {
 protected:
  Commands& commands() { return store_->commands(); }

  // Fingerprints are the commands themselves here; "-x" only holds the place of "x".
  std::vector<std::optional<StoredCommand>> Take(int64_t delivery, const std::vector<std::string>& asked,
                                                 const std::string& actor = "alice") {
    CommandsOfText text{Issue(5), "c77", actor, delivery, {}};
    for (const std::string& one : asked) {
      const bool take = one[0] != '-';
      text.asked.push_back({take ? one : one.substr(1), "label", take});
    }
    auto taken = commands().Take(text);
    EXPECT_TRUE(taken.ok()) << taken.status();
    return taken.ok() ? *taken : std::vector<std::optional<StoredCommand>>(asked.size());
  }
  void Settle(int64_t delivery, const std::vector<std::string>& asked) {
    for (const auto& one : Take(delivery, asked)) {
      ASSERT_TRUE(one.has_value());
      ASSERT_TRUE(commands().Settle(one->id, "done").ok());
    }
  }
};

TEST_F(CommandsTest, WhatIsSettledIsNobodysBusinessAnyMore) {
  const int64_t first = Add("a");
  Settle(first, {"x", "y"});
  for (const auto& one : Take(Add("b"), {"x", "y"})) EXPECT_FALSE(one.has_value());
  for (const auto& one : Take(first, {"x", "y"})) EXPECT_FALSE(one.has_value());
  const auto list = commands().List(Issue(5));
  ASSERT_TRUE(list.ok() && list->size() == 2);
  EXPECT_EQ((*list)[1].outcome, "done");
  EXPECT_EQ((*list)[1].actor, "alice");
  EXPECT_TRUE((*list)[1].settled_at.has_value());
}

TEST_F(CommandsTest, EditThatPutsSomethingInFrontRunsOnlyThat) {
  Settle(Add("a"), {"x", "y"});
  const auto taken = Take(Add("b"), {"new", "x", "y"});
  ASSERT_TRUE(taken[0].has_value());
  EXPECT_EQ(taken[0]->slot, 3) << "a slot of its own: the first one is x's";
  EXPECT_FALSE(taken[1].has_value());
  EXPECT_FALSE(taken[2].has_value());
}

TEST_F(CommandsTest, WhatIsWrittenInThePlaceOfAnotherTakesItsSlot) {
  Settle(Add("a"), {"lable x"});
  const auto mended = Take(Add("b"), {"label x"});
  ASSERT_TRUE(mended[0].has_value());
  EXPECT_EQ(mended[0]->slot, 0);
  EXPECT_EQ(mended[0]->revision, 1);
  EXPECT_EQ(mended[0]->progress, CommandProgress::kTaken);
  ASSERT_TRUE(commands().Settle(mended[0]->id, "done").ok());
  EXPECT_EQ(Take(Add("c"), {"label y"})[0]->revision, 2);
}

TEST_F(CommandsTest, AnEditThatIsTakenBackRunsNothingAgain) {
  Settle(Add("a"), {"x"});
  Settle(Add("b"), {"y"});
  EXPECT_FALSE(Take(Add("c"), {"x"})[0].has_value());
  EXPECT_FALSE(Take(Add("d"), {"y"})[0].has_value());
  Settle(Add("e"), {"z"});
  for (const char* before : {"x", "y", "z"}) EXPECT_FALSE(Take(Add(before), {before})[0].has_value()) << before;
  // In a place of its own it is asked for once more.
  EXPECT_TRUE(Take(Add("f"), {"z", "x"})[1].has_value());
}

TEST_F(CommandsTest, WhatWasReplacedBeforeItRanRunsWhenItComesBack) {
  ASSERT_TRUE(Take(Add("a"), {"x"})[0].has_value());
  Settle(Add("b"), {"y"});
  EXPECT_TRUE(Take(Add("c"), {"x"})[0].has_value());
}

TEST_F(CommandsTest, TheSameTwiceInOneTextIsTwoCommands) {
  const auto taken = Take(Add("a"), {"x", "x"});
  ASSERT_TRUE(taken[0].has_value() && taken[1].has_value());
  EXPECT_NE(taken[0]->slot, taken[1]->slot);
}

TEST_F(CommandsTest, WorkThatWasCutShortGoesOnWithItsPlan) {
  const int64_t delivery = Add("a");
  const auto taken = Take(delivery, {"x"});
  const std::string plan("plan\0 of x", 10);
  ASSERT_TRUE(commands().Plan(taken[0]->id, plan).ok());
  Open();
  const auto again = Take(delivery, {"x"});
  ASSERT_TRUE(again[0].has_value());
  EXPECT_EQ(again[0]->id, taken[0]->id);
  EXPECT_EQ(again[0]->progress, CommandProgress::kPlanned);
  EXPECT_EQ(again[0]->plan, plan);
  EXPECT_EQ(commands().Plan(taken[0]->id, plan).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_TRUE(commands().Settle(taken[0]->id, "done").ok());
  EXPECT_EQ(commands().Settle(taken[0]->id, "done").code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(CommandsTest, WhatAnotherDeliveryWorksOnIsLeftToItUntilItIsGivenUp) {
  const int64_t first = Add("a");
  Take(first, {"x"}, "alice");
  const int64_t second = Add("b");
  EXPECT_FALSE(Take(second, {"x"}, "mallory")[0].has_value());
  ASSERT_TRUE(store_->inbox().Claim(5).ok());
  ASSERT_TRUE(store_->inbox().MarkFailed(first, "forge-failed").ok());
  const auto taken = Take(second, {"x"}, "mallory");
  ASSERT_TRUE(taken[0].has_value());
  EXPECT_EQ(taken[0]->actor, "alice") << "whoever edits the rest does not lend it their rights";
  EXPECT_EQ(taken[0]->delivery, second);
}

TEST_F(CommandsTest, WhatOnlyHoldsItsPlaceIsNotTaken) {
  const auto taken = Take(Add("a"), {"-x", "y"});
  EXPECT_FALSE(taken[0].has_value());
  ASSERT_TRUE(taken[1].has_value());
  EXPECT_EQ(taken[1]->slot, 1);
  const auto rest = Take(Add("b"), {"x", "-y"});
  ASSERT_TRUE(rest[0].has_value());
  EXPECT_EQ(rest[0]->slot, 0);
  EXPECT_FALSE(rest[1].has_value());
}

TEST_F(CommandsTest, TextsAndSubjectsAreApart) {
  Settle(Add("a"), {"x"});
  CommandsOfText text{Issue(5), "post", "alice", 2, {{"x", "label"}}};
  EXPECT_TRUE(commands().Take(text)->front().has_value());
  text.subject = Issue(6);
  text.source = "c77";
  EXPECT_TRUE(commands().Take(text)->front().has_value());
}

TEST_F(CommandsTest, WhatCantBeStoredIsRefused) {
  CommandsOfText text{Issue(5), "", "alice", 1, {}};
  EXPECT_EQ(commands().Take(text).status().code(), absl::StatusCode::kInvalidArgument);
  text.source = "post";
  text.asked = {{"", "help"}};
  EXPECT_EQ(commands().Take(text).status().code(), absl::StatusCode::kInvalidArgument);
  text.asked.assign(kMaxCommandsInText + 1, {"f", "help"});
  EXPECT_FALSE(commands().Take(text).ok());
}

TEST_F(CommandsTest, SettledOnesGoWithTheDecisions) {
  Settle(Add("a"), {"x"});
  Take(Add("b"), {"x", "pending"});
  clock_.Advance(401 * 24h);
  ASSERT_TRUE(store_->Maintain().ok());
  const auto list = commands().List(Issue(5));
  ASSERT_TRUE(list.ok() && list->size() == 1U);
  EXPECT_EQ(list->front().fingerprint, "pending");
}

}  // namespace
}  // namespace yardmaster::store
