#include "services/core/store/subjects.h"

#include <string>
#include <vector>

#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

SeenSubject Seen(int64_t number, const std::string& title, const std::string& body = "",
                 const std::string& repository = "pytorch/pytorch") {
  SeenSubject seen;
  seen.subject = Issue(number, repository);
  seen.title = title;
  seen.body = body;
  seen.labels = {"oncall: distributed", "module: \"quoted\", comma"};
  seen.state = "open";
  seen.author = "alice";
  seen.digest = "digest-" + std::to_string(number);
  return seen;
}

class SubjectsTest : public StoreFixture {
 protected:
  Subjects& subjects() { return store_->subjects(); }
  void Put(const SeenSubject& seen) {
    const absl::Status status = subjects().Put(seen);
    ASSERT_TRUE(status.ok()) << status;
  }
  std::vector<int64_t> Similar(const SimilarQuery& query) {
    auto similar = subjects().Similar(query);
    EXPECT_TRUE(similar.ok()) << similar.status();
    std::vector<int64_t> numbers;
    for (const SimilarSubject& subject : *similar) numbers.push_back(subject.subject.number());
    return numbers;
  }
  SimilarQuery Query(const std::string& title, const std::string& body = "") {
    SimilarQuery query;
    query.title = title;
    query.body = body;
    return query;
  }
  // Enough other texts that common words are known to be common.
  void Fill(int count) {
    for (int i = 0; i < count; ++i) {
      Put(Seen(1000 + i, "Something is broken in module" + std::to_string(i),
               "When I run the training script then it fails with an error after step" + std::to_string(i)));
    }
  }
};

TEST_F(SubjectsTest, ASubjectComesBackAsItWasSeen) {
  Put(Seen(1, "DDP hangs"));
  auto known = subjects().Get(Issue(1));
  ASSERT_TRUE(known.ok()) << known.status();
  ASSERT_TRUE(known->has_value());
  EXPECT_EQ((*known)->title, "DDP hangs");
  EXPECT_THAT((*known)->labels, ElementsAre("oncall: distributed", "module: \"quoted\", comma"));
  EXPECT_EQ((*known)->state, "open");
  EXPECT_EQ((*known)->author, "alice");
  EXPECT_EQ((*known)->digest, "digest-1");
  EXPECT_EQ((*known)->first_seen_at, clock_.Now());
  EXPECT_FALSE(subjects().Get(Issue(2))->has_value());
}

TEST_F(SubjectsTest, ALaterLookReplacesTheEarlierOne) {
  Put(Seen(1, "DDP hangs"));
  const auto first = clock_.Now();
  clock_.Advance(1h);
  SeenSubject later = Seen(1, "DDP hangs on exit", "", "PyTorch/PyTorch");
  later.digest = "new";
  Put(later);
  auto known = subjects().Get(Issue(1));
  EXPECT_EQ((*known)->title, "DDP hangs on exit");
  EXPECT_EQ((*known)->digest, "new");
  EXPECT_EQ((*known)->subject.repository(), "PyTorch/PyTorch");
  EXPECT_EQ((*known)->first_seen_at, first);
  EXPECT_EQ((*known)->seen_at, clock_.Now());
}

TEST_F(SubjectsTest, HostileTextsAreStoredAsText) {
  SeenSubject seen =
      Seen(1, std::string("nul \0 and \xff and ' or 1=1 -- \" NEAR(\" *", 38), "AND OR NOT ( \" * ^ : {}");
  seen.labels = {std::string("a\0b", 3), "\xff", "'"};
  Put(seen);
  auto known = subjects().Get(Issue(1));
  ASSERT_TRUE(known.ok() && known->has_value());
  EXPECT_THAT((*known)->labels, SizeIs(3));
  EXPECT_EQ((*known)->title.find('\0'), std::string::npos);
  EXPECT_TRUE(subjects().Similar(Query(seen.title, seen.body)).ok());
}

TEST_F(SubjectsTest, LabelsThatPeopleRemovedAreRemembered) {
  ASSERT_TRUE(subjects().NoteLabelRemoved(Issue(1), "module: fsdp", "alice").ok());
  ASSERT_TRUE(subjects().NoteLabelRemoved(Issue(1), "triaged", "bob").ok());
  ASSERT_TRUE(subjects().NoteLabelRemoved(Issue(2), "other", "bob").ok());
  clock_.Advance(1s);
  ASSERT_TRUE(subjects().NoteLabelRemoved(Issue(1, "PyTorch/pytorch"), "Module: FSDP", "carol").ok());
  auto removed = subjects().RemovedLabels(Issue(1));
  ASSERT_THAT(*removed, SizeIs(2));
  EXPECT_EQ((*removed)[0].label, "Module: FSDP");
  EXPECT_EQ((*removed)[0].by, "carol");
  EXPECT_EQ((*removed)[0].at, clock_.Now());
  ASSERT_TRUE(subjects().ForgetLabelRemoved(Issue(1), "module: fsdp").ok());
  removed = subjects().RemovedLabels(Issue(1));
  ASSERT_THAT(*removed, SizeIs(1));
  EXPECT_EQ((*removed)[0].label, "triaged");
  EXPECT_THAT(*subjects().RemovedLabels(Issue(3)), IsEmpty());
}

TEST_F(SubjectsTest, SinceWhenAHeadIsThereIsKnownByLooking) {
  v1::Subject pull = Issue(7);
  pull.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
  const TimePoint start = clock_.Now();
  const auto see = [&](const std::string& head, std::chrono::minutes at, HeadSource source = HeadSource::kAnswer) {
    const auto seen = subjects().SeeHead(pull, head, start + at, source);
    EXPECT_TRUE(seen.ok()) << seen.status();
    return seen.value_or(SeenHead());
  };
  SeenHead seen = see("a", 1min);
  EXPECT_EQ(seen.head, "a");
  EXPECT_FALSE(seen.not_before.has_value()) << "it may have been there for long";
  EXPECT_EQ(seen.not_after, start + 1min);
  seen = see("a", 5min);
  EXPECT_EQ(seen.not_after, start + 1min) << "the first look counts";
  seen = see("b", 9min);
  EXPECT_EQ(seen.not_before, start + 5min);
  EXPECT_EQ(seen.not_after, start + 9min);
  // A delivery that comes late tells of what is over; an answer tells of what is.
  EXPECT_EQ(see("a", 12min, HeadSource::kDelivery).head, "b");
  EXPECT_EQ(see("c", 8min).head, "b") << "an older look";
  seen = see("a", 14min);
  EXPECT_EQ(seen.head, "a") << "it was pushed back";
  EXPECT_EQ(seen.not_before, start + 9min);
  EXPECT_EQ(see("d", 15min, HeadSource::kDelivery).head, "d");
  // Another one's head is no matter.
  v1::Subject other = pull;
  other.set_number(8);
  EXPECT_FALSE(subjects().SeeHead(other, "x", start, HeadSource::kAnswer)->not_before.has_value());
}

TEST_F(SubjectsTest, SimilarIssuesShareRareWords) {
  Fill(60);
  Put(Seen(1, "NCCL watchdog timeout in reduce_scatter_tensor", "Watchdog caught collective operation timeout"));
  Put(Seen(2, "DTensor redistribute gives wrong values", "Shard to Replicate with uneven shards"));
  Put(Seen(3, "Watchdog timeout with gloo", "collective operation timeout in allreduce"));
  EXPECT_THAT(Similar(Query("Collective timeout: watchdog kills reduce_scatter_tensor")), ElementsAre(1, 3));
  EXPECT_THAT(Similar(Query("uneven DTensor shards redistribute")), ElementsAre(2));
  EXPECT_THAT(Similar(Query("quantum chromodynamics")), IsEmpty());
  EXPECT_THAT(Similar(Query("")), IsEmpty());
}

TEST_F(SubjectsTest, TheSameTextIsAsAlikeAsCanBe) {
  Fill(60);
  const SeenSubject seen =
      Seen(5, "FSDP2 mixed precision casts buffers twice", "fully_shard with MixedPrecisionPolicy");
  Put(seen);
  auto similar = subjects().Similar(Query(seen.title, seen.body));
  ASSERT_TRUE(similar.ok()) << similar.status();
  ASSERT_FALSE(similar->empty());
  EXPECT_EQ((*similar)[0].subject.number(), 5);
  EXPECT_EQ((*similar)[0].title, seen.title);
  EXPECT_EQ((*similar)[0].state, "open");
  EXPECT_NEAR((*similar)[0].score, 1.0, 1e-9);
}

TEST_F(SubjectsTest, ChineseIsComparedByPairsOfCharacters) {
  Fill(60);
  Put(Seen(1, "流水线并行时通信超时", "使用八张卡训练,第二个阶段卡住"));
  Put(Seen(2, "检查点保存失败", "磁盘空间不足时没有报错"));
  EXPECT_THAT(Similar(Query("通信超时导致训练卡住")), ElementsAre(1));
  // Two characters are a word.
  EXPECT_THAT(Similar(Query("磁盘")), ElementsAre(2));
}

TEST_F(SubjectsTest, WordsThatStandEverywhereSayNothing) {
  Fill(60);
  EXPECT_THAT(Similar(Query("something is broken", "when I run the training script then it fails")), IsEmpty());
}

TEST_F(SubjectsTest, SimilarOnesAreFilteredAndLimited) {
  Fill(60);
  for (int i = 1; i <= 9; ++i) {
    SeenSubject seen = Seen(i, "symmetric memory rendezvous deadlock", "", i <= 6 ? "pytorch/pytorch" : "other/one");
    seen.state = i % 2 == 0 ? "closed" : "open";
    Put(seen);
  }
  SimilarQuery query = Query("deadlock in symmetric memory rendezvous");
  // Of equals the newer ones.
  EXPECT_THAT(Similar(query), ElementsAre(9, 8, 7, 6, 5));
  query.limit = 2;
  EXPECT_THAT(Similar(query), ElementsAre(9, 8));
  query.forge = "github";
  query.repository = "PyTorch/PyTorch";
  EXPECT_THAT(Similar(query), ElementsAre(6, 5));
  query.except = Issue(6, "pytorch/PYTORCH");
  EXPECT_THAT(Similar(query), ElementsAre(5, 4));
  query.state = "closed";
  EXPECT_THAT(Similar(query), ElementsAre(4, 2));
  query.limit = 1'000'000;
  EXPECT_THAT(Similar(query), ElementsAre(4, 2));
  query.forge = "gitcode";
  EXPECT_THAT(Similar(query), IsEmpty());
}

TEST_F(SubjectsTest, AnEditedTextIsFoundByItsNewWordsOnly) {
  Fill(60);
  Put(Seen(1, "zebra crossing"));
  EXPECT_THAT(Similar(Query("zebra")), ElementsAre(1));
  Put(Seen(1, "giraffe crossing"));
  EXPECT_THAT(Similar(Query("zebra")), IsEmpty());
  EXPECT_THAT(Similar(Query("giraffe")), ElementsAre(1));
}

}  // namespace
}  // namespace yardmaster::store
