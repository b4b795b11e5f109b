#include "services/triage/decision_id.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace yardmaster {
namespace {

using std::chrono::milliseconds;
using Time = std::chrono::system_clock::time_point;

TEST(DecisionIds, AreShortAndSortByTime) {
  DecisionIds ids;
  const Time start{milliseconds(1'700'000'000'000)};
  std::vector<std::string> made;
  for (int i = 0; i < 100; ++i) made.push_back(ids.Next(start + milliseconds(i / 3)));
  EXPECT_TRUE(std::is_sorted(made.begin(), made.end()));
  for (const std::string& id : made) EXPECT_EQ(id.size(), 13u);
}

TEST(DecisionIds, AClockThatGoesBackMakesNoIdTwice) {
  DecisionIds ids;
  const std::string later = ids.Next(Time{milliseconds(2000)});
  EXPECT_GT(ids.Next(Time{milliseconds(1000)}), later);
  EXPECT_GT(ids.Next(Time{milliseconds(-1000)}), later);
}

TEST(DecisionIds, ARestartedDaemonGoesOnBehindItsOldIds) {
  const std::string before = DecisionIds().Next(Time{milliseconds(5000)});
  EXPECT_GT(DecisionIds().Next(Time{milliseconds(5001)}), before);
}

TEST(DecisionIds, ThreadsNeverGetTheSame) {
  DecisionIds ids;
  constexpr int kThreads = 4;
  constexpr int kEach = 2000;
  std::vector<std::vector<std::string>> made(kThreads);
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      for (int i = 0; i < kEach; ++i) made[t].push_back(ids.Next(Time{milliseconds(1)}));
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::set<std::string> all;
  for (const auto& some : made) all.insert(some.begin(), some.end());
  EXPECT_EQ(all.size(), static_cast<size_t>(kThreads * kEach));
}

TEST(DecisionIds, AreToldFromIdsOfRules) {
  DecisionIds ids;
  EXPECT_TRUE(IsDecisionId(ids.Next(Time{milliseconds(1)})));
  for (const char* rule : {"", "OL48", "fsdp.api", "HP-PLAT-001xx", "1m7wtmbvd000", "1m7wtmbvd00000"}) {
    EXPECT_FALSE(IsDecisionId(rule)) << rule;
  }
}

}  // namespace
}  // namespace yardmaster
