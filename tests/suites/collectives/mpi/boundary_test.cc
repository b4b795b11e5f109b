// Nothing, one element, fewer elements than ranks, much, and numbers that are none.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "check.h"
#include "sharded.h"

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

TEST(Boundary, NothingAtAll) {
  const Comm world = Comm::World();
  const std::vector<float> none;
  EXPECT_TRUE(AllReduce(world, none, Op::kSum).empty());
  EXPECT_TRUE(AllGather(world, none).empty());
  EXPECT_TRUE(Broadcast(world, none, 0).empty());
  const std::vector<int> counts(static_cast<size_t>(world.size()), 0);
  EXPECT_TRUE(ReduceScatter(world, none, counts, Op::kSum).empty());
}

TEST(Boundary, FewerRowsThanRanks) {
  const Comm world = Comm::World();
  for (int rows = 1; rows < world.size(); ++rows) {
    const auto whole = MakeMatrix<double>(rows, 4, 41);
    EXPECT_EQ(GatherRows(RowShard(whole, world), world).values, whole.values) << rows << " rows";
    EXPECT_EQ(RowsToColumns(RowShard(whole, world), world).values, ColumnShard(whole, world).values) << rows;
  }
}

TEST(Boundary, OnlyOneRankSends) {
  const Comm world = Comm::World();
  std::vector<std::vector<int64_t>> pieces(static_cast<size_t>(world.size()));
  if (world.rank() == world.size() - 1) {
    for (int other = 0; other < world.size(); ++other) pieces[static_cast<size_t>(other)] = {other, other + 1};
  }
  const auto arrived = AllToAll(world, pieces);
  for (int other = 0; other + 1 < world.size(); ++other) EXPECT_TRUE(arrived[static_cast<size_t>(other)].empty());
  EXPECT_EQ(arrived.back(), (std::vector<int64_t>{world.rank(), world.rank() + 1}));
}

TEST(Boundary, SoftmaxOverFewerColumnsThanRanks) {
  const Comm world = Comm::World();
  const auto x = MakeMatrix<double>(3, 2, 42);
  const auto y = GatherColumns(ShardedSoftmax(ColumnShard(x, world), world), world);
  EXPECT_TRUE(Check("whole", y.values, ReferenceSoftmax(x).values));
}

TEST(Boundary, NotANumberReachesEveryone) {
  const Comm world = Comm::World();
  std::vector<double> mine = {0, 0};
  if (world.rank() == world.size() - 1) mine[1] = std::nan("");
  const auto sum = AllReduce(world, mine, Op::kSum);
  EXPECT_EQ(sum[0], 0);
  EXPECT_TRUE(std::isnan(sum[1]));
}

TEST(Boundary, InfinitiesOfBothSignsSumToNoNumber) {
  const Comm world = Comm::World();
  std::vector<double> mine = {0};
  if (world.rank() == 0) mine[0] = kInfinity;
  if (world.rank() == world.size() - 1 && world.size() > 1) mine[0] = -kInfinity;
  const auto sum = AllReduce(world, mine, Op::kSum);
  EXPECT_TRUE(world.size() > 1 ? std::isnan(sum[0]) : sum[0] == kInfinity);
}

TEST(Boundary, SoftmaxOfMinusInfinity) {
  const Comm world = Comm::World();
  Matrix<double> x(2, 2 * world.size());
  x.at(0, 0) = -kInfinity;
  for (int column = 0; column < x.columns; ++column) x.at(1, column) = -kInfinity;
  const auto y = GatherColumns(ShardedSoftmax(ColumnShard(x, world), world), world);
  EXPECT_EQ(y.at(0, 0), 0);
  EXPECT_NEAR(y.at(0, 1), 1.0 / (x.columns - 1), 1e-12);
  EXPECT_TRUE(std::isnan(y.at(1, 0)));
}

TEST(Boundary, IntegersBeyondWhatADoubleHolds) {
  const Comm world = Comm::World();
  const int64_t large = (int64_t{1} << 53) + 1;
  EXPECT_EQ(AllReduce(world, std::vector<int64_t>{world.rank() == 0 ? large : 0}, Op::kSum)[0], large);
}

TEST(Boundary, FourMegabytes) {
  const Comm world = Comm::World();
  std::vector<float> mine(1 << 20);
  for (size_t i = 0; i < mine.size(); ++i) mine[i] = static_cast<float>(i % 1024) + static_cast<float>(world.rank());
  const auto sum = AllReduce(world, mine, Op::kSum);
  const float ranks = static_cast<float>(world.size() * (world.size() - 1)) / 2;
  size_t off = 0;
  for (size_t i = 0; i < sum.size(); ++i) {
    off += sum[i] != static_cast<float>(i % 1024) * static_cast<float>(world.size()) + ranks;
  }
  EXPECT_EQ(off, 0u);
}

TEST(Boundary, ManySmallOnesInOrder) {
  const Comm world = Comm::World();
  for (int number = 0; number < 300; ++number) {
    ASSERT_EQ(AllReduce(world, std::vector<int>{number}, Op::kSum)[0], number * world.size());
  }
}

}  // namespace
