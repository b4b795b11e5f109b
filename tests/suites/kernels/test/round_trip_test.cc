// There and back again, and what must hold of every result whatever the input.
#include <gtest/gtest.h>

#include <cmath>

#include "float16.h"
#include "test/fixture.h"

namespace kernels::testing {
namespace {

using RoundTrip = KernelTest;

TEST_P(RoundTrip, DequantisedIsWithinHalfAStep) {
  // What rounding to 16 bits adds to half a step, as a part of the largest magnitude.
  const double rounding = type() == Type::kFloat32 ? 1e-6 : type() == Type::kFloat16 ? 5e-4 : 4e-3;
  for (const double scale : {1.0, 1e-3, 1000.0}) {
    for (const int64_t columns : {1, 31, 64, 200}) {
      const int64_t group = 64;
      const Values x = Draw(type(), 7 * columns, 31, scale);
      const Values y = Dequantise(type(), Quantise(type(), x, 7, columns, group), 7, columns, group);
      for (int64_t row = 0; row < 7; ++row) {
        for (int64_t first = 0; first < columns; first += group) {
          double largest = 0;
          for (int64_t i = first; i < std::min(columns, first + group); ++i) {
            largest = std::max(largest, std::abs(x[static_cast<size_t>(row * columns + i)]));
          }
          for (int64_t i = first; i < std::min(columns, first + group); ++i) {
            const auto index = static_cast<size_t>(row * columns + i);
            // 1e-7: subnormal values of 16 bits have fewer digits.
            ASSERT_LE(std::abs(y[index] - x[index]), largest * (0.5 / 127 + rounding) + 1e-7) << row << ", " << i;
          }
        }
      }
    }
  }
}

TEST_P(RoundTrip, QuantisingAgainChangesNothing) {
  const Values x = Draw(Type::kFloat32, 5 * 96, 32);
  const Quantised once = Quantise(Type::kFloat32, x, 5, 96, 32);
  const Quantised twice = Quantise(Type::kFloat32, Dequantise(Type::kFloat32, once, 5, 96, 32), 5, 96, 32);
  EXPECT_EQ(once.q, twice.q);
}

TEST_P(RoundTrip, EveryStepComesBack) {
  Values steps;
  for (int q = -127; q <= 127; ++q) steps.push_back(q);
  const Quantised small = Quantise(type(), steps, 1, 255, 255);
  EXPECT_EQ(small.scales[0], 1);
  EXPECT_EQ(Dequantise(type(), small, 1, 255, 255), steps);
}

TEST_P(RoundTrip, TurnedBackIsAsItWas) {
  // Position p by base b, then by the mirrored table: here the second half of a full circle. Base 1, four quarter
  // turns.
  for (const Pairing pairing : {Pairing::kHalves, Pairing::kInterleaved}) {
    const Values x = Draw(type(), 6 * 2 * 32, 33);
    const std::vector<int32_t> there = {0, 1, 2, 3, 500, 77};
    const Values turned = Rotary(type(), pairing, x, there, 10000, 6, 2, 32);
    // Turning keeps the length of each head.
    for (size_t head = 0; head < 12; ++head) {
      double before = 0;
      double after = 0;
      for (size_t i = head * 32; i < (head + 1) * 32; ++i) {
        before += x[i] * x[i];
        after += turned[i] * turned[i];
      }
      EXPECT_NEAR(after / before, 1, type() == Type::kFloat32 ? 1e-5 : type() == Type::kFloat16 ? 2e-3 : 1e-2);
    }
    // Swapping both of a pair before and after turns the other way.
    const auto swapped = [&](const Values& values) {
      Values result(values.size());
      for (size_t head = 0; head < 12; ++head) {
        for (size_t i = 0; i < 16; ++i) {
          const size_t first = head * 32 + (pairing == Pairing::kHalves ? i : 2 * i);
          const size_t second = first + (pairing == Pairing::kHalves ? 16 : 1);
          result[first] = values[second];
          result[second] = values[first];
        }
      }
      return result;
    };
    const Values back = swapped(Rotary(type(), pairing, swapped(turned), there, 10000, 6, 2, 32));
    EXPECT_TRUE(Near(type(), pairing == Pairing::kHalves ? "halves" : "interleaved", back, x,
                     {2 * ToleranceOf(type()).relative, 2 * ToleranceOf(type()).absolute}));
  }
}

TEST_P(RoundTrip, RowsOfASoftmaxSumToOne) {
  for (const int64_t columns : {1, 2, 17, 1000, 5000}) {
    const Values y = Softmax(type(), Draw(type(), 9 * columns, 34, 20), 9, columns);
    for (int64_t row = 0; row < 9; ++row) {
      double sum = 0;
      for (int64_t i = 0; i < columns; ++i) {
        const double value = y[static_cast<size_t>(row * columns + i)];
        ASSERT_GE(value, 0);
        ASSERT_LE(value, 1);
        sum += value;
      }
      EXPECT_NEAR(sum, 1, type() == Type::kFloat32 ? 2e-6 : type() == Type::kFloat16 ? 2e-3 : 1e-2);
    }
  }
}

TEST_P(RoundTrip, ASoftmaxDoesNotSeeAConstant) {
  Values x = Draw(type(), 4 * 64, 35);
  for (double& value : x) value = std::round(value * 16) / 16;
  Values shifted = x;
  for (double& value : shifted) value += 8;
  EXPECT_EQ(Softmax(type(), RoundTo(type(), shifted), 4, 64), Softmax(type(), x, 4, 64));
}

TEST_P(RoundTrip, RowsOfALayerNormHaveMeanZeroAndVarianceOne) {
  const Values y = LayerNorm(type(), Draw(type(), 5 * 640, 36, 3), Values(640, 1), Values(640, 0), 5, 640);
  for (size_t row = 0; row < 5; ++row) {
    double mean = 0;
    double square = 0;
    for (size_t i = 0; i < 640; ++i) {
      mean += y[row * 640 + i] / 640;
      square += y[row * 640 + i] * y[row * 640 + i] / 640;
    }
    const double slack = type() == Type::kFloat32 ? 1e-4 : 5e-3;
    EXPECT_NEAR(mean, 0, slack);
    EXPECT_NEAR(square, 1, slack);
  }
}

TEST_P(RoundTrip, AProductWithTheIdentityIsTheOther) {
  Values identity(50 * 50);
  for (size_t i = 0; i < 50; ++i) identity[i * 51] = 1;
  const Values x = Draw(type(), 50 * 50, 37);
  const Values right = Gemm(type(), x, identity, 50, 50, 50);
  const Values left = Gemm(type(), identity, x, 50, 50, 50);
  EXPECT_EQ(right, x);
  EXPECT_EQ(left, x);
  // Written for whoever compares again.
  EXPECT_TRUE(Near(type(), "right", right, x));
  EXPECT_TRUE(Near(type(), "left", left, x));
}

INSTANTIATE_TEST_SUITE_P(Types, RoundTrip, ::testing::ValuesIn(kTypes), TypeName);

TEST(Formats, EveryFloat16GoesThroughFloatAndBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const Float16 value = {static_cast<uint16_t>(bits)};
    const float wide = ToFloat(value);
    // By the definition: sign, exponent less 15, ten bits of fraction.
    const int exponent = static_cast<int>((bits >> 10) & 31);
    const double fraction = static_cast<double>(bits & 1023) / 1024;
    double meant = exponent == 0 ? std::ldexp(fraction, -14) : std::ldexp(1 + fraction, exponent - 15);
    if (exponent == 31) meant = fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
    if ((bits & 0x8000) != 0) meant = -meant;
    if (std::isnan(meant)) {
      ASSERT_TRUE(std::isnan(wide)) << bits;
      ASSERT_TRUE(std::isnan(ToFloat(FromFloat<Float16>(wide)))) << bits;
    } else {
      ASSERT_EQ(wide, meant) << bits;
      ASSERT_EQ(FromFloat<Float16>(wide).bits, bits);
    }
  }
}

TEST(Formats, EveryBFloat16GoesThroughFloatAndBack) {
  for (uint32_t bits = 0; bits < 0x10000; ++bits) {
    const float wide = ToFloat(BFloat16{static_cast<uint16_t>(bits)});
    if (std::isnan(wide)) {
      ASSERT_TRUE(std::isnan(ToFloat(FromFloat<BFloat16>(wide)))) << bits;
    } else {
      ASSERT_EQ(FromFloat<BFloat16>(wide).bits, bits);
    }
  }
}

TEST(Formats, RoundingIsToTheNearestWithTiesToEven) {
  const auto half = [](double value) { return ToFloat(FromFloat<Float16>(static_cast<float>(value))); };
  EXPECT_EQ(half(2049), 2048);
  EXPECT_EQ(half(2051), 2052);
  EXPECT_EQ(half(65519), 65504);
  EXPECT_TRUE(std::isinf(half(65520)));
  EXPECT_EQ(half(std::ldexp(1, -25)), 0);
  EXPECT_EQ(half(std::ldexp(3, -26)), std::ldexp(1, -24));
  const auto brain = [](double value) { return ToFloat(FromFloat<BFloat16>(static_cast<float>(value))); };
  EXPECT_EQ(brain(257), 256);
  EXPECT_EQ(brain(259), 260);
  EXPECT_TRUE(std::isinf(brain(3.4e38)));
}

}  // namespace
}  // namespace kernels::testing
