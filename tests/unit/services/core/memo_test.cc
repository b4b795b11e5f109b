#include "services/core/memo.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace yardmaster {
namespace {

std::shared_ptr<const std::string> Text(const char* text) { return std::make_shared<const std::string>(text); }

TEST(Memo, WhoAsksForTheSameKeyGetsTheSameValue) {
  Memo<int, std::string> values;
  const auto first = values.Get(1, [] { return Text("one"); });
  const auto again = values.Get(1, [] { return Text("another one"); });
  EXPECT_EQ(*first, "one");
  EXPECT_EQ(again, first);
}

TEST(Memo, OtherKeysHaveValuesOfTheirOwn) {
  Memo<int, std::string> values;
  EXPECT_EQ(*values.Get(1, [] { return Text("one"); }), "one");
  EXPECT_EQ(*values.Get(2, [] { return Text("two"); }), "two");
}

TEST(Memo, WhatCouldNotBeMadeIsTriedAgain) {
  Memo<int, std::string> values;
  EXPECT_EQ(values.Get(1, [] { return std::shared_ptr<const std::string>(); }), nullptr);
  EXPECT_EQ(*values.Get(1, [] { return Text("one"); }), "one");
}

TEST(Memo, AValueMayNeedOneOfAnotherKey) {
  Memo<int, std::string> values;
  const auto value = values.Get(1, [&] { return values.Get(2, [] { return Text("two"); }); });
  EXPECT_EQ(*value, "two");
}

TEST(Memo, ManyThreadsMakeAValueOnce) {
  constexpr int kThreads = 8;
  Memo<int, std::string> values;
  std::atomic<int> made{0};
  std::vector<std::shared_ptr<const std::string>> seen(kThreads);
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int i = 0; i < kThreads; ++i) {
      threads.emplace_back([&, i] {
        seen[static_cast<size_t>(i)] = values.Get(1, [&] {
          ++made;
          return Text("one");
        });
      });
    }
  }
  EXPECT_EQ(made, 1);
  for (const auto& value : seen) EXPECT_EQ(value, seen.front());
}

}  // namespace
}  // namespace yardmaster
