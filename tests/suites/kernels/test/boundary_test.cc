// Shapes at which blocks, tiles and vectors end, and numbers that are none.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "test/fixture.h"

namespace kernels::testing {
namespace {

using Boundary = KernelTest;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
const double kNaN = std::nan("");

// One, primes, one less and more than warps, blocks and vectors, and a row that no block holds.
const int64_t kLengths[] = {1, 2, 3, 7, 31, 32, 33, 127, 128, 129, 255, 257, 1009, 1023, 1024, 1025, 4097, 100'003};

TEST_P(Boundary, NothingAtAll) {
  EXPECT_TRUE(Reduce(type(), Reduction::kSum, {}, 0, 5).empty());
  EXPECT_EQ(Reduce(type(), Reduction::kSum, {}, 2, 0), (Values{0, 0}));
  EXPECT_EQ(Reduce(type(), Reduction::kMax, {}, 2, 0), (Values{-kInfinity, -kInfinity}));
  EXPECT_TRUE(Softmax(type(), {}, 0, 5).empty());
  EXPECT_TRUE(Softmax(type(), {}, 3, 0).empty());
  EXPECT_TRUE(LayerNorm(type(), {}, {}, {}, 3, 0).empty());
  EXPECT_TRUE(Gemm(type(), {}, {1, 2}, 0, 2, 1).empty());
  EXPECT_EQ(Gemm(type(), {}, {}, 2, 2, 0), (Values{0, 0, 0, 0}));
  EXPECT_EQ(Gemm(type(), {}, {}, 1, 2, 0, 1, 2, {3, 4}), (Values{6, 8}));
  EXPECT_TRUE(Rotary(type(), Pairing::kHalves, {}, {}, 10000, 0, 2, 8).empty());
  EXPECT_TRUE(Quantise(type(), {}, 0, 8, 4).q.empty());
}

TEST_P(Boundary, ReductionOfEveryLength) {
  for (const int64_t columns : kLengths) {
    const Values x = Draw(type(), 2 * columns, 41);
    const auto terms = static_cast<double>(columns);
    const Values sums = Reduce(type(), Reduction::kSum, x, 2, columns);
    const Values expected = reference::Reduce(Reduction::kSum, x, 2, columns);
    for (size_t row = 0; row < 2; ++row) EXPECT_NEAR(sums[row] / terms, expected[row] / terms, 1e-6) << columns;
    EXPECT_EQ(Reduce(type(), Reduction::kMax, x, 2, columns), reference::Reduce(Reduction::kMax, x, 2, columns))
        << columns;
  }
}

TEST_P(Boundary, TheMaximumIsFoundWhereverItIs) {
  for (const int64_t columns : {1, 33, 257, 1025}) {
    for (int64_t place = 0; place<columns; place += columns> 100 ? 31 : 1) {
      Values x(static_cast<size_t>(columns), -2);
      x[static_cast<size_t>(place)] = -1;
      ASSERT_EQ(Reduce(type(), Reduction::kMax, x, 1, columns)[0], -1) << place << " of " << columns;
    }
  }
}

TEST_P(Boundary, SoftmaxOfEveryLength) {
  for (const int64_t columns : kLengths) {
    const Values x = Draw(type(), 3 * columns, 42, 8);
    EXPECT_TRUE(Near(type(), "of" + std::to_string(columns), Softmax(type(), x, 3, columns),
                     reference::Softmax(x, 3, columns)));
  }
}

TEST_P(Boundary, LayerNormOfEveryLength) {
  for (const int64_t columns : kLengths) {
    const Values x = Draw(type(), 2 * columns, 43, 2);
    const Values gamma = Draw(Type::kFloat32, columns, 44);
    const Values beta = Draw(Type::kFloat32, columns, 45);
    // Of two equal or nearly equal values the variance is next to nothing: epsilon must be larger than its error.
    EXPECT_TRUE(Near(type(), "of" + std::to_string(columns), LayerNorm(type(), x, gamma, beta, 2, columns, 1e-2),
                     reference::LayerNorm(x, gamma, beta, 2, columns, 1e-2)));
  }
}

TEST_P(Boundary, LayerNormFarFromZero) {
  Values x = Draw(Type::kFloat32, 300, 46);
  for (double& value : x) value = 1000 + std::round(value * 4);
  x = RoundTo(type(), x);
  EXPECT_TRUE(Near(type(), "far", LayerNorm(type(), x, Values(300, 1), Values(300, 0), 1, 300),
                   reference::LayerNorm(x, Values(300, 1), Values(300, 0), 1, 300, 1e-5), {1e-2, 1e-2}));
}

TEST_P(Boundary, LayerNormOfAConstantRowIsItsShift) {
  const Values y = LayerNorm(type(), Values(100, 3), Values(100, 2), Values(100, 0.5), 1, 100);
  EXPECT_EQ(y, Values(100, 0.5));
}

TEST_P(Boundary, GemmAroundTiles) {
  const int64_t sizes[] = {1, 5, 6, 7, 16, 17, 63, 64, 65, 97, 129};
  for (const int64_t m : sizes) {
    for (const int64_t n : {1, 15, 17, 64, 65, 129}) {
      for (const int64_t k : {1, 7, 16, 33}) {
        const Values a = Draw(type(), m * k, 47, 1 / static_cast<double>(k));
        const Values b = Draw(type(), k * n, 48);
        Tolerance tolerance = ToleranceOf(type());
        tolerance.known = k == 33;
        ASSERT_TRUE(Near(type(), std::to_string(m) + "x" + std::to_string(n) + "x" + std::to_string(k),
                         Gemm(type(), a, b, m, n, k), reference::Gemm(a, b, {}, m, n, k, 1, 0), tolerance));
      }
    }
  }
}

TEST_P(Boundary, GemmOfManyTerms) {
  const Values a = Draw(type(), 3 * 2049, 49, 1.0 / 2049);
  const Values b = Draw(type(), 2049 * 5, 50);
  EXPECT_TRUE(Near(type(), "long", Gemm(type(), a, b, 3, 5, 2049), reference::Gemm(a, b, {}, 3, 5, 2049, 1, 0)));
}

TEST_P(Boundary, RotaryOfOddShapes) {
  for (const int64_t width : {2, 6, 10, 64, 130}) {
    for (const int64_t heads : {1, 3}) {
      const Values x = Draw(type(), 5 * heads * width, 51);
      const std::vector<int32_t> positions = {4, 0, 0, 1, 3};
      for (const Pairing pairing : {Pairing::kHalves, Pairing::kInterleaved}) {
        const std::string name = std::string(pairing == Pairing::kHalves ? "halves" : "interleaved") +
                                 std::to_string(heads) + "x" + std::to_string(width);
        EXPECT_TRUE(Near(type(), name, Rotary(type(), pairing, x, positions, 10000, 5, heads, width),
                         reference::Rotary(pairing, x, positions, 10000, 5, heads, width)));
      }
    }
  }
}

TEST_P(Boundary, QuantiseGroupsThatDoNotFit) {
  for (const int64_t columns : {1, 31, 33, 100, 129}) {
    for (const int64_t group : {1, 7, 32, 100, 1000}) {
      const Values x = Draw(type(), 3 * columns, 52);
      const Quantised small = Quantise(type(), x, 3, columns, group);
      ASSERT_EQ(small.scales.size(), static_cast<size_t>(3 * ((columns + group - 1) / group)));
      const Values y = Dequantise(type(), small, 3, columns, group);
      for (size_t i = 0; i < x.size(); ++i) {
        ASSERT_NEAR(y[i], x[i], 0.5 / 127 + ToleranceOf(type()).absolute) << columns << " by " << group;
      }
    }
  }
}

TEST_P(Boundary, QuantisedZerosAreZeros) {
  const Quantised small = Quantise(type(), Values(70, 0), 1, 70, 32);
  EXPECT_EQ(small.q, std::vector<int8_t>(70, 0));
  EXPECT_EQ(small.scales, (Values{0, 0, 0}));
  EXPECT_EQ(Dequantise(type(), small, 1, 70, 32), Values(70, 0));
}

TEST_P(Boundary, TiesGoToTheEvenStep) {
  const Values x = {127, 0.5, 1.5, 2.5, -0.5, -1.5, -2.5};
  EXPECT_EQ(Quantise(type(), x, 1, 7, 7).q, (std::vector<int8_t>{127, 0, 2, 2, 0, -2, -2}));
}

TEST_P(Boundary, NotANumberStaysInItsRow) {
  for (const int64_t columns : {5, 1025, 5000}) {
    for (const double bad : {kNaN, kInfinity}) {
      Values x = Draw(type(), 3 * columns, 53);
      x[static_cast<size_t>(columns + columns / 2)] = bad;
      const Values soft = Softmax(type(), x, 3, columns);
      const Values norm = LayerNorm(type(), x, Values(static_cast<size_t>(columns), 1),
                                    Values(static_cast<size_t>(columns), 0), 3, columns);
      for (int64_t i = 0; i < 3 * columns; ++i) {
        const auto index = static_cast<size_t>(i);
        ASSERT_EQ(std::isnan(soft[index]), i / columns == 1) << i << " of " << columns;
        ASSERT_EQ(std::isnan(norm[index]), i / columns == 1) << i << " of " << columns;
      }
      const Values sums = Reduce(type(), Reduction::kSum, x, 3, columns);
      const Values most = Reduce(type(), Reduction::kMax, x, 3, columns);
      EXPECT_EQ(std::isnan(sums[1]), std::isnan(bad));
      EXPECT_TRUE(std::isnan(bad) ? std::isnan(most[1]) : most[1] == kInfinity);
      EXPECT_TRUE(std::isfinite(sums[0]) && std::isfinite(sums[2]) && std::isfinite(most[0]) && std::isfinite(most[2]));
    }
  }
}

TEST_P(Boundary, SoftmaxOfMinusInfinity) {
  EXPECT_EQ(Softmax(type(), {-kInfinity, 0, 0, -kInfinity}, 1, 4), (Values{0, 0.5, 0.5, 0}));
  for (const double value : Softmax(type(), Values(70, -kInfinity), 1, 70)) EXPECT_TRUE(std::isnan(value));
  for (const double value : Softmax(type(), Values(3000, -kInfinity), 1, 3000)) EXPECT_TRUE(std::isnan(value));
}

TEST_P(Boundary, SoftmaxOfLargeNumbers) {
  const Values y = Softmax(type(), {60000, 60000, -60000}, 1, 3);
  EXPECT_EQ(y, (Values{0.5, 0.5, 0}));
}

TEST_P(Boundary, AProductDoesNotReadWhatItReplaces) {
  EXPECT_EQ(Gemm(type(), {1, 1}, {2, 3}, 1, 1, 2, 1, 0, {kNaN}), (Values{5}));
  EXPECT_TRUE(std::isnan(Gemm(type(), {1, 1}, {2, 3}, 1, 1, 2, 1, 1, {kNaN})[0]));
  EXPECT_TRUE(std::isnan(Gemm(type(), {1, 0}, {2, kInfinity}, 1, 1, 2)[0]));
}

TEST_P(Boundary, AGroupWithWhatIsNoNumberComesBackAsNone) {
  for (const double bad : {kNaN, kInfinity, -kInfinity}) {
    Values x = Draw(type(), 64, 54);
    x[40] = bad;
    const Quantised small = Quantise(type(), x, 1, 64, 32);
    EXPECT_TRUE(std::isfinite(small.scales[0]));
    EXPECT_TRUE(std::isnan(small.scales[1]));
    const Values y = Dequantise(type(), small, 1, 64, 32);
    for (size_t i = 0; i < 64; ++i) {
      EXPECT_EQ(std::isnan(y[i]), i >= 32) << i;
      EXPECT_TRUE(i < 32 || small.q[i] == 0) << i;
    }
  }
}

TEST_P(Boundary, RowsThatDoNotBeginAtVectors) {
  // With an odd number of columns every second row begins in the middle of a vector.
  for (const int64_t columns : {9, 1021, 2051}) {
    const Values x = Draw(type(), 5 * columns, 55, 4);
    EXPECT_TRUE(Near(type(), "of" + std::to_string(columns), Softmax(type(), x, 5, columns),
                     reference::Softmax(x, 5, columns)));
  }
}

INSTANTIATE_TEST_SUITE_P(Types, Boundary, ::testing::ValuesIn(kTypes), TypeName);

}  // namespace
}  // namespace kernels::testing
