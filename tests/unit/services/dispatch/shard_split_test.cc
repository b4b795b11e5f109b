#include "services/dispatch/shard_split.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace yardmaster::dispatch {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

using Seconds = std::vector<std::optional<double>>;
constexpr std::nullopt_t kUnknown = std::nullopt;

TEST(SplitBySeconds, TheLongestGoesFirstToTheShardThatHasLeast) {
  // 100 | 60 + 30 + 20 | 50 + 40
  EXPECT_THAT(SplitBySeconds({20., 30., 100., 40., 60., 50.}, 3),
              ElementsAre(ElementsAre(2), ElementsAre(0, 1, 4), ElementsAre(3, 5)));
  EXPECT_THAT(SplitBySeconds({1., 2., 3.}, 1), ElementsAre(ElementsAre(0, 1, 2)));
}

TEST(SplitBySeconds, WhatNobodyKnowsCountsAsTheMedianOfTheOthers) {
  // The median is 10: as long as two others, and not as a hundred.
  EXPECT_THAT(SplitBySeconds({100., 10., kUnknown, 10., kUnknown}, 2),
              ElementsAre(ElementsAre(0), ElementsAre(1, 2, 3, 4)));
  EXPECT_THAT(SplitBySeconds({kUnknown, kUnknown, kUnknown, kUnknown, kUnknown}, 2),
              ElementsAre(ElementsAre(0, 2, 4), ElementsAre(1, 3)));
}

TEST(SplitBySeconds, NoShardIsEmpty) {
  EXPECT_THAT(SplitBySeconds({}, 3), IsEmpty());
  EXPECT_THAT(SplitBySeconds({5., kUnknown}, 64), ElementsAre(ElementsAre(0), ElementsAre(1)));
  EXPECT_THAT(SplitBySeconds({0., 0., 0., 0.}, 3), ElementsAre(ElementsAre(0, 3), ElementsAre(1), ElementsAre(2)));
  EXPECT_THAT(SplitBySeconds({9., 0., 0.}, 3), ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2)));
}

TEST(SplitBySeconds, EachPieceIsInOneShardAndNoneIsMuchLongerThanItMustBe) {
  Seconds seconds;
  for (size_t i = 0; i < 200; ++i) {
    seconds.push_back(i % 7 == 0 ? std::optional<double>() : static_cast<double>(i * 7'919 % 301));
  }
  for (const size_t shards : {2U, 5U, 64U}) {
    const auto split = SplitBySeconds(seconds, shards);
    EXPECT_EQ(split, SplitBySeconds(seconds, shards));
    ASSERT_THAT(split, SizeIs(shards));
    std::vector<size_t> all;
    std::vector<double> loads;
    for (const std::vector<size_t>& pieces : split) {
      EXPECT_TRUE(std::is_sorted(pieces.begin(), pieces.end()));
      all.insert(all.end(), pieces.begin(), pieces.end());
      double load = 0;
      for (const size_t piece : pieces) load += seconds[piece].value_or(150);
      loads.push_back(load);
    }
    std::sort(all.begin(), all.end());
    std::vector<size_t> expected(seconds.size());
    std::iota(expected.begin(), expected.end(), size_t{0});
    EXPECT_EQ(all, expected);
    // No more than a longest piece apart.
    EXPECT_LE(*std::max_element(loads.begin(), loads.end()) - *std::min_element(loads.begin(), loads.end()), 301);
  }
}

}  // namespace
}  // namespace yardmaster::dispatch
