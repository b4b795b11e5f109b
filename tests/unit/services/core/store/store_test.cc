#include "services/core/store/store.h"

#include <atomic>
#include <fstream>
#include <future>
#include <latch>
#include <string>
#include <thread>
#include <vector>

#include "services/core/store/reader_pool.h"
#include "services/core/store/sql.h"
#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

using ::testing::HasSubstr;
using ::testing::SizeIs;

class StoreTest : public StoreFixture {
 protected:
  void SetUp() override {}
};

// With the writer's thread, as the daemon has it.
class ThreadedStoreTest : public StoreFixture {
 protected:
  void SetUp() override { single_threaded_ = false; }

  // Holds the writer's thread up inside a callback until Let is called.
  void HoldWriter(const std::string& id) {
    auto held = std::make_shared<std::promise<void>>();
    std::future<void> is_held = held->get_future();
    let_ = std::promise<void>();
    std::shared_future<void> go = let_.get_future().share();
    store_->inbox().Add(Opened(id), [held, go](const absl::StatusOr<AddResult>&) {
      held->set_value();
      go.wait();
    });
    is_held.wait();
  }
  void Let() { let_.set_value(); }

  std::promise<void> let_;
};

NewEffect Label(const std::string& key) {
  NewEffect effect;
  effect.key = key;
  effect.kind = "add_labels";
  effect.subject = Issue(1);
  return effect;
}

TEST_F(StoreTest, ASecondStoreOnTheSameDirectoryIsRefused) {
  Open();
  StoreOptions options;
  options.data_dir = dir_.path() / "data";
  const auto second = Store::Open(options, clock_, nullptr);
  EXPECT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  store_.reset();
  EXPECT_TRUE(Store::Open(options, clock_, nullptr).ok());
}

TEST_F(StoreTest, TheCallersLockIsUsedWhereThereIsOne) {
  auto lock = DataDirLock::Take(dir_.path() / "data");
  ASSERT_TRUE(lock.ok()) << lock.status();
  Open([&](StoreOptions& options) { options.lock = lock->get(); });
  EXPECT_GT(Add("d-1"), 0);
  store_.reset();
  // It is still the caller's.
  EXPECT_FALSE(DataDirLock::Take(dir_.path() / "data").ok());
}

TEST_F(StoreTest, AFolderWithBlanksAndEqualSignsIsAFolder) {
  StoreOptions options;
  options.data_dir = dir_.path() / "my data  dir=1; 'x'" / "ünï";
  options.single_threaded = true;
  auto store = Store::Open(options, clock_, nullptr);
  ASSERT_TRUE(store.ok()) << store.status();
  EXPECT_TRUE((*store)->inbox().AddAndWait(Opened("d-1")).ok());
  EXPECT_TRUE(std::filesystem::exists(options.data_dir / "yardmaster.db"));
  options.data_dir = dir_.path() / "with \" quote";
  EXPECT_THAT(std::string(Store::Open(options, clock_, nullptr).status().message()), HasSubstr("quotation mark"));
}

TEST_F(StoreTest, AFileThatIsNoDatabaseIsAnErrorThatNamesIt) {
  dir_.Write("data/yardmaster.db", std::string(8192, 'x'));
  StoreOptions options;
  options.data_dir = dir_.path() / "data";
  const auto store = Store::Open(options, clock_, nullptr);
  ASSERT_EQ(store.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(store.status().message()), HasSubstr("yardmaster.db"));
  EXPECT_THAT(std::string(store.status().message()), HasSubstr("not a database"));
}

TEST_F(StoreTest, EverythingIsThereAfterARestart) {
  Open();
  const int64_t id = Add("d-1", "the body");
  ASSERT_TRUE(store_->ledger().Intent(Label("k")).ok());
  Open();
  EXPECT_EQ(*store_->inbox().Body(id), "the body");
  EXPECT_EQ(*store_->ledger().CountPending(), 1);
  EXPECT_TRUE(store_->inbox().AddAndWait(Opened("d-1"))->duplicate);
}

TEST_F(StoreTest, MetricsTellWhatIsPendingFromTheStart) {
  Metrics metrics;
  metrics_ = &metrics;
  Open();
  const int64_t a = Add("a");
  Add("b");
  Add("b");
  ASSERT_TRUE(store_->inbox().MarkDone(a).ok());
  ASSERT_TRUE(store_->ledger().Intent(Label("k")).ok());
  const std::string text = metrics.Serialize();
  EXPECT_THAT(text, HasSubstr("yardmaster_inbox_pending 1"));
  EXPECT_THAT(text, HasSubstr("yardmaster_effects_pending 1"));
  EXPECT_THAT(text, HasSubstr("yardmaster_deliveries_total{forge=\"github\",state=\"received\"} 2"));
  EXPECT_THAT(text, HasSubstr("yardmaster_deliveries_total{forge=\"github\",state=\"done\"} 1"));
  EXPECT_THAT(text, HasSubstr("yardmaster_deliveries_duplicate_total{forge=\"github\"} 1"));
  EXPECT_THAT(text, HasSubstr("yardmaster_effects_total{kind=\"add_labels\",state=\"intent\"} 1"));

  Metrics later;
  metrics_ = &later;
  Open();
  EXPECT_THAT(later.Serialize(), HasSubstr("yardmaster_inbox_pending 1"));
  EXPECT_THAT(later.Serialize(), HasSubstr("yardmaster_effects_pending 1"));
  store_.reset();
}

TEST_F(StoreTest, BelowTheFloorOnlyWhatWasBegunIsNoted) {
  uint64_t free = 100 << 20;
  Open([&](StoreOptions& options) {
    options.disk_floor_bytes = 50 << 20;
    options.free_disk_bytes = [&free](const std::filesystem::path&) { return std::optional<uint64_t>(free); };
  });
  const int64_t delivery = Add("d-1");
  const int64_t effect = store_->ledger().Intent(Label("k"))->id;
  EXPECT_TRUE(store_->Ready().ok());

  free = 49 << 20;
  const auto refused = store_->inbox().AddAndWait(Opened("d-2"));
  EXPECT_EQ(refused.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.status().message()), HasSubstr("49 MiB"));
  EXPECT_EQ(store_->Ready().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(store_->ledger().Intent(Label("k2")).status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(store_->ledger().MarkConfirmed(effect, "1").ok());
  EXPECT_TRUE(store_->inbox().MarkDone(delivery).ok());
  EXPECT_TRUE(store_->inbox().Get(delivery).ok());
  EXPECT_TRUE(store_->Maintain().ok());

  free = 51 << 20;
  EXPECT_TRUE(store_->inbox().AddAndWait(Opened("d-4")).ok());
  EXPECT_TRUE(store_->Ready().ok());
}

TEST_F(StoreTest, AFullDiskIsSaidAndWhatWasAcknowledgedIsThere) {
  Open([](StoreOptions& options) { options.max_database_bytes = 1 << 20; });
  std::vector<int64_t> acknowledged;
  absl::Status refused;
  uint64_t state = 1;
  for (int i = 0; i < 2000 && refused.ok(); ++i) {
    std::string noise;
    for (int j = 0; j < 2000; ++j) {
      state = state * 6364136223846793005ull + 1442695040888963407ull;
      noise += static_cast<char>(state >> 56);
    }
    auto added = store_->inbox().AddAndWait(Opened("d-" + std::to_string(i), noise));
    if (added.ok()) acknowledged.push_back(added->id);
    refused = added.status();
  }
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("full"));
  EXPECT_EQ(store_->Ready().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_GT(acknowledged.size(), 100u);
  // What was begun can be ended: it needs no new page.
  EXPECT_TRUE(store_->inbox().MarkDone(acknowledged[0]).ok());
  Open();
  for (int64_t id : acknowledged) EXPECT_TRUE(store_->inbox().Body(id).ok()) << id;
  EXPECT_EQ(store_->inbox().Counts()->received, static_cast<int64_t>(acknowledged.size()) - 1);
}

TEST_F(ThreadedStoreTest, WhatArrivesTogetherIsCommittedTogetherAndAnsweredAfterwards) {
  Open();
  HoldWriter("first");
  const uint64_t commits = store_->Stats().commits;
  constexpr int kDeliveries = 300;
  std::latch done(kDeliveries);
  std::atomic<int> visible{0};
  std::atomic<int> duplicates{0};
  for (int i = 0; i < kDeliveries; ++i) {
    // Every third is a duplicate of one in the same group.
    const std::string id = "d-" + std::to_string(i % 3 == 2 ? i - 1 : i);
    store_->inbox().Add(Opened(id), [&](absl::StatusOr<AddResult> added) {
      // Another connection sees it already.
      if (added.ok() && store_->inbox().Get(added->id).ok()) ++visible;
      if (added.ok() && added->duplicate) ++duplicates;
      done.count_down();
    });
  }
  EXPECT_EQ(store_->Stats().queued_deliveries, static_cast<uint64_t>(kDeliveries));
  Let();
  done.wait();
  EXPECT_EQ(visible, kDeliveries);
  EXPECT_EQ(duplicates, kDeliveries / 3);
  EXPECT_EQ(store_->Stats().commits - commits, 1u);
  EXPECT_EQ(store_->Stats().queued_deliveries, 0u);
  EXPECT_EQ(store_->Stats().queued_bytes, 0u);
  store_.reset();  // the callbacks use what is on this stack
}

TEST_F(ThreadedStoreTest, AFullQueueTurnsDeliveriesAwayAtOnceButNotOurOwnWrites) {
  Open([](StoreOptions& options) { options.queue_deliveries = 3; });
  HoldWriter("first");
  std::vector<std::future<absl::Status>> answers;
  const auto add = [&](const std::string& id) {
    auto answer = std::make_shared<std::promise<absl::Status>>();
    answers.push_back(answer->get_future());
    store_->inbox().Add(Opened(id),
                        [answer](const absl::StatusOr<AddResult>& added) { answer->set_value(added.status()); });
  };
  for (int i = 0; i < 3; ++i) add("d-" + std::to_string(i));
  add("one too many");
  ASSERT_EQ(answers[3].wait_for(0s), std::future_status::ready);
  const absl::Status refused = answers[3].get();
  EXPECT_EQ(refused.code(), absl::StatusCode::kResourceExhausted);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("3 deliveries"));
  // The store itself is well.
  EXPECT_TRUE(store_->Ready().ok());
  auto intent = std::async(std::launch::async, [&] { return store_->ledger().Intent(Label("k")).status(); });
  Let();
  EXPECT_TRUE(intent.get().ok());
  for (int i = 0; i < 3; ++i) EXPECT_TRUE(answers[i].get().ok());
  EXPECT_EQ(store_->inbox().Find("github", "one too many").status().code(), absl::StatusCode::kNotFound);
}

TEST_F(ThreadedStoreTest, TheQueueIsBoundedInBytesToo) {
  Open([](StoreOptions& options) { options.queue_bytes = 1000; });
  HoldWriter("first");
  std::string noise;
  uint64_t state = 1;
  for (int i = 0; i < 5000; ++i) {
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    noise += static_cast<char>(state >> 56);
  }
  auto large = std::make_shared<std::promise<absl::Status>>();
  auto next = std::make_shared<std::promise<absl::Status>>();
  // One is let in whatever its size, else it never could be.
  store_->inbox().Add(Opened("large", noise),
                      [large](const absl::StatusOr<AddResult>& a) { large->set_value(a.status()); });
  store_->inbox().Add(Opened("next"), [next](const absl::StatusOr<AddResult>& a) { next->set_value(a.status()); });
  EXPECT_EQ(next->get_future().get().code(), absl::StatusCode::kResourceExhausted);
  Let();
  EXPECT_TRUE(large->get_future().get().ok());
}

TEST_F(ThreadedStoreTest, WaitingForTheStoreInsideACallbackIsRefusedNotADeadlock) {
  Open();
  auto inside = std::make_shared<std::promise<absl::Status>>();
  store_->inbox().Add(Opened("a"), [this, inside](const absl::StatusOr<AddResult>& added) {
    inside->set_value(store_->inbox().MarkDone(added->id));
  });
  EXPECT_EQ(inside->get_future().get().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ThreadedStoreTest, SettlingWithoutWaiting) {
  Open();
  const int64_t id = Add("a");
  ASSERT_THAT(*store_->inbox().Claim(1), SizeIs(1));
  auto first = std::make_shared<std::promise<absl::Status>>();
  auto second = std::make_shared<std::promise<absl::Status>>();
  store_->inbox().SettleAsync({id, DeliveryState::kDone, "", {}, {}},
                              [first](const absl::Status& s) { first->set_value(s); });
  store_->inbox().SettleAsync({id, DeliveryState::kDone, "", {}, {}},
                              [second](const absl::Status& s) { second->set_value(s); });
  store_->inbox().SettleAsync({id, DeliveryState::kReceived, "", {}, {}}, nullptr);
  EXPECT_TRUE(first->get_future().get().ok());
  EXPECT_EQ(second->get_future().get().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(ThreadedStoreTest, AReaderThatTakesItsTimeHoldsNobodyUp) {
  Open();
  for (int i = 0; i < 20; ++i) Add("before-" + std::to_string(i));
  ReaderPool readers(file(), 1);
  std::latch reading(1);
  std::latch go_on(1);
  auto count = std::async(std::launch::async, [&] {
    return readers.Read([&](soci::session& sql) -> absl::StatusOr<int> {
      long long id = 0;
      int rows = 0;
      Select query(sql);
      query.Add("select id from deliveries order by id").Into(id);
      while (query.Next()) {
        // In the middle of its snapshot.
        if (++rows == 10) {
          reading.count_down();
          go_on.wait();
        }
      }
      return rows;
    });
  });
  reading.wait();
  // Many more pages than a checkpoint is begun for.
  for (int i = 0; i < 200; ++i)
    Add("during-" + std::to_string(i), std::string(100, static_cast<char>('a' + i % 26)) + std::to_string(i));
  EXPECT_TRUE(store_->Maintain().ok());
  EXPECT_EQ(store_->inbox().Counts()->received, 220);
  go_on.count_down();
  // It saw what was there when it began.
  EXPECT_EQ(*count.get(), 20);
}

TEST_F(ThreadedStoreTest, ManyThreadsWriteAndReadAtOnce) {
  Open();
  constexpr int kThreads = 6;
  constexpr int kEach = 60;
  std::vector<std::thread> threads;
  threads.reserve(kThreads);
  std::atomic<int> wrong{0};
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) {
        const std::string name = std::to_string(t) + "-" + std::to_string(i);
        auto added = store_->inbox().AddAndWait(Opened(name));
        if (!added.ok() || *store_->inbox().Body(added->id) != Opened(name).body) ++wrong;
        auto intent = store_->ledger().Intent(Label(name));
        if (!intent.ok() || !store_->ledger().MarkConfirmed(intent->id, name).ok()) ++wrong;
        if (store_->ledger().Find(name)->forge_ref != name) ++wrong;
        auto claimed = store_->inbox().Claim(1);
        if (!claimed.ok() || claimed->size() > 1) ++wrong;
        for (const Delivery& delivery : *claimed) {
          // Nobody else has it, so this can't be refused.
          if (!store_->inbox().MarkDone(delivery.id).ok()) ++wrong;
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(store_->inbox().Counts()->received, 0);
  EXPECT_EQ(*store_->ledger().CountPending(), 0);
}

TEST_F(ThreadedStoreTest, ShutdownCommitsWhatWaitsAndRefusesTheRest) {
  Open();
  HoldWriter("first");
  std::vector<std::future<absl::Status>> answers;
  for (int i = 0; i < 1500; ++i) {
    auto answer = std::make_shared<std::promise<absl::Status>>();
    answers.push_back(answer->get_future());
    store_->inbox().Add(Opened("d-" + std::to_string(i)),
                        [answer](const absl::StatusOr<AddResult>& added) { answer->set_value(added.status()); });
  }
  auto down = std::async(std::launch::async, [&] { store_->Shutdown(); });
  Let();
  down.wait();
  for (auto& answer : answers) EXPECT_TRUE(answer.get().ok());
  EXPECT_EQ(store_->inbox().AddAndWait(Opened("late")).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(store_->inbox().MarkDone(1).code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(store_->inbox().Get(1).status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(store_->Maintain().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(store_->Ready().code(), absl::StatusCode::kUnavailable);
  store_->Shutdown();
  // All of it is in the main file.
  EXPECT_FALSE(std::filesystem::exists(file().native() + "-wal"));
  Open();
  EXPECT_EQ(store_->inbox().Counts()->received, 1501);
}

TEST_F(ThreadedStoreTest, ALowDiskIsNoticedWithoutAnyTraffic) {
  std::atomic<uint64_t> free{100 << 20};
  Open([&](StoreOptions& options) {
    options.disk_floor_bytes = 50 << 20;
    options.free_disk_bytes = [&free](const std::filesystem::path&) { return std::optional<uint64_t>(free.load()); };
  });
  const auto becomes = [&](absl::StatusCode code) {
    for (int i = 0; i < 500 && store_->Ready().code() != code; ++i) std::this_thread::sleep_for(10ms);
    return store_->Ready().code() == code;
  };
  EXPECT_TRUE(becomes(absl::StatusCode::kOk));
  free = 1;
  EXPECT_TRUE(becomes(absl::StatusCode::kResourceExhausted));
  EXPECT_EQ(store_->inbox().AddAndWait(Opened("d")).status().code(), absl::StatusCode::kResourceExhausted);
  free = 100 << 20;
  EXPECT_TRUE(becomes(absl::StatusCode::kOk));
  EXPECT_TRUE(store_->inbox().AddAndWait(Opened("d")).ok());
  store_.reset();
}

}  // namespace
}  // namespace yardmaster::store
