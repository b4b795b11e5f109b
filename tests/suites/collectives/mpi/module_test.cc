// Sharded operators under data, tensor and hybrid parallelism, each against the whole on one process.
#include <gtest/gtest.h>

#include "check.h"
#include "sharded.h"

namespace {

class TypeName {
 public:
  template <typename T>
  static std::string GetName(int /*index*/) {
    return TypeFacts<T>::kName;
  }
};

// A grid of ranks: `data` lines and `tensor` lines. 8 ranks are 2 by 4; a prime number of ranks is 1 by all.
struct Grid {
  Comm data;
  Comm tensor;
};
Grid MakeGrid(const Comm& world) {
  int inner = world.size();
  for (const int size : {4, 3, 2}) {
    if (world.size() % size == 0 && world.size() > size) {
      inner = size;
      break;
    }
  }
  return {world.Split(world.rank() % inner), world.Split(world.rank() / inner)};
}

template <typename T>
class Module : public testing::Test {
 protected:
  Module() : grid_(MakeGrid(world_)), n_(7 * world_.size() + 3) {}
  const Comm world_ = Comm::World();
  const Grid grid_;
  // No multiple of the number of ranks.
  const int n_;
};
using Types = testing::Types<float, double>;
TYPED_TEST_SUITE(Module, Types, TypeName);

TYPED_TEST(Module, MatMulDataParallel) {
  const auto x = MakeMatrix<TypeParam>(this->n_, 13, 1);
  const auto w = MakeMatrix<TypeParam>(13, 11, 2);
  const auto y = GatherRows(LocalMatMul(RowShard(x, this->world_), w), this->world_);
  EXPECT_TRUE(Check("whole", y.values, ReferenceMatMul(ToDouble(x), ToDouble(w)).values));
}

TYPED_TEST(Module, MatMulColumnParallel) {
  const auto x = MakeMatrix<TypeParam>(9, 13, 3);
  const auto w = MakeMatrix<TypeParam>(13, this->n_, 4);
  const auto y = GatherColumns(LocalMatMul(x, ColumnShard(w, this->world_)), this->world_);
  EXPECT_TRUE(Check("whole", y.values, ReferenceMatMul(ToDouble(x), ToDouble(w)).values));
}

TYPED_TEST(Module, MatMulRowParallelIsAPartialSum) {
  const auto x = MakeMatrix<TypeParam>(9, this->n_, 5);
  const auto w = MakeMatrix<TypeParam>(this->n_, 7, 6);
  const auto part = LocalMatMul(ColumnShard(x, this->world_), RowShard(w, this->world_));
  const auto whole = AllReduce(this->world_, part.values, Op::kSum);
  std::vector<int> counts = SplitSizes(9, this->world_.size());
  for (int& count : counts) count *= 7;
  const auto scattered = ReduceScatter(this->world_, part.values, counts, Op::kSum);
  const Matrix<double> expected = ReferenceMatMul(ToDouble(x), ToDouble(w));
  EXPECT_TRUE(Check("reduced", whole, expected.values));
  EXPECT_TRUE(Check("scattered", scattered, RowShard(expected, this->world_).values));
}

TYPED_TEST(Module, MatMulHybrid) {
  const auto x = MakeMatrix<TypeParam>(this->n_, this->n_ + 2, 7);
  const auto w = MakeMatrix<TypeParam>(this->n_ + 2, 5, 8);
  auto part =
      LocalMatMul(ColumnShard(RowShard(x, this->grid_.data), this->grid_.tensor), RowShard(w, this->grid_.tensor));
  part.values = AllReduce(this->grid_.tensor, part.values, Op::kSum);
  const auto y = GatherRows(part, this->grid_.data);
  EXPECT_TRUE(Check("whole", y.values, ReferenceMatMul(ToDouble(x), ToDouble(w)).values));
}

TYPED_TEST(Module, SoftmaxOverShardedColumns) {
  auto x = MakeMatrix<TypeParam>(5, this->n_, 9);
  for (TypeParam& value : x.values) value *= 16;
  const auto y = GatherColumns(ShardedSoftmax(ColumnShard(x, this->world_), this->world_), this->world_);
  EXPECT_TRUE(Check("whole", y.values, ReferenceSoftmax(ToDouble(x)).values));
  for (int row = 0; row < y.rows; ++row) {
    double sum = 0;
    for (int column = 0; column < y.columns; ++column) sum += y.at(row, column);
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

TYPED_TEST(Module, SoftmaxHybrid) {
  const auto x = MakeMatrix<TypeParam>(this->n_, this->n_, 10);
  const auto part = ShardedSoftmax(ColumnShard(RowShard(x, this->grid_.data), this->grid_.tensor), this->grid_.tensor);
  const auto y = GatherRows(GatherColumns(part, this->grid_.tensor), this->grid_.data);
  EXPECT_TRUE(Check("whole", y.values, ReferenceSoftmax(ToDouble(x)).values));
}

TYPED_TEST(Module, LayerNormOverShardedColumns) {
  const int width = this->n_;
  const auto x = MakeMatrix<TypeParam>(6, width, 11);
  const auto gamma = MakeMatrix<TypeParam>(1, width, 12);
  const auto beta = MakeMatrix<TypeParam>(1, width, 13);
  const auto part = ShardedLayerNorm(ColumnShard(x, this->world_), ColumnShard(gamma, this->world_).values,
                                     ColumnShard(beta, this->world_).values, width, TypeParam(1e-5), this->world_);
  const auto y = GatherColumns(part, this->world_);
  const auto expected = ReferenceLayerNorm(ToDouble(x), ToDouble(gamma).values, ToDouble(beta).values, 1e-5);
  EXPECT_TRUE(Check("whole", y.values, expected.values));
}

TYPED_TEST(Module, EmbeddingOfAShardedVocabulary) {
  const int vocabulary = 3 * this->n_ + 1;
  const auto table = MakeMatrix<TypeParam>(vocabulary, 6, 14);
  std::vector<int> ids = {0, vocabulary - 1};
  for (int i = 0; i < this->n_; ++i) ids.push_back(i * 31 % vocabulary);
  const auto part = PartialEmbedding(ids, RowShard(table, this->world_), vocabulary, this->world_);
  const auto whole = AllReduce(this->world_, part.values, Op::kSum);
  EXPECT_TRUE(Check("whole", whole, ReferenceEmbedding(ids, ToDouble(table)).values));
}

TYPED_TEST(Module, EmbeddingOfAShardedWidth) {
  const auto table = MakeMatrix<TypeParam>(9, this->n_, 15);
  const std::vector<int> ids = {8, 0, 3, 3, 1};
  const auto part = ColumnShard(table, this->world_);
  Matrix<TypeParam> found(static_cast<int>(ids.size()), part.columns);
  for (int row = 0; row < found.rows; ++row) {
    for (int column = 0; column < found.columns; ++column) {
      found.at(row, column) = part.at(ids[static_cast<size_t>(row)], column);
    }
  }
  const auto whole = GatherColumns(found, this->world_);
  EXPECT_TRUE(Check("whole", whole.values, ReferenceEmbedding(ids, ToDouble(table)).values));
}

}  // namespace
