// There and back again, bit by bit.
#include <gtest/gtest.h>

#include <cmath>

#include "check.h"
#include "sharded.h"

namespace {

TEST(RoundTrip, RowsToColumnsAndBack) {
  const Comm world = Comm::World();
  const auto whole = MakeMatrix<float>(3 * world.size() + 1, 2 * world.size() - 1, 21);
  const Matrix<float> rows = RowShard(whole, world);
  const Matrix<float> columns = RowsToColumns(rows, world);
  const Matrix<float> back = ColumnsToRows(columns, world);
  EXPECT_EQ(columns.values, ColumnShard(whole, world).values);
  EXPECT_EQ(back.values, rows.values);
  EXPECT_TRUE(Check("back", back.values, ToDouble(rows).values));
}

TEST(RoundTrip, ShardedAndGathered) {
  const Comm world = Comm::World();
  const auto whole = MakeMatrix<double>(2 * world.size() - 1, 5, 22);
  EXPECT_EQ(GatherRows(RowShard(whole, world), world).values, whole.values);
  EXPECT_EQ(GatherColumns(ColumnShard(whole, world), world).values, whole.values);
}

TEST(RoundTrip, AllToAllTwiceIsNothing) {
  const Comm world = Comm::World();
  std::vector<std::vector<BFloat16>> pieces;
  for (int other = 0; other < world.size(); ++other) {
    pieces.push_back(MakeValues<BFloat16>((world.rank() + other) % 3, static_cast<uint64_t>(other)));
  }
  EXPECT_EQ(AllToAll(world, AllToAll(world, pieces)), pieces);
}

TEST(RoundTrip, ReduceScatterAndGatherIsAllReduce) {
  const Comm world = Comm::World();
  const int total = 3 * world.size() + 2;
  const auto mine = MakeValues<double>(total, static_cast<uint64_t>(30 + world.rank()));
  const auto parts = ReduceScatter(world, mine, SplitSizes(total, world.size()), Op::kSum);
  const auto joined = AllGather(world, parts);
  const auto reduced = AllReduce(world, mine, Op::kSum);
  EXPECT_TRUE(Check("joined", joined, reduced));
}

TEST(RoundTrip, EveryBFloat16GoesThroughFloatAndBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    BFloat16 value;
    value.bits = static_cast<uint16_t>(bits);
    const auto wide = static_cast<float>(value);
    if (std::isnan(wide)) {
      EXPECT_TRUE(std::isnan(static_cast<float>(BFloat16(wide)))) << bits;
    } else {
      ASSERT_EQ(BFloat16(wide).bits, value.bits);
    }
  }
}

}  // namespace
