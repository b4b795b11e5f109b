// Do the ranks find each other at all?
#include <gtest/gtest.h>

#include "check.h"
#include "collectives.h"

TEST(Smoke, EveryRankIsThere) {
  const Comm world = Comm::World();
  const std::vector<int> ranks = AllGather(world, std::vector<int>{world.rank()});
  ASSERT_EQ(ranks.size(), static_cast<size_t>(world.size()));
  for (int rank = 0; rank < world.size(); ++rank) EXPECT_EQ(ranks[static_cast<size_t>(rank)], rank);
}

TEST(Smoke, OneOfEach) {
  const Comm world = Comm::World();
  const auto size = static_cast<size_t>(world.size());
  const std::vector<double> ones(size, 1);
  const std::vector<double> sum = AllReduce(world, ones, Op::kSum);
  const std::vector<double> shard = ReduceScatter(world, ones, std::vector<int>(size, 1), Op::kSum);
  const std::vector<std::vector<double>> arrived = AllToAll(world, std::vector<std::vector<double>>(size, {1.0}));
  const std::vector<double> last =
      Broadcast(world, std::vector<double>{static_cast<double>(world.rank())}, world.size() - 1);
  EXPECT_TRUE(Check("sum", sum, std::vector<double>(size, world.size())));
  EXPECT_TRUE(Check("shard", shard, {static_cast<double>(world.size())}));
  EXPECT_EQ(arrived, std::vector<std::vector<double>>(size, {1.0}));
  EXPECT_TRUE(Check("last", last, {static_cast<double>(world.size() - 1)}));
}

TEST(Smoke, ShardsCoverEverythingOnce) {
  EXPECT_EQ(SplitSizes(7, 3), (std::vector<int>{3, 2, 2}));
  EXPECT_EQ(SplitSizes(2, 4), (std::vector<int>{1, 1, 0, 0}));
  EXPECT_EQ(SplitSizes(0, 2), (std::vector<int>{0, 0}));
  EXPECT_EQ(Offsets({3, 2, 2}), (std::vector<int>{0, 3, 5}));
}
