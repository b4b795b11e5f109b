#include "rules/engine/code/source_cache.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster::rules {
namespace {

constexpr std::chrono::milliseconds kLimit{2000};

TEST(SourceCache, TheSameTextAtTheSamePathIsReadOnce) {
  SourceCache cache(1024 * 1024);
  const auto first = cache.Read("a.py", "x = 1\n", kLimit);
  EXPECT_EQ(cache.Read("a.py", "x = 1\n", kLimit), first);
  EXPECT_NE(cache.Read("a.py", "x = 2\n", kLimit), first);
  EXPECT_NE(cache.Read("a.yaml", "x = 1\n", kLimit), first);
}

TEST(SourceCache, WhatWasAskedForLongestAgoGoesFirstAndTheSizeStaysBounded) {
  SourceCache cache(64 * 1024);
  const auto text = [](int i) { return "x = " + std::to_string(i) + "\n" + std::string(8000, '#') + "\n"; };
  const auto first = cache.Read("a.py", text(0), kLimit);
  for (int i = 1; i < 5; ++i) cache.Read("a.py", text(i), kLimit);
  EXPECT_EQ(cache.Read("a.py", text(0), kLimit), first);
  for (int i = 5; i < 40; ++i) cache.Read("a.py", text(i), kLimit);
  EXPECT_LE(cache.bytes(), 64u * 1024);
  EXPECT_NE(cache.Read("a.py", text(0), kLimit), first);
}

TEST(SourceCache, AnEmptyFileIsKeptAsWell) {
  SourceCache cache(1024 * 1024);
  const auto first = cache.Read("a.py", "", kLimit);
  EXPECT_EQ(cache.Read("a.py", "", kLimit), first);
  EXPECT_NE(cache.Read("b.py", "", kLimit), first);
}

TEST(SourceCache, WhatPassedALimitIsNotKept) {
  SourceCache cache(64 * 1024 * 1024);
  const std::string large(kMaxSourceBytes + 1, ' ');
  const auto first = cache.Read("a.py", large, kLimit);
  ASSERT_FALSE(first->facts().limits.empty());
  EXPECT_EQ(cache.bytes(), 0u);
}

}  // namespace
}  // namespace yardmaster::rules
