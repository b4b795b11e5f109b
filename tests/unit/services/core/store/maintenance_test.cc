// Retention and compaction, through the store.
#include "services/core/store/maintenance.h"

#include <string>
#include <thread>
#include <vector>

#include "services/core/store/reader_pool.h"
#include "services/core/store/sql.h"
#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

constexpr auto kDay = 24h;

// Bytes that don't shrink.
std::string Noise(size_t size, uint64_t seed) {
  std::string noise;
  uint64_t state = seed * 2654435761u + 1;
  while (noise.size() < size) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    noise += static_cast<char>(state >> 56);
  }
  return noise;
}

class UpkeepTest : public StoreFixture {
 protected:
  void Maintain() {
    const absl::Status status = store_->Maintain();
    ASSERT_TRUE(status.ok()) << status;
  }
  bool HasBody(int64_t id) { return store_->inbox().Body(id).ok(); }
  int64_t AddDone(const std::string& id, const std::string& body = "") {
    const int64_t row = Add(id, body);
    EXPECT_TRUE(store_->inbox().MarkDone(row).ok());
    return row;
  }
};

TEST_F(UpkeepTest, BodiesGoAfterSevenDaysTheirDigestsStay) {
  const int64_t old = AddDone("old", "old body");
  const int64_t pending = Add("pending");
  const int64_t dead_letter = Add("dead letter");
  ASSERT_TRUE(store_->inbox().MarkDead(dead_letter, "crashed us").ok());
  clock_.Advance(6 * kDay);
  const int64_t young = AddDone("young");
  clock_.Advance(kDay + 1s);
  Maintain();
  EXPECT_FALSE(HasBody(old));
  EXPECT_TRUE(HasBody(young));
  // What is still to be worked on needs its body, however old.
  EXPECT_TRUE(HasBody(pending));
  EXPECT_TRUE(store_->inbox().Requeue(dead_letter).ok());
  EXPECT_FALSE(store_->inbox().Get(old)->body_kept);
  EXPECT_EQ(store_->inbox().Get(old)->state, DeliveryState::kDone);
  // It is still known: by its id, and by its body.
  EXPECT_TRUE(store_->inbox().AddAndWait(Opened("old"))->duplicate);
  EXPECT_EQ(store_->inbox().AddAndWait(Opened("new id", "old body"))->state, DeliveryState::kIgnored);
  EXPECT_EQ(store_->inbox().Requeue(old).code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(UpkeepTest, OldestBodiesGoWhereThereAreTooManyBytes) {
  Open([](StoreOptions& options) { options.retention.bodies_bytes = 50'000; });
  const int64_t pending = Add("pending", Noise(10'000, 1));
  std::vector<int64_t> ids;
  ids.reserve(9);
  for (int i = 0; i < 9; ++i) ids.push_back(AddDone("d-" + std::to_string(i), Noise(10'000, 10 + i)));
  EXPECT_EQ(store_->Stats().bodies_bytes, 100'000u);
  Maintain();
  EXPECT_EQ(store_->Stats().bodies_bytes, 50'000u);
  EXPECT_TRUE(HasBody(pending));
  for (int i = 0; i < 9; ++i) EXPECT_EQ(HasBody(ids[i]), i >= 5) << i;
  // The sum is right after a restart, too.
  Open();
  EXPECT_EQ(store_->Stats().bodies_bytes, 50'000u);
}

TEST_F(UpkeepTest, DeliveriesGoAfterThirtyFiveDays) {
  const int64_t old = AddDone("old");
  const int64_t pending = Add("pending");
  const int64_t dead = Add("dead");
  ASSERT_TRUE(store_->inbox().MarkDead(dead, "crashed us").ok());
  clock_.Advance(30 * kDay);
  const int64_t young = AddDone("young");
  clock_.Advance(5 * kDay + 1s);
  Maintain();
  EXPECT_EQ(store_->inbox().Get(old).status().code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(store_->inbox().Get(dead).status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(store_->inbox().Get(pending).ok());
  EXPECT_TRUE(HasBody(pending));
  EXPECT_TRUE(store_->inbox().Get(young).ok());
  EXPECT_FALSE(store_->inbox().AddAndWait(Opened("old"))->duplicate);
}

TEST_F(UpkeepTest, DigestsThatAreKeptForLessThanBodiesTakeTheirBodiesAlong) {
  Open([](StoreOptions& options) { options.retention.digests = std::chrono::hours(1); });
  AddDone("old", Noise(1000, 1));
  clock_.Advance(2h);
  Maintain();
  EXPECT_EQ(store_->Stats().bodies_bytes, 0u);
}

TEST_F(UpkeepTest, DecisionsLedgerAndSubjectsGoAfterFourHundredDays) {
  NewDecision decision;
  decision.id = "d-1";
  decision.subject = Issue(1);
  decision.pack = "p";
  decision.plan = "plan";
  ASSERT_TRUE(store_->decisions().Put(decision).ok());
  NewEffect effect;
  effect.key = "settled";
  effect.kind = "add_labels";
  effect.subject = Issue(1);
  const int64_t settled = store_->ledger().Intent(effect)->id;
  ASSERT_TRUE(store_->ledger().MarkConfirmed(settled, "1").ok());
  effect.key = "open";
  const int64_t open = store_->ledger().Intent(effect)->id;
  effect.key = "late";
  const int64_t late = store_->ledger().Intent(effect)->id;
  ASSERT_TRUE(store_->reviews().Put({"r-1", Issue(1), "c1", "", "outline", "review"}).ok());
  ASSERT_TRUE(store_->reviews().PutImport(Issue(1), "c1", {"ruff", "found"}).ok());
  SeenSubject seen;
  seen.subject = Issue(1);
  seen.title = "zebra crossing";
  ASSERT_TRUE(store_->subjects().Put(seen).ok());
  seen.subject = Issue(2);
  seen.title = "giraffe crossing";
  ASSERT_TRUE(store_->subjects().Put(seen).ok());
  ASSERT_TRUE(store_->subjects().NoteLabelRemoved(Issue(1), "triaged", "bob").ok());
  const auto see = [this](const std::string& head) {
    const auto seen = store_->subjects().SeeHead(Issue(1), head, clock_.Now(), store::HeadSource::kAnswer);
    return seen.ok() && seen->not_before.has_value();
  };
  EXPECT_FALSE(see("a"));

  clock_.Advance(399 * kDay);
  Maintain();
  EXPECT_TRUE(store_->decisions().Get("d-1").ok());
  EXPECT_TRUE(store_->reviews().Get("r-1").ok());
  EXPECT_TRUE(store_->ledger().Get(settled).ok());
  EXPECT_TRUE(store_->subjects().Get(Issue(1))->has_value());
  ASSERT_TRUE(store_->ledger().MarkConfirmed(late, "2").ok());
  // Seen again: young again.
  ASSERT_TRUE(store_->subjects().Put(seen).ok());

  clock_.Advance(kDay + 1s);
  Maintain();
  EXPECT_FALSE(store_->decisions().Get("d-1").ok());
  EXPECT_FALSE(store_->reviews().Get("r-1").ok());
  EXPECT_TRUE(store_->reviews().Imports(Issue(1), "c1")->empty());
  EXPECT_FALSE(store_->ledger().Get(settled).ok());
  EXPECT_TRUE(store_->ledger().Get(open).ok()) << "it is pending";
  EXPECT_TRUE(store_->ledger().Get(late).ok()) << "it was settled yesterday";
  EXPECT_FALSE(store_->subjects().Get(Issue(1))->has_value());
  EXPECT_TRUE(store_->subjects().Get(Issue(2))->has_value());
  EXPECT_TRUE(store_->subjects().RemovedLabels(Issue(1))->empty());
  EXPECT_FALSE(see("b")) << "that of a year ago is forgotten";
  SimilarQuery query;
  query.title = "zebra";
  EXPECT_TRUE(store_->subjects().Similar(query)->empty());
}

TEST_F(UpkeepTest, JobsGoWithTheirLeasesSomeTimeAfterTheirEnd) {
  Open([](StoreOptions& options) { options.retention.jobs = std::chrono::hours(24); });
  const int64_t now = std::chrono::duration_cast<std::chrono::microseconds>(clock_.Now().time_since_epoch()).count();
  JobRows rows;
  rows.jobs = {{"ended", 1, "o/r", true, now, "record"}, {"live", 2, "o/r", false, 0, "record"}};
  rows.leases = {{"ended", 1, false, "lease"}, {"live", 1, false, "lease"}, {"live", 2, true, "lease"}};
  ASSERT_TRUE(store_->jobs().Put(rows, true).ok());
  clock_.Advance(23h);
  Maintain();
  EXPECT_TRUE(store_->jobs().Get("ended").ok());
  clock_.Advance(2h);
  Maintain();
  EXPECT_EQ(store_->jobs().Get("ended").status().code(), absl::StatusCode::kNotFound);
  EXPECT_TRUE(store_->jobs().Get("live").ok());
  ASSERT_TRUE(store_->jobs().LoadLive().ok());
  EXPECT_EQ(store_->jobs().LoadLive()->leases.size(), 1u);
}

TEST_F(UpkeepTest, ManyRowsGoInManySlices) {
  for (int i = 0; i < 1000; ++i) {
    NewDelivery delivery = Opened("d-" + std::to_string(i));
    delivery.ignored_because = "no pack";
    ASSERT_TRUE(store_->inbox().AddAndWait(delivery).ok());
  }
  clock_.Advance(36 * kDay);
  const uint64_t before = store_->Stats().commits;
  Maintain();
  // 1,000 bodies by 128, 1,000 deliveries by 256.
  EXPECT_GE(store_->Stats().commits - before, 12u);
  EXPECT_TRUE(store_->inbox().List({}, {})->items.empty());
  EXPECT_EQ(store_->Stats().bodies_bytes, 0u);
}

TEST_F(UpkeepTest, TheFileShrinksWhenMuchOfItIsUnused) {
  // 16 MiB of bodies that don't compress.
  for (int i = 0; i < 512; ++i) AddDone("d-" + std::to_string(i), Noise(32 * 1024, i));
  Maintain();
  const uint64_t full = store_->Stats().database_bytes;
  EXPECT_GT(full, 16u << 20);
  clock_.Advance(8 * kDay);
  Maintain();
  const StoreStats after = store_->Stats();
  EXPECT_LT(after.database_bytes, 4u << 20);
  EXPECT_LT(after.unused_bytes, 3u << 20);
  for (int i = 0; i < 10; ++i) EXPECT_TRUE(store_->inbox().Get(i + 1).ok());
  // Everything in it is in order.
  ReaderPool readers(file(), 1);
  auto verdict = readers.Read([](soci::session& sql) -> absl::StatusOr<std::string> {
    std::string text;
    sql << "pragma integrity_check", soci::into(text);
    return text;
  });
  EXPECT_EQ(*verdict, "ok");
}

class ThreadedUpkeepTest : public UpkeepTest {
 protected:
  void SetUp() override {
    single_threaded_ = false;
    Open([](StoreOptions& options) { options.maintenance_interval = 1min; });
  }
};

TEST_F(ThreadedUpkeepTest, HappensByItselfWhileOthersWrite) {
  const int64_t old = AddDone("old");
  clock_.Advance(8 * kDay);
  for (int i = 0; i < 500 && HasBody(old); ++i) {
    Add("d-" + std::to_string(i));
    std::this_thread::sleep_for(5ms);
  }
  EXPECT_FALSE(HasBody(old));
  EXPECT_TRUE(store_->Ready().ok());
}

TEST_F(ThreadedUpkeepTest, ARoundThatIsAskedForIsWaitedFor) {
  const int64_t old = AddDone("old");
  clock_.Advance(8 * kDay);
  std::thread other([&] { EXPECT_TRUE(store_->Maintain().ok()); });
  Maintain();
  EXPECT_FALSE(HasBody(old));
  other.join();
}

}  // namespace
}  // namespace yardmaster::store
