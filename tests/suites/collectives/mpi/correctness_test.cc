// Each collective against what one process computes from everyone's input, which each rank can make by itself. All
// communication of a test comes before its first comparison: a rank that fails leaves nobody waiting.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "check.h"
#include "collectives.h"
#include "matrix.h"

namespace {

class TypeName {
 public:
  template <typename T>
  static std::string GetName(int /*index*/) {
    return TypeFacts<T>::kName;
  }
};

template <typename T>
class Correctness : public testing::Test {
 protected:
  // What rank `rank` puts in. Quarters of small numbers: sums are exact in every dtype.
  static std::vector<T> Input(int rank, int count) {
    std::vector<T> values = MakeValues<T>(count, static_cast<uint64_t>(100 + rank));
    for (T& value : values) {
      if constexpr (std::is_same_v<T, BFloat16>) {
        value = BFloat16(std::round(static_cast<float>(value) * 4) / 4);
      }
    }
    return values;
  }
  static std::vector<double> Wide(const std::vector<T>& values) {
    std::vector<double> wide;
    for (const T& value : values) wide.push_back(static_cast<double>(value));
    return wide;
  }
  // Everyone's inputs combined, by this process alone.
  std::vector<double> Combined(int count, Op op) const {
    std::vector<double> total = Wide(Input(0, count));
    for (int rank = 1; rank < world_.size(); ++rank) {
      const std::vector<double> more = Wide(Input(rank, count));
      for (size_t i = 0; i < more.size(); ++i) {
        if (op == Op::kSum) total[i] += more[i];
        if (op == Op::kMax) total[i] = std::max(total[i], more[i]);
        if (op == Op::kMin) total[i] = std::min(total[i], more[i]);
      }
    }
    return total;
  }

  const Comm world_ = Comm::World();
};
using Types = testing::Types<float, double, BFloat16, int64_t>;
TYPED_TEST_SUITE(Correctness, Types, TypeName);

TYPED_TEST(Correctness, AllReduce) {
  const std::vector<TypeParam> mine = this->Input(this->world_.rank(), 61);
  const std::vector<TypeParam> sum = AllReduce(this->world_, mine, Op::kSum);
  const std::vector<TypeParam> most = AllReduce(this->world_, mine, Op::kMax);
  const std::vector<TypeParam> least = AllReduce(this->world_, mine, Op::kMin);
  EXPECT_TRUE(Check("sum", sum, this->Combined(61, Op::kSum)));
  EXPECT_TRUE(Check("max", most, this->Combined(61, Op::kMax)));
  EXPECT_TRUE(Check("min", least, this->Combined(61, Op::kMin)));
}

TYPED_TEST(Correctness, AllGatherOfUnevenShards) {
  std::vector<double> expected;
  for (int rank = 0; rank < this->world_.size(); ++rank) {
    const std::vector<double> part = this->Wide(this->Input(rank, rank % 3 * 5));
    expected.insert(expected.end(), part.begin(), part.end());
  }
  const int rank = this->world_.rank();
  EXPECT_TRUE(Check("gathered", AllGather(this->world_, this->Input(rank, rank % 3 * 5)), expected));
}

TYPED_TEST(Correctness, ReduceScatterOfUnevenShards) {
  const int total = 5 * this->world_.size() + 3;
  const std::vector<int> counts = SplitSizes(total, this->world_.size());
  const auto rank = static_cast<size_t>(this->world_.rank());
  const std::vector<TypeParam> mine =
      ReduceScatter(this->world_, this->Input(this->world_.rank(), total), counts, Op::kSum);
  const std::vector<double> all = this->Combined(total, Op::kSum);
  const auto begin = all.begin() + Offsets(counts)[rank];
  EXPECT_TRUE(Check("shard", mine, std::vector<double>(begin, begin + counts[rank])));
}

TYPED_TEST(Correctness, AllToAllOfUnevenPieces) {
  const int size = this->world_.size();
  const auto length = [](int sender, int receiver) { return (sender + 2 * receiver) % 4; };
  std::vector<std::vector<TypeParam>> pieces;
  for (int other = 0; other < size; ++other) {
    pieces.push_back(MakeValues<TypeParam>(length(this->world_.rank(), other),
                                           static_cast<uint64_t>(this->world_.rank() * 1000 + other)));
  }
  const std::vector<std::vector<TypeParam>> arrived = AllToAll(this->world_, pieces);
  for (int other = 0; other < size; ++other) {
    const std::vector<TypeParam> sent = MakeValues<TypeParam>(
        length(other, this->world_.rank()), static_cast<uint64_t>(other * 1000 + this->world_.rank()));
    EXPECT_TRUE(Check("from" + std::to_string(other), arrived[static_cast<size_t>(other)], this->Wide(sent)));
  }
}

TYPED_TEST(Correctness, BroadcastFromEachRank) {
  std::vector<std::vector<TypeParam>> got;
  for (int source = 0; source < this->world_.size(); ++source) {
    got.push_back(Broadcast(this->world_, this->Input(this->world_.rank(), 17), source));
  }
  for (int source = 0; source < this->world_.size(); ++source) {
    EXPECT_TRUE(
        Check("from" + std::to_string(source), got[static_cast<size_t>(source)], this->Wide(this->Input(source, 17))));
  }
}

}  // namespace
