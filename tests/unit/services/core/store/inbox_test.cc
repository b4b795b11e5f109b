#include "services/core/store/inbox.h"

#include <future>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;
using ::testing::StartsWith;

class ThreadedInboxTest : public StoreFixture {
 protected:
  ThreadedInboxTest() { single_threaded_ = false; }
};

class InboxTest : public StoreFixture {
 protected:
  Inbox& inbox() { return store_->inbox(); }
  std::vector<int64_t> ClaimIds(int64_t limit) {
    auto claimed = inbox().Claim(limit);
    EXPECT_TRUE(claimed.ok()) << claimed.status();
    std::vector<int64_t> ids;
    for (const Delivery& delivery : *claimed) ids.push_back(delivery.id);
    return ids;
  }
};

TEST_F(InboxTest, ADeliveryComesBackAsItWasReceived) {
  NewDelivery delivery = Opened("d-1");
  // Bytes that are no text, and enough of them to be compressed.
  delivery.body = std::string("\0\xff\xfe{\"a\":1}", 10) + std::string(20'000, 'x') + std::string(1, '\0');
  delivery.headers = {{"x-github-event", "issues"}, {"user-agent", "GitHub-Hookshot/1"}};
  const std::string body = delivery.body;
  auto added = inbox().AddAndWait(delivery);
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_FALSE(added->duplicate);
  EXPECT_EQ(added->state, DeliveryState::kReceived);

  auto stored = inbox().Get(added->id);
  ASSERT_TRUE(stored.ok()) << stored.status();
  EXPECT_EQ(stored->forge, "github");
  EXPECT_EQ(stored->delivery_id, "d-1");
  EXPECT_EQ(stored->event, "issues");
  EXPECT_EQ(stored->state, DeliveryState::kReceived);
  EXPECT_EQ(stored->received_at, clock_.Now());
  EXPECT_EQ(stored->body_bytes, static_cast<int64_t>(body.size()));
  EXPECT_EQ(stored->body_sha256.size(), 64u);
  EXPECT_TRUE(stored->body_kept);
  EXPECT_EQ(stored->attempts, 0);
  EXPECT_FALSE(stored->due_at.has_value());
  EXPECT_FALSE(stored->settled_at.has_value());
  EXPECT_THAT(stored->headers, ElementsAre(Pair("x-github-event", "issues"), Pair("user-agent", "GitHub-Hookshot/1")));
  auto raw = inbox().Body(added->id);
  ASSERT_TRUE(raw.ok()) << raw.status();
  EXPECT_EQ(*raw, body);
}

TEST_F(InboxTest, AnEmptyBodyIsABody) {
  NewDelivery delivery = Opened("d-1");
  delivery.body.clear();
  auto added = inbox().AddAndWait(delivery);
  ASSERT_TRUE(added.ok()) << added.status();
  auto raw = inbox().Body(added->id);
  ASSERT_TRUE(raw.ok()) << raw.status();
  EXPECT_EQ(*raw, "");
}

TEST_F(InboxTest, TheDigestOfTheBodyIsComputedWhereItIsNotGiven) {
  const int64_t id = Add("d-1", "hello world");
  EXPECT_EQ(inbox().Get(id)->body_sha256, "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9");
}

TEST_F(InboxTest, AnIdSeenBeforeIsADuplicateAndIsAnsweredLikeTheFirst) {
  const int64_t first = Add("d-1", "one");
  ASSERT_TRUE(inbox().MarkIgnored(first, "nobody cares").ok());
  auto again = inbox().AddAndWait(Opened("d-1", "another body under the same id"));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->duplicate);
  EXPECT_EQ(again->id, first);
  EXPECT_EQ(again->state, DeliveryState::kIgnored);
  EXPECT_EQ(again->reason, "nobody cares");
  EXPECT_EQ(*inbox().Body(first), "one");
}

TEST_F(InboxTest, TheSameIdFromAnotherForgeIsAnotherDelivery) {
  Add("d-1");
  NewDelivery other = Opened("d-1", "something else");
  other.forge = "gitcode";
  auto added = inbox().AddAndWait(other);
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_FALSE(added->duplicate);
}

TEST_F(InboxTest, TheSameBodyUnderANewIdIsIgnoredAsAReplay) {
  const int64_t first = Add("d-1", "the body");
  auto replay = inbox().AddAndWait(Opened("d-2", "the body"));
  ASSERT_TRUE(replay.ok()) << replay.status();
  EXPECT_FALSE(replay->duplicate);
  EXPECT_NE(replay->id, first);
  EXPECT_EQ(replay->state, DeliveryState::kIgnored);
  EXPECT_THAT(replay->reason, StartsWith("replay"));
  EXPECT_THAT(replay->reason, HasSubstr("d-1"));
  // Its body is there already, once.
  EXPECT_FALSE(inbox().Get(replay->id)->body_kept);
  EXPECT_EQ(inbox().Body(replay->id).status().code(), absl::StatusCode::kNotFound);
  EXPECT_THAT(ClaimIds(10), ElementsAre(first));
}

TEST_F(InboxTest, WhatWasSeenIsKnownAfterARestart) {
  const int64_t first = Add("d-1", "the body");
  Add("d-2", "another body");
  Open();
  auto again = inbox().AddAndWait(Opened("d-1", "anything"));
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->duplicate);
  EXPECT_EQ(again->id, first);
  EXPECT_THAT(inbox().AddAndWait(Opened("d-3", "the body"))->reason, HasSubstr("d-1"));
  EXPECT_EQ(inbox().Find("github", "d-1")->id, first);
  EXPECT_EQ(inbox().Find("github", "d-9").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(InboxTest, TheSameBodyOfAnotherEventIsNoReplay) {
  Add("d-1", "the body");
  NewDelivery other = Opened("d-2", "the body");
  other.event = "issue_comment";
  EXPECT_EQ(inbox().AddAndWait(other)->state, DeliveryState::kReceived);
}

TEST_F(InboxTest, WhatIsKnownNotToMatterIsIgnoredAtOnceAndKept) {
  NewDelivery delivery = Opened("d-1", "ping");
  delivery.ignored_because = "no pack for the repository";
  delivery.action = "opened";
  delivery.subject = Issue(7);
  auto added = inbox().AddAndWait(delivery);
  ASSERT_TRUE(added.ok()) << added.status();
  EXPECT_EQ(added->state, DeliveryState::kIgnored);
  EXPECT_EQ(added->reason, "no pack for the repository");
  auto stored = inbox().Get(added->id);
  EXPECT_EQ(stored->settled_at, clock_.Now());
  EXPECT_EQ(stored->action, "opened");
  EXPECT_EQ(stored->subject.number(), 7);
  EXPECT_TRUE(stored->body_kept);
  EXPECT_THAT(ClaimIds(10), IsEmpty());
}

TEST_F(InboxTest, NamesThatCantBeComparedAreRefused) {
  for (const std::string& id : {std::string(), std::string("a\0b", 3), std::string("a\nb"), std::string("\xff"),
                                std::string(kMaxNameBytes + 1, 'a')}) {
    auto added = inbox().AddAndWait(Opened(id, "body"));
    EXPECT_EQ(added.status().code(), absl::StatusCode::kInvalidArgument) << id;
  }
  NewDelivery delivery = Opened("d-1");
  delivery.body_sha256 = "short";
  EXPECT_EQ(inbox().AddAndWait(delivery).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST_F(InboxTest, SqlInAnIdIsAnIdLikeAnyOther) {
  const std::string evil = "'); drop table deliveries; --";
  const int64_t id = Add(evil);
  auto found = inbox().Find("github", evil);
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->id, id);
  EXPECT_EQ(inbox().Find("github", "' or '1'='1").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(InboxTest, ClaimsComeInTheOrderOfArrivalAndAreNotGivenTwice) {
  const int64_t a = Add("a");
  const int64_t b = Add("b");
  const int64_t c = Add("c");
  EXPECT_THAT(ClaimIds(2), ElementsAre(a, b));
  EXPECT_THAT(ClaimIds(2), ElementsAre(c));
  EXPECT_THAT(ClaimIds(2), IsEmpty());
  inbox().Release({b});
  EXPECT_THAT(ClaimIds(2), ElementsAre(b));
}

TEST_F(InboxTest, ClaimsAreForgottenByARestart) {
  const int64_t a = Add("a");
  EXPECT_THAT(ClaimIds(5), ElementsAre(a));
  Open();
  EXPECT_THAT(ClaimIds(5), ElementsAre(a));
}

TEST_F(InboxTest, WhatIsSettledIsNotClaimedAgain) {
  const int64_t done = Add("a");
  const int64_t failed = Add("b");
  const int64_t dead = Add("c");
  const int64_t ignored = Add("d");
  ClaimIds(10);
  EXPECT_TRUE(inbox().MarkDone(done).ok());
  EXPECT_TRUE(inbox().MarkFailed(failed, "gave up").ok());
  EXPECT_TRUE(inbox().MarkDead(dead, "crashed us").ok());
  EXPECT_TRUE(inbox().MarkIgnored(ignored, "no pack").ok());
  EXPECT_THAT(ClaimIds(10), IsEmpty());
  EXPECT_EQ(inbox().Get(done)->state, DeliveryState::kDone);
  EXPECT_EQ(inbox().Get(done)->settled_at, clock_.Now());
  EXPECT_EQ(inbox().Get(failed)->reason, "gave up");
  EXPECT_EQ(inbox().Get(failed)->attempts, 1);
  EXPECT_EQ(inbox().Get(dead)->state, DeliveryState::kDead);
  auto counts = inbox().Counts();
  EXPECT_EQ(counts->received, 0);
  EXPECT_EQ(counts->failed, 1);
  EXPECT_EQ(counts->dead, 1);
}

TEST_F(InboxTest, SettlingTwiceIsRefusedNamingBothStates) {
  const int64_t id = Add("a");
  ASSERT_TRUE(inbox().MarkDone(id).ok());
  const absl::Status again = inbox().MarkFailed(id, "late");
  EXPECT_EQ(again.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(again.message()), HasSubstr("done"));
  EXPECT_THAT(std::string(again.message()), HasSubstr("failed"));
  EXPECT_EQ(inbox().Get(id)->state, DeliveryState::kDone);
  EXPECT_EQ(inbox().Retry(id, clock_.Now(), "why not").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(inbox().MarkDone(4711).code(), absl::StatusCode::kNotFound);
}

TEST_F(InboxTest, AnEndWithoutReasonIsRefusedWhereOneIsDue) {
  const int64_t id = Add("a");
  EXPECT_EQ(inbox().MarkFailed(id, "").code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(inbox().Settle({id, DeliveryState::kReceived, "no", {}, {}}).code(), absl::StatusCode::kInvalidArgument);
  EXPECT_EQ(inbox().Get(id)->state, DeliveryState::kReceived);
}

TEST_F(InboxTest, ARetryRestsUntilItIsDue) {
  const int64_t a = Add("a");
  const int64_t b = Add("b");
  ASSERT_THAT(ClaimIds(10), ElementsAre(a, b));
  ASSERT_TRUE(inbox().Retry(a, clock_.Now() + 10s, "the forge is down").ok());
  inbox().Release({b});
  EXPECT_EQ(*inbox().NextDue(), clock_.Now() + 10s);
  EXPECT_THAT(ClaimIds(10), ElementsAre(b));
  auto waiting = inbox().Get(a);
  EXPECT_EQ(waiting->attempts, 1);
  EXPECT_EQ(waiting->reason, "the forge is down");
  EXPECT_EQ(waiting->state, DeliveryState::kReceived);
  EXPECT_EQ(waiting->due_at, clock_.Now() + 10s);
  clock_.Advance(10s);
  EXPECT_EQ(*inbox().NextDue(), std::nullopt);
  EXPECT_THAT(ClaimIds(10), ElementsAre(a));
}

TEST_F(InboxTest, DueRetriesComeFirstButLeaveHalfTheRoomToFreshOnes) {
  std::vector<int64_t> retried;
  for (int i = 0; i < 6; ++i) {
    const int64_t id = Add("old" + std::to_string(i));
    retried.push_back(id);
  }
  ClaimIds(10);
  for (size_t i = 0; i < retried.size(); ++i) {
    ASSERT_TRUE(inbox().Retry(retried[i], clock_.Now() + std::chrono::seconds(10 - i), "again").ok());
  }
  std::vector<int64_t> fresh;
  fresh.reserve(6);
  for (int i = 0; i < 6; ++i) fresh.push_back(Add("new" + std::to_string(i)));
  clock_.Advance(1min);
  // The one that was due first comes first.
  EXPECT_THAT(ClaimIds(4), ElementsAre(retried[5], retried[4], fresh[0], fresh[1]));
  EXPECT_THAT(ClaimIds(20), SizeIs(8));
}

TEST_F(InboxTest, ADeadLetterIsRequeuedAndBeginsAnew) {
  const int64_t id = Add("a");
  ClaimIds(1);
  ASSERT_TRUE(inbox().Retry(id, clock_.Now(), "once").ok());
  ClaimIds(1);
  ASSERT_TRUE(inbox().MarkFailed(id, "for good").ok());
  ASSERT_TRUE(inbox().Requeue(id).ok());
  auto again = inbox().Get(id);
  EXPECT_EQ(again->state, DeliveryState::kReceived);
  EXPECT_EQ(again->attempts, 0);
  EXPECT_EQ(again->reason, "");
  EXPECT_FALSE(again->settled_at.has_value());
  EXPECT_THAT(ClaimIds(1), ElementsAre(id));
  // It is being worked on: once is enough.
  EXPECT_EQ(inbox().Requeue(id).code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(inbox().Requeue(99).code(), absl::StatusCode::kNotFound);
}

TEST_F(InboxTest, WhatHasNoBodyIsNotRequeued) {
  Add("a", "the body");
  auto replay = inbox().AddAndWait(Opened("b", "the body"));
  const absl::Status refused = inbox().Requeue(replay->id);
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("body"));
}

TEST_F(InboxTest, ASettlementDescribesWhatIsNotDescribedYet) {
  const int64_t a = Add("a");
  const int64_t b = Add("b");
  ASSERT_TRUE(inbox().Describe(b, "opened", Issue(5)).ok());
  ASSERT_TRUE(inbox().Settle({a, DeliveryState::kDone, "", "labeled", Issue(6)}).ok());
  ASSERT_TRUE(inbox().Settle({b, DeliveryState::kDone, "", "labeled", Issue(6)}).ok());
  EXPECT_EQ(inbox().Get(a)->action, "labeled");
  EXPECT_EQ(inbox().Get(a)->subject.number(), 6);
  EXPECT_EQ(inbox().Get(a)->subject.kind(), v1::SUBJECT_KIND_ISSUE);
  EXPECT_EQ(inbox().Get(b)->action, "opened");
  EXPECT_EQ(inbox().Get(b)->subject.number(), 5);
}

TEST_F(InboxTest, ListsAreFilteredAndPagedNewestFirst) {
  std::vector<int64_t> ids;
  for (int i = 0; i < 7; ++i) {
    ids.push_back(Add("d" + std::to_string(i)));
    ASSERT_TRUE(inbox().Describe(ids.back(), "opened", Issue(i % 2 == 0 ? 1 : 2)).ok());
  }
  ASSERT_TRUE(inbox().MarkDone(ids[0]).ok());
  const auto list = [&](const DeliveryFilter& filter, PageRequest page) {
    auto answer = inbox().List(filter, page);
    EXPECT_TRUE(answer.ok()) << answer.status();
    std::vector<int64_t> found;
    for (const Delivery& delivery : answer->items) found.push_back(delivery.id);
    return std::make_pair(found, answer->next);
  };
  EXPECT_THAT(list({}, {0, 3}), Pair(ElementsAre(ids[6], ids[5], ids[4]), ids[4]));
  EXPECT_THAT(list({}, {ids[4], 3}), Pair(ElementsAre(ids[3], ids[2], ids[1]), ids[1]));
  EXPECT_THAT(list({}, {ids[1], 3}), Pair(ElementsAre(ids[0]), 0));
  DeliveryFilter filter;
  filter.subject = Issue(1, "PyTorch/pytorch");
  EXPECT_THAT(list(filter, {}), Pair(ElementsAre(ids[6], ids[4], ids[2], ids[0]), 0));
  filter.state = DeliveryState::kDone;
  EXPECT_THAT(list(filter, {}), Pair(ElementsAre(ids[0]), 0));
  filter.forge = "gitcode";
  EXPECT_THAT(list(filter, {}), Pair(IsEmpty(), 0));
  DeliveryFilter by_id;
  by_id.delivery_id = "d3";
  by_id.event = "issues";
  EXPECT_THAT(list(by_id, {}), Pair(ElementsAre(ids[3]), 0));
}

TEST_F(InboxTest, IssueAndPullRequestOfOneNumberAreTwoSubjects) {
  const int64_t a = Add("a");
  const int64_t b = Add("b");
  v1::Subject pull = Issue(5);
  pull.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  ASSERT_TRUE(inbox().Describe(a, "opened", Issue(5)).ok());
  ASSERT_TRUE(inbox().Describe(b, "opened", pull).ok());
  DeliveryFilter filter;
  filter.subject = pull;
  auto pulls = inbox().List(filter, {});
  ASSERT_THAT(pulls->items, SizeIs(1));
  EXPECT_EQ(pulls->items[0].id, b);
  filter.subject->set_kind(v1::SUBJECT_KIND_UNSPECIFIED);
  EXPECT_THAT(inbox().List(filter, {})->items, SizeIs(2));
}

TEST_F(InboxTest, ReasonsAreCutAndCleaned) {
  const int64_t id = Add("a");
  ASSERT_TRUE(inbox().MarkFailed(id, std::string("bad \xff byte, nul \0, ", 19) + std::string(5000, 'x')).ok());
  const std::string reason = inbox().Get(id)->reason;
  EXPECT_THAT(reason, StartsWith("bad \xEF\xBF\xBD byte"));
  EXPECT_LE(reason.size(), kMaxReasonBytes);
}

TEST_F(InboxTest, TheListenerHearsOfWorkAndOfNothingElse) {
  int heard = 0;
  inbox().SetListener([&heard] { ++heard; });
  const int64_t id = Add("a");
  EXPECT_EQ(heard, 1);
  Add("a");  // a duplicate
  ASSERT_TRUE(inbox().MarkDone(id).ok());
  EXPECT_EQ(heard, 1);
  ASSERT_TRUE(inbox().Requeue(id).ok());
  EXPECT_EQ(heard, 2);
  inbox().SetListener(nullptr);
  Add("b");
  EXPECT_EQ(heard, 2);
}

TEST_F(InboxTest, RowIdsAreNeverUsedAgain) {
  const int64_t a = Add("a");
  ASSERT_TRUE(inbox().MarkDone(a).ok());
  clock_.Advance(24h * 100);
  ASSERT_TRUE(store_->Maintain().ok());
  EXPECT_EQ(inbox().Get(a).status().code(), absl::StatusCode::kNotFound);
  Open();
  EXPECT_GT(Add("b"), a);
}

// Most of these meet in one transaction, which knows of its own what no other does yet.
TEST_F(ThreadedInboxTest, OfManyThatComeAtOnceUnderOneIdOneIsTaken) {
  constexpr int kIds = 20;
  constexpr int kTimes = 25;
  std::mutex mutex;
  std::map<int64_t, int> rows;  // row → how often it was named
  int firsts = 0;
  int replays = 0;
  std::promise<void> all;
  int answers = 0;
  for (int i = 0; i < kIds * kTimes; ++i) {
    const std::string id = "d-" + std::to_string(i % kIds);
    store_->inbox().Add(Opened(id, "body of " + id), [&](const absl::StatusOr<AddResult>& added) {
      ASSERT_TRUE(added.ok()) << added.status();
      std::lock_guard<std::mutex> lock(mutex);
      rows[added->id] += 1;
      firsts += added->duplicate ? 0 : 1;
      if (++answers == kIds * kTimes) all.set_value();
    });
  }
  all.get_future().wait();
  EXPECT_EQ(firsts, kIds);
  EXPECT_THAT(rows, SizeIs(kIds));
  // The same bodies under other ids.
  std::promise<void> others;
  answers = 0;
  for (int i = 0; i < kIds * kTimes; ++i) {
    const std::string body = "new body of " + std::to_string(i % kIds);
    store_->inbox().Add(Opened("other-" + std::to_string(i), body), [&](const absl::StatusOr<AddResult>& added) {
      ASSERT_TRUE(added.ok()) << added.status();
      std::lock_guard<std::mutex> lock(mutex);
      replays += added->state == DeliveryState::kIgnored ? 1 : 0;
      if (++answers == kIds * kTimes) others.set_value();
    });
  }
  others.get_future().wait();
  EXPECT_EQ(replays, kIds * (kTimes - 1));
  EXPECT_EQ(store_->inbox().Counts()->received, 2 * kIds);
}

}  // namespace
}  // namespace yardmaster::store
