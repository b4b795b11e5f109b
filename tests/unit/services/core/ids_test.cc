#include "services/core/ids.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>
#include <vector>

namespace yardmaster {
namespace {

TEST(NewId, HasThePrefixAndSixteenHexCharacters) {
  const std::string id = NewId("d-");
  EXPECT_EQ(id.size(), 18u);
  EXPECT_TRUE(id.starts_with("d-"));
  EXPECT_EQ(id.find_first_not_of("0123456789abcdef", 2), std::string::npos);
}

TEST(NewId, DiffersBetweenCallsAndThreads) {
  std::vector<std::vector<std::string>> ids(4);
  std::vector<std::thread> threads;
  threads.reserve(ids.size());
  for (auto& mine : ids) {
    threads.emplace_back([&mine] {
      for (int i = 0; i < 1000; ++i) mine.push_back(NewId(""));
    });
  }
  std::set<std::string> all;
  for (std::thread& thread : threads) thread.join();
  for (const auto& mine : ids) all.insert(mine.begin(), mine.end());
  EXPECT_EQ(all.size(), 4000u);
}

}  // namespace
}  // namespace yardmaster
