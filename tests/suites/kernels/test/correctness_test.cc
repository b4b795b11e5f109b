// Each kernel on ordinary shapes against the reference.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "test/fixture.h"

namespace kernels::testing {
namespace {

using Correctness = KernelTest;

// Sums grow with the number of terms; divided by it, tolerances mean the same for all of them.
Values Divided(Values values, double by) {
  for (double& value : values) value /= by;
  return values;
}

TEST_P(Correctness, Reduction) {
  struct Shape {
    int64_t rows;
    int64_t columns;
  };
  for (const Shape& shape : {Shape{64, 512}, Shape{3, 20'000}, Shape{500, 33}}) {
    const Values x = Draw(type(), shape.rows * shape.columns, 1);
    const std::string name = std::to_string(shape.rows) + "x" + std::to_string(shape.columns);
    const auto terms = static_cast<double>(shape.columns);
    EXPECT_TRUE(Near(Type::kFloat32, "sum" + name,
                     Divided(Reduce(type(), Reduction::kSum, x, shape.rows, shape.columns), terms),
                     Divided(reference::Reduce(Reduction::kSum, x, shape.rows, shape.columns), terms)));
    EXPECT_EQ(Reduce(type(), Reduction::kMax, x, shape.rows, shape.columns),
              reference::Reduce(Reduction::kMax, x, shape.rows, shape.columns));
  }
}

TEST_P(Correctness, Softmax) {
  const Values x = Draw(type(), 32 * 512, 2, 8);
  EXPECT_TRUE(Near(type(), "short", Softmax(type(), x, 32, 512), reference::Softmax(x, 32, 512)));
  EXPECT_TRUE(Near(type(), "long", Softmax(type(), x, 4, 4096), reference::Softmax(x, 4, 4096)));
}

TEST_P(Correctness, LayerNorm) {
  const Values x = Draw(type(), 16 * 768, 3, 4);
  const Values gamma = Draw(Type::kFloat32, 3072, 4);
  const Values beta = Draw(Type::kFloat32, 3072, 5);
  const Values head_gamma(gamma.begin(), gamma.begin() + 768);
  const Values head_beta(beta.begin(), beta.begin() + 768);
  EXPECT_TRUE(Near(type(), "short", LayerNorm(type(), x, head_gamma, head_beta, 16, 768),
                   reference::LayerNorm(x, head_gamma, head_beta, 16, 768, 1e-5)));
  EXPECT_TRUE(Near(type(), "long", LayerNorm(type(), x, gamma, beta, 4, 3072),
                   reference::LayerNorm(x, gamma, beta, 4, 3072, 1e-5)));
}

TEST_P(Correctness, Gemm) {
  struct Shape {
    int64_t m;
    int64_t n;
    int64_t k;
  };
  for (const Shape& shape : {Shape{128, 128, 64}, Shape{100, 70, 130}, Shape{1, 300, 257}}) {
    // The sum of |a b| is at most 1.
    const Values a = Draw(type(), shape.m * shape.k, 6, 1 / static_cast<double>(shape.k));
    const Values b = Draw(type(), shape.k * shape.n, 7);
    const Values c = Draw(type(), shape.m * shape.n, 8);
    const std::string name = std::to_string(shape.m) + "x" + std::to_string(shape.n) + "x" + std::to_string(shape.k);
    EXPECT_TRUE(Near(type(), "plain" + name, Gemm(type(), a, b, shape.m, shape.n, shape.k),
                     reference::Gemm(a, b, c, shape.m, shape.n, shape.k, 1, 0)));
    EXPECT_TRUE(Near(type(), "scaled" + name, Gemm(type(), a, b, shape.m, shape.n, shape.k, 1.5, -0.5, c),
                     reference::Gemm(a, b, c, shape.m, shape.n, shape.k, 1.5, -0.5)));
  }
}

TEST(LargeCorrectness, GemmOfManyTiles) {
  // So large that kernels choose their largest tiles.
  constexpr int64_t kM = 1030;
  constexpr int64_t kN = 1000;
  constexpr int64_t kK = 20;
  const Values a = Draw(Type::kFloat32, kM * kK, 11, 1.0 / kK);
  const Values b = Draw(Type::kFloat32, kK * kN, 12);
  const Values c = Gemm(Type::kFloat32, a, b, kM, kN, kK);
  const Values expected = reference::Gemm(a, b, {}, kM, kN, kK, 1, 0);
  double worst = 0;
  for (size_t i = 0; i < c.size(); ++i) worst = std::max(worst, std::abs(c[i] - expected[i]));
  EXPECT_LT(worst, 1e-6);
}

TEST_P(Correctness, Rotary) {
  const Values x = Draw(type(), 10 * 3 * 64, 9);
  const std::vector<int32_t> positions = {0, 1, 2, 3, 4, 5, 100, 1000, 2047, 7};
  for (const Pairing pairing : {Pairing::kHalves, Pairing::kInterleaved}) {
    EXPECT_TRUE(Near(type(), pairing == Pairing::kHalves ? "halves" : "interleaved",
                     Rotary(type(), pairing, x, positions, 10000, 10, 3, 64),
                     reference::Rotary(pairing, x, positions, 10000, 10, 3, 64)));
  }
}

TEST_P(Correctness, QuantiseAndDequantise) {
  const Values x = Draw(type(), 16 * 256, 10);
  for (const int64_t group : {64, 256}) {
    const Values y = Dequantise(type(), Quantise(type(), x, 16, 256, group), 16, 256, group);
    const Values expected = reference::Quantised(x, 16, 256, group);
    // Where a value lies between two steps, rounding of the scale may decide: one step, which is 1/127 of the largest.
    size_t off = 0;
    for (size_t i = 0; i < y.size(); ++i) off += std::abs(y[i] - expected[i]) > 4e-3 ? 1 : 0;
    EXPECT_LE(off, y.size() / 500);
    EXPECT_TRUE(Near(type(), "group" + std::to_string(group), y, x, {0, 0.5 / 127 + ToleranceOf(type()).absolute}));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Correctness, ::testing::ValuesIn(kTypes), TypeName);

}  // namespace
}  // namespace kernels::testing
