// Each kernel once, with numbers that can be checked in one's head.
#include <gtest/gtest.h>

#include <cmath>

#include "test/fixture.h"

namespace kernels::testing {
namespace {

using Smoke = KernelTest;

TEST_P(Smoke, Reduce) {
  EXPECT_EQ(Reduce(type(), Reduction::kSum, {1, 2, 3, 4, 5, 6}, 2, 3), (Values{6, 15}));
  EXPECT_EQ(Reduce(type(), Reduction::kMax, {1, 3, 2, -4, -5, -6}, 2, 3), (Values{3, -4}));
}

TEST_P(Smoke, Softmax) { EXPECT_EQ(Softmax(type(), {7, 7, 7, 7}, 1, 4), (Values{0.25, 0.25, 0.25, 0.25})); }

TEST_P(Smoke, LayerNorm) {
  const Values y = LayerNorm(type(), {1, 3, 1, 3}, {1, 1, 1, 1}, {0, 0, 0, 10}, 1, 4, 0);
  EXPECT_TRUE(Near(type(), "row", y, {-1, 1, -1, 11}));
}

TEST_P(Smoke, Gemm) {
  EXPECT_EQ(Gemm(type(), {1, 2, 3, 4}, {1, 1, 0, 1}, 2, 2, 2), (Values{1, 3, 3, 7}));
  EXPECT_EQ(Gemm(type(), {1, 2, 3, 4}, {1, 1, 0, 1}, 2, 2, 2, 2, 1, {10, 20, 30, 40}), (Values{12, 26, 36, 54}));
}

TEST_P(Smoke, Rotary) {
  // Position 0 turns nothing; a base of 1 turns every pair by the position.
  EXPECT_EQ(Rotary(type(), Pairing::kHalves, {1, 2, 3, 4}, {0}, 10000, 1, 1, 4), (Values{1, 2, 3, 4}));
  const double c = std::cos(1.0);
  const double s = std::sin(1.0);
  EXPECT_TRUE(Near(type(), "halves", Rotary(type(), Pairing::kHalves, {1, 1, 0, 0}, {1}, 1, 1, 1, 4), {c, c, s, s}));
  EXPECT_TRUE(
      Near(type(), "interleaved", Rotary(type(), Pairing::kInterleaved, {1, 0, 1, 0}, {1}, 1, 1, 1, 4), {c, s, c, s}));
}

TEST_P(Smoke, Quantise) {
  const Quantised small = Quantise(type(), {-127, 0, 64, 127}, 1, 4, 4);
  EXPECT_EQ(small.q, (std::vector<int8_t>{-127, 0, 64, 127}));
  EXPECT_EQ(small.scales, (Values{1}));
  EXPECT_EQ(Dequantise(type(), small, 1, 4, 4), (Values{-127, 0, 64, 127}));
}

INSTANTIATE_TEST_SUITE_P(Types, Smoke, ::testing::ValuesIn(kTypes), TypeName);

}  // namespace
}  // namespace kernels::testing
