// What was acknowledged survives SIGKILL at any moment: a child process writes and says what was acknowledged, is
// killed, and the next one goes on with what it left.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "services/core/store/reader_pool.h"
#include "services/core/store/sql.h"
#include "tests/support/process.h"
#include "tests/unit/services/core/store/store_fixture.h"

namespace yardmaster::store {
namespace {

constexpr char kDirVariable[] = "YARD_TEST_CRASH_DIR";
constexpr char kRoundVariable[] = "YARD_TEST_CRASH_ROUND";
constexpr int kRounds = 10;
// A round ends after so much was acknowledged, drawn anew for each, and not after so long: a slow machine has as much
// at stake.
constexpr int kMostDeliveries = 40;
constexpr int kMostEffects = 8;

std::string BodyOf(const std::string& id) { return "body of " + id + std::string(id.size() * 37 % 3000, '.') + id; }

// One line in one write: either it is out or it is not.
void Say(const std::string& line) {
  const std::string whole = "@" + line + "\n";
  if (::write(STDOUT_FILENO, whole.data(), whole.size()) < 0) std::abort();
}

size_t Count(const std::string& text, std::string_view word) {
  size_t count = 0;
  for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + word.size())) ++count;
  return count;
}

// The child: three threads, each with its own kind of work, until somebody kills us.
TEST(StoreCrashChild, DISABLED_WritesUntilItIsKilled) {
  const char* dir = std::getenv(kDirVariable);
  if (dir == nullptr) GTEST_SKIP() << "only as a child of StoreCrash";
  const std::string round = std::getenv(kRoundVariable);
  SystemClock clock;
  StoreOptions options;
  options.data_dir = dir;
  options.disk_floor_bytes = 1;
  options.maintenance_interval = std::chrono::milliseconds(20);
  options.retention.bodies_bytes = 200'000;  // so that retention and compaction are in the midst of it
  auto opened = Store::Open(options, clock, nullptr);
  ASSERT_TRUE(opened.ok()) << opened.status();
  Store& store = **opened;
  Say("ready");

  std::vector<std::thread> threads;
  // Deliveries, up to 40 on their way.
  std::atomic<int> waiting{0};
  threads.emplace_back([&] {
    for (int i = 0;; ++i) {
      // Every round looks at all that was taken in: at full speed it is so much that looking takes minutes.
      std::this_thread::sleep_for(std::chrono::microseconds(300));
      while (waiting >= 40) std::this_thread::yield();
      ++waiting;
      const std::string id = round + "-" + std::to_string(i);
      store.inbox().Add(Opened(id, BodyOf(id)), [&, id](const absl::StatusOr<AddResult>& added) {
        if (added.ok()) Say("received " + id);
        --waiting;
      });
    }
  });
  // Work on them.
  threads.emplace_back([&] {
    while (true) {
      auto claimed = store.inbox().Claim(20);
      if (!claimed.ok()) continue;
      for (const Delivery& delivery : *claimed) {
        if (delivery.id % 3 == 0) {
          if (store.inbox().MarkFailed(delivery.id, "test").ok()) Say("failed " + delivery.delivery_id);
        } else if (delivery.id % 3 == 1) {
          store.inbox().SettleAsync({delivery.id, DeliveryState::kDone, "", {}, {}},
                                    [id = delivery.delivery_id](const absl::Status& status) {
                                      if (status.ok()) Say("done " + id);
                                    });
        }
      }
    }
  });
  // Effects and decisions.
  threads.emplace_back([&] {
    for (int i = 0;; ++i) {
      const std::string key = round + "-" + std::to_string(i);
      NewEffect effect;
      effect.key = key;
      effect.kind = "add_labels";
      effect.subject = Issue(i % 5 + 1);
      effect.action.mutable_post_template()->set_body(BodyOf(key));
      auto intent = store.ledger().Intent(effect);
      if (!intent.ok()) continue;
      Say("intent " + key);
      if (!store.ledger().Sending(intent->id).ok()) continue;
      if (i % 2 == 0 && store.ledger().MarkConfirmed(intent->id, "ref").ok()) Say("confirmed " + key);
      NewDecision decision;
      decision.id = key;
      decision.subject = effect.subject;
      decision.pack = "p";
      decision.plan = BodyOf(key);
      if (store.decisions().Put(decision).ok()) Say("decision " + key);
      SeenSubject seen;
      seen.subject = effect.subject;
      seen.title = "title " + key;
      seen.digest = key;
      if (store.subjects().Put(seen).ok()) Say("seen " + std::to_string(i % 5 + 1) + " " + key);
    }
  });
  for (std::thread& thread : threads) thread.join();
}

TEST(StoreCrash, NothingAcknowledgedIsLostByKillsAtRandomMoments) {
  yardmaster::testing::TempDir dir;
  std::minstd_rand random(20240501);
  std::map<std::string, std::string> deliveries;  // id → the last state that was acknowledged
  std::map<std::string, std::string> effects;
  std::set<std::string> decisions;
  std::map<int64_t, std::pair<int, int>> seen;  // subject → round and count of its last digest
  size_t deliveries_at_stake = 0;
  size_t effects_at_stake = 0;
  size_t lines = 0;

  for (int round = 0; round < kRounds; ++round) {
    SCOPED_TRACE("round " + std::to_string(round));
    {
      yardmaster::testing::Process child(
          {"/proc/self/exe", "--gtest_also_run_disabled_tests", "--gtest_filter=StoreCrashChild.*"},
          // Whatever shard of the tests this is, the child runs its one.
          {"GTEST_TOTAL_SHARDS=1", "GTEST_SHARD_INDEX=0", std::string(kDirVariable) + "=" + dir.path().string(),
           std::string(kRoundVariable) + "=" + std::to_string(round)});
      const size_t received = random() % kMostDeliveries;
      const size_t intended = random() % kMostEffects;
      deliveries_at_stake += received;
      effects_at_stake += intended;
      const auto enough = [&](const std::string& said) {
        return said.find("@ready\n") != std::string::npos && Count(said, "@received ") >= received &&
               Count(said, "@intent ") >= intended;
      };
      const auto limit = std::chrono::steady_clock::now() + std::chrono::seconds(60);
      while (!enough(child.Stdout()) && child.running() && std::chrono::steady_clock::now() < limit) {
        child.Wait(std::chrono::milliseconds(5));
      }
      ASSERT_TRUE(enough(child.Stdout())) << child.Stdout() << child.Stderr();
      child.Wait(std::chrono::milliseconds(random() % 10));
      child.Signal(SIGKILL);
      ASSERT_EQ(child.Wait(std::chrono::seconds(20)), 128 + SIGKILL) << child.Stdout() << child.Stderr();

      // Only whole lines count; the pieces of gtest's own between them don't begin with "@".
      std::istringstream said(child.Stdout());
      for (std::string line; std::getline(said, line) && !said.eof();) {
        std::istringstream words(line);
        std::string what;
        std::string name;
        std::string digest;
        words >> what >> name >> digest;
        if (what == "@received") {
          deliveries.emplace(name, "received");
        } else if (what == "@failed" || what == "@done") {
          deliveries[name] = what.substr(1);
        } else if (what == "@intent" || what == "@confirmed") {
          effects[name] = what.substr(1);
        } else if (what == "@decision") {
          decisions.insert(name);
        } else if (what == "@seen") {
          seen[std::stoll(name)] = {round, std::stoi(digest.substr(digest.find('-') + 1))};
        } else {
          continue;
        }
        ++lines;
      }
    }

    // What is there now. The last step of each may have been committed without our hearing of it.
    SystemClock clock;
    StoreOptions options;
    options.data_dir = dir.path();
    options.disk_floor_bytes = 1;
    options.single_threaded = true;
    auto opened = Store::Open(options, clock, nullptr);
    ASSERT_TRUE(opened.ok()) << opened.status();
    Store& store = **opened;
    for (const auto& [id, state] : deliveries) {
      auto delivery = store.inbox().Find("github", id);
      ASSERT_TRUE(delivery.ok()) << id << ": " << delivery.status();
      if (state == "received") {
        if (delivery->state == DeliveryState::kReceived) {
          auto body = store.inbox().Body(delivery->id);
          ASSERT_TRUE(body.ok()) << id << ": " << body.status();
          ASSERT_EQ(*body, BodyOf(id));
        }
      } else {
        ASSERT_EQ(DeliveryStateName(delivery->state), state) << id;
      }
    }
    for (const auto& [key, state] : effects) {
      auto effect = store.ledger().Find(key);
      ASSERT_TRUE(effect.ok()) << key << ": " << effect.status();
      ASSERT_EQ(effect->action.post_template().body(), BodyOf(key));
      if (state == "confirmed") {
        ASSERT_EQ(effect->state, EffectState::kConfirmed) << key;
      }
    }
    for (const std::string& id : decisions) {
      auto decision = store.decisions().Get(id);
      ASSERT_TRUE(decision.ok()) << id << ": " << decision.status();
      ASSERT_EQ(decision->plan, BodyOf(id));
    }
    for (const auto& [number, last] : seen) {
      auto known = store.subjects().Get(Issue(number));
      ASSERT_TRUE(known.ok() && known->has_value());
      const std::string& digest = (*known)->digest;
      const std::pair<int, int> stored = {std::stoi(digest), std::stoi(digest.substr(digest.find('-') + 1))};
      ASSERT_GE(stored, last) << digest;
    }

    // The sums that are kept beside the rows are right, and so is the file.
    ReaderPool readers(dir.path() / "yardmaster.db", 1);
    const absl::Status sums = readers.Read([](soci::session& sql) {
      long long noted = 0;
      long long added_up = 0;
      std::string verdict;
      sql << "select value from totals where name = 'bodies_bytes'", soci::into(noted);
      sql << "select coalesce(sum(stored_bytes), 0) from bodies", soci::into(added_up);
      sql << "pragma integrity_check", soci::into(verdict);
      EXPECT_EQ(noted, added_up);
      EXPECT_EQ(verdict, "ok");
      return absl::OkStatus();
    });
    ASSERT_TRUE(sums.ok()) << sums;
  }
  // It was not for nothing.
  EXPECT_GE(deliveries.size(), deliveries_at_stake);
  EXPECT_GE(effects.size(), effects_at_stake);
  RecordProperty("acknowledged", static_cast<int>(lines));
}

}  // namespace
}  // namespace yardmaster::store
