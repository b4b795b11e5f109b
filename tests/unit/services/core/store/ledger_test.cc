#include "services/core/store/ledger.h"

#include <string>
#include <vector>

#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

constexpr EffectState kStates[] = {EffectState::kIntent, EffectState::kUnknown, EffectState::kConfirmed,
                                   EffectState::kRefused, EffectState::kFailed};

NewEffect Comment(const std::string& key, int64_t number = 1) {
  NewEffect effect;
  effect.key = key;
  effect.subject = Issue(number);
  effect.kind = "post_template";
  effect.action.mutable_post_template()->set_body("body \xc3\xa9 of " + key);
  effect.decision = "d-1";
  effect.delivery = 7;
  return effect;
}

class LedgerTest : public StoreFixture {
 protected:
  Ledger& ledger() { return store_->ledger(); }
  int64_t Intent(const NewEffect& effect) {
    auto result = ledger().Intent(effect);
    EXPECT_TRUE(result.ok()) << result.status();
    return result.ok() ? result->id : 0;
  }
  absl::Status Move(int64_t id, EffectState to) {
    switch (to) {
      case EffectState::kIntent:
        return ledger().MarkNotFound(id, "all looks missed it");
      case EffectState::kUnknown:
        return ledger().MarkUnknown(id, clock_.Now(), "connection reset", "");
      case EffectState::kConfirmed:
        return ledger().MarkConfirmed(id, "4711");
      case EffectState::kRefused:
        return ledger().MarkRefused(id, "403");
      case EffectState::kFailed:
        return ledger().MarkFailed(id, "given up");
    }
    return absl::OkStatus();
  }
};

TEST_F(LedgerTest, AnIntentComesBackAsItWasNoted) {
  const int64_t id = Intent(Comment("k1"));
  auto effect = ledger().Get(id);
  ASSERT_TRUE(effect.ok()) << effect.status();
  EXPECT_EQ(effect->key, "k1");
  EXPECT_EQ(effect->subject.repository(), "pytorch/pytorch");
  EXPECT_EQ(effect->subject.number(), 1);
  EXPECT_EQ(effect->kind, "post_template");
  EXPECT_EQ(effect->action.post_template().body(), "body \xc3\xa9 of k1");
  EXPECT_EQ(effect->decision, "d-1");
  EXPECT_EQ(effect->delivery, 7);
  EXPECT_EQ(effect->state, EffectState::kIntent);
  EXPECT_EQ(effect->attempts, 0);
  EXPECT_EQ(effect->created_at, clock_.Now());
  EXPECT_FALSE(effect->sent_at.has_value());
  EXPECT_FALSE(effect->settled_at.has_value());
}

TEST_F(LedgerTest, TheSameKeyAgainIsTheSameEffect) {
  const int64_t id = Intent(Comment("k1"));
  ASSERT_TRUE(ledger().MarkConfirmed(id, "4711").ok());
  auto again = ledger().Intent(Comment("k1"));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(again->id, id);
  EXPECT_TRUE(again->existed);
  EXPECT_EQ(again->state, EffectState::kConfirmed);
}

TEST_F(LedgerTest, AKeyThatBelongsToAnotherSubjectOrKindIsRefused) {
  Intent(Comment("k1", 1));
  EXPECT_EQ(ledger().Intent(Comment("k1", 2)).status().code(), absl::StatusCode::kAlreadyExists);
  NewEffect labels = Comment("k1", 1);
  labels.kind = "add_labels";
  EXPECT_EQ(ledger().Intent(labels).status().code(), absl::StatusCode::kAlreadyExists);
}

// Every pair of states: those that the header draws go, all others are refused naming both and change nothing.
TEST_F(LedgerTest, OnlyPossibleTransitionsAreMade) {
  int made = 0;
  for (EffectState from : kStates) {
    for (EffectState to : kStates) {
      const std::string key = std::string(EffectStateName(from)) + " to " + std::string(EffectStateName(to));
      const int64_t id = Intent(Comment(key));
      if (from != EffectState::kIntent) {
        ASSERT_TRUE(Move(id, from).ok()) << key;
      }
      const absl::Status moved = Move(id, to);
      const bool possible = (from == EffectState::kIntent || from == EffectState::kUnknown) && from != to;
      EXPECT_EQ(MayFollow(from, to), possible) << key;
      if (possible) {
        ++made;
        EXPECT_TRUE(moved.ok()) << key << ": " << moved;
        EXPECT_EQ(ledger().Get(id)->state, to) << key;
      } else {
        EXPECT_EQ(moved.code(), absl::StatusCode::kFailedPrecondition) << key;
        EXPECT_THAT(std::string(moved.message()), HasSubstr("is " + std::string(EffectStateName(from)))) << key;
        EXPECT_THAT(std::string(moved.message()), HasSubstr("become " + std::string(EffectStateName(to)))) << key;
        EXPECT_EQ(ledger().Get(id)->state, from) << key;
      }
    }
  }
  EXPECT_EQ(made, 8);
  EXPECT_EQ(Move(12345, EffectState::kConfirmed).code(), absl::StatusCode::kNotFound);
}

TEST_F(LedgerTest, AnEffectTellsItsWholeStory) {
  const int64_t id = Intent(Comment("k1"));
  clock_.Advance(1s);
  ASSERT_TRUE(ledger().Sending(id).ok());
  EXPECT_EQ(ledger().Get(id)->attempts, 1);
  EXPECT_EQ(ledger().Get(id)->sent_at, clock_.Now());
  ASSERT_TRUE(ledger().MarkUnknown(id, clock_.Now() + 2s, "connection reset", "4711").ok());
  auto unknown = ledger().Get(id);
  EXPECT_EQ(unknown->state, EffectState::kUnknown);
  EXPECT_EQ(unknown->reason, "connection reset");
  EXPECT_EQ(unknown->forge_ref, "4711");
  EXPECT_EQ(unknown->due_at, clock_.Now() + 2s);
  EXPECT_EQ(ledger().Sending(id).code(), absl::StatusCode::kFailedPrecondition);
  ASSERT_TRUE(ledger().Postpone(id, clock_.Now() + 10s, "not there yet").ok());
  EXPECT_EQ(ledger().Get(id)->due_at, clock_.Now() + 10s);
  EXPECT_EQ(ledger().Get(id)->state, EffectState::kUnknown);
  ASSERT_TRUE(ledger().MarkNotFound(id, "all looks missed it").ok());
  ASSERT_TRUE(ledger().Sending(id).ok());
  clock_.Advance(1s);
  ASSERT_TRUE(ledger().MarkConfirmed(id, "987").ok());
  auto confirmed = ledger().Get(id);
  EXPECT_EQ(confirmed->forge_ref, "987");
  EXPECT_EQ(confirmed->attempts, 2);
  EXPECT_EQ(confirmed->reason, "");
  EXPECT_EQ(confirmed->settled_at, clock_.Now());
  EXPECT_FALSE(confirmed->due_at.has_value());
  EXPECT_EQ(ledger().Postpone(id, clock_.Now(), "too late").code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(LedgerTest, ProgressIsKeptWhileItIsOpenAndEndsWithIt) {
  const int64_t id = Intent(Comment("k1"));
  ASSERT_TRUE(ledger().Sending(id).ok());
  ASSERT_TRUE(ledger().NoteProgress(id, "page 1 of 3", clock_.Now() + 5s).ok());
  auto effect = ledger().Get(id);
  EXPECT_EQ(effect->state, EffectState::kUnknown);
  EXPECT_EQ(effect->progress, "page 1 of 3");
  EXPECT_EQ(effect->due_at, clock_.Now() + 5s);
  Open();
  ASSERT_TRUE(ledger().NoteProgress(id, "page 2 of 3", clock_.Now() + 5s).ok());
  EXPECT_EQ(ledger().Get(id)->progress, "page 2 of 3");
  ASSERT_TRUE(ledger().MarkConfirmed(id, "77").ok());
  EXPECT_EQ(ledger().NoteProgress(id, "page 3 of 3", clock_.Now()).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(LedgerTest, AnAttemptThatDidNothingIsUndone) {
  const int64_t id = Intent(Comment("k1"));
  ASSERT_TRUE(ledger().Sending(id).ok());
  ASSERT_TRUE(ledger().UndoSending(id, "429").ok());
  EXPECT_EQ(ledger().Get(id)->attempts, 0);
  EXPECT_FALSE(ledger().Get(id)->sent_at.has_value());
  EXPECT_EQ(ledger().Get(id)->state, EffectState::kIntent);
  ASSERT_TRUE(ledger().MarkConfirmed(id, "77").ok());
  EXPECT_EQ(ledger().UndoSending(id, "too late").code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(LedgerTest, PendingAreIntentsAndUnknownsOldestFirst) {
  std::vector<int64_t> ids;
  ids.reserve(5);
  for (int i = 0; i < 5; ++i) ids.push_back(Intent(Comment("k" + std::to_string(i))));
  ASSERT_TRUE(ledger().MarkConfirmed(ids[1], "1").ok());
  ASSERT_TRUE(ledger().MarkUnknown(ids[2], clock_.Now() + 1h, "?", "").ok());
  EXPECT_EQ(*ledger().CountPending(), 4);
  auto first = ledger().Pending(0, 2);
  ASSERT_THAT(*first, SizeIs(2));
  EXPECT_EQ((*first)[0].id, ids[0]);
  EXPECT_EQ((*first)[1].id, ids[2]);
  auto rest = ledger().Pending(ids[2], 10);
  ASSERT_THAT(*rest, SizeIs(2));
  EXPECT_EQ((*rest)[1].id, ids[4]);
  // They are there after a restart, too.
  Open();
  EXPECT_EQ(*ledger().CountPending(), 4);
}

TEST_F(LedgerTest, ListsWhatWasDoneToASubject) {
  for (int i = 0; i < 6; ++i) Intent(Comment("k" + std::to_string(i), 2 - i % 2));
  EffectFilter filter;
  filter.subject = Issue(1, "PYTORCH/PyTorch");
  EXPECT_THAT(ledger().List(filter, {})->items, SizeIs(3));
  auto page = ledger().List(filter, {0, 2});
  ASSERT_THAT(page->items, SizeIs(2));
  EXPECT_EQ(page->items[0].key, "k5");
  EXPECT_EQ(page->next, page->items[1].id);
  EXPECT_THAT(ledger().List(filter, {page->next, 2})->items, SizeIs(1));
  filter.state = EffectState::kConfirmed;
  EXPECT_THAT(ledger().List(filter, {})->items, IsEmpty());
  EffectFilter by_decision;
  by_decision.decision = "d-1";
  by_decision.kind = "post_template";
  EXPECT_THAT(ledger().List(by_decision, {})->items, SizeIs(6));
  by_decision.decision = "d-2";
  EXPECT_THAT(ledger().List(by_decision, {})->items, IsEmpty());
}

TEST_F(LedgerTest, AnEffectNeedsKeyKindAndSubject) {
  NewEffect effect = Comment("");
  EXPECT_EQ(ledger().Intent(effect).status().code(), absl::StatusCode::kInvalidArgument);
  effect = Comment("k");
  effect.kind.clear();
  EXPECT_EQ(ledger().Intent(effect).status().code(), absl::StatusCode::kInvalidArgument);
  effect = Comment("k", -1);
  EXPECT_EQ(ledger().Intent(effect).status().code(), absl::StatusCode::kInvalidArgument);
  // The repository itself, as where something is asked in chat that is about no thread.
  effect = Comment("k", 0);
  EXPECT_TRUE(ledger().Intent(effect).ok());
}

}  // namespace
}  // namespace yardmaster::store
