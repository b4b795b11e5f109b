#include "services/worker/reports/tensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <limits>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "services/worker/reports/half.h"
#include "services/worker/reports/npy.h"
#include "tests/unit/services/worker/reports/npy_files.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

TensorResult Compared(const std::string& actual, const std::string& expected, rules::Tolerance tolerance = {}) {
  const absl::StatusOr<TensorResult> result = CompareTensors(actual, expected, tolerance);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.value_or(TensorResult{});
}

std::string Error(const std::string& actual, const std::string& expected) {
  const absl::Status status = CompareTensors(actual, expected, {}).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
  return std::string(status.message());
}

TensorResult Doubles(const std::vector<double>& actual, const std::vector<double>& expected,
                     rules::Tolerance tolerance = {}) {
  return Compared(Npy("<f8", actual), Npy("<f8", expected), tolerance);
}

uint64_t Sum(const std::vector<uint64_t>& histogram) {
  return std::accumulate(histogram.begin(), histogram.end(), uint64_t{0});
}

TEST(CompareTensors, EqualTensorsHaveNoError) {
  const TensorResult result = Compared(Npy<float>("<f4", {1, 2, 3}), Npy<float>("<f4", {1, 2, 3}));
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.dtype, "float32");
  EXPECT_THAT(result.shape, ElementsAre(3));
  EXPECT_EQ(result.elements, 3U);
  EXPECT_EQ(result.max_abs, 0);
  EXPECT_EQ(result.worst, 0U);
  EXPECT_EQ(result.worst_actual, 1);
  EXPECT_THAT(result.histogram, ElementsAre(3, 0, 0, 0, 0, 0, 0));
}

TEST(CompareTensors, StatisticsOfASmallTensor) {
  // Errors 0, 0.5, 1, 2 with a tolerance of 1 each.
  const TensorResult result = Doubles({1, 2.5, 4, 0}, {1, 2, 5, -2}, {0, 1});
  EXPECT_EQ(result.off, 1U);
  EXPECT_EQ(result.first_off, 3U);
  EXPECT_EQ(result.worst, 3U);
  EXPECT_EQ(result.worst_actual, 0);
  EXPECT_EQ(result.worst_expected, -2);
  EXPECT_DOUBLE_EQ(result.max_abs, 2);
  EXPECT_DOUBLE_EQ(result.mean_abs, 3.5 / 4);
  EXPECT_DOUBLE_EQ(result.rms, std::sqrt(5.25 / 4));
  EXPECT_DOUBLE_EQ(result.max_rel, 1);
  EXPECT_THAT(result.histogram, ElementsAre(1, 0, 0, 2, 1, 0, 0));
}

TEST(CompareTensors, AnErrorOfExactlyTheToleranceIsFine) {
  EXPECT_EQ(Doubles({1.25, 1.25}, {1, 1}, {0.25, 0}).off, 0U);
  EXPECT_EQ(Doubles({1.25, std::nextafter(1.25, 2)}, {1, 1}, {0.25, 0}).off, 1U);
}

TEST(CompareTensors, WithoutToleranceEveryDifferenceIsOff) {
  const TensorResult result = Doubles({1, 2, 3, 4}, {1, 2, 3.5, 4.25});
  EXPECT_EQ(result.off, 2U);
  EXPECT_EQ(result.first_off, 2U);
  EXPECT_EQ(result.worst, 2U);
  EXPECT_THAT(result.histogram, ElementsAre(2, 0, 0, 0, 0, 0, 2));
}

TEST(CompareTensors, ANanOnEitherSideIsOff) {
  for (const auto& [actual, expected] : {std::pair(kNan, 1.0), std::pair(1.0, kNan), std::pair(kNan, kNan)}) {
    const TensorResult result = Doubles({1, actual, 1}, {1, expected, 1}, {1, 1});
    EXPECT_EQ(result.off, 1U);
    EXPECT_EQ(result.not_a_number, 1U);
    EXPECT_EQ(result.first_off, 1U);
    EXPECT_EQ(result.worst, 1U);
    EXPECT_EQ(result.max_abs, 0);
    EXPECT_EQ(result.mean_abs, 0);
    EXPECT_THAT(result.histogram, ElementsAre(2, 0, 0, 0, 0, 0, 1));
  }
}

TEST(CompareTensors, InfinitiesAreFineOnlyWhereTheyAreEqual) {
  EXPECT_EQ(Doubles({kInfinity, -kInfinity}, {kInfinity, -kInfinity}, {1e-3, 1e-3}).off, 0U);
  // A relative tolerance of an infinite value allows nothing.
  for (const auto& [actual, expected] :
       {std::pair(1.0, kInfinity), std::pair(kInfinity, 1.0), std::pair(-kInfinity, kInfinity)}) {
    const TensorResult result = Doubles({0, actual}, {0, expected}, {1, 1});
    EXPECT_EQ(result.off, 1U) << actual << " " << expected;
    EXPECT_EQ(result.not_a_number, 0U);
    EXPECT_EQ(result.max_abs, kInfinity);
    EXPECT_EQ(result.mean_abs, 0);
  }
  const TensorResult overflow = Doubles({1e308}, {-1e308}, {0, 1});
  EXPECT_EQ(overflow.off, 1U);
}

TEST(CompareTensors, RelativeErrorsLeaveOutWhatIsExpectedToBeZero) {
  EXPECT_DOUBLE_EQ(Doubles({5, 2, -0.5, 4}, {0, 1, -0.0, 5}, {0, 10}).max_rel, 1);
  EXPECT_EQ(Doubles({5, 5}, {0, 0}, {0, 10}).max_rel, 0);
}

// What the comparison says, one element at a time.
TensorResult Plain(const std::vector<float>& actual, const std::vector<float>& expected, rules::Tolerance tolerance) {
  TensorResult result;
  result.histogram.assign(7, 0);
  double worst = -1;
  double squares = 0;
  double sum = 0;
  for (size_t i = 0; i < actual.size(); ++i) {
    const double a = actual[i];
    const double e = expected[i];
    const double error = std::abs(a - e);
    const double allowed = tolerance.atol + tolerance.rtol * std::abs(e);
    const double key = error / std::max(allowed, std::numeric_limits<double>::min());
    if (error > allowed && result.off++ == 0) result.first_off = i;
    if (key > worst) {
      worst = key;
      result.worst = i;
    }
    result.max_abs = std::max(result.max_abs, error);
    if (e != 0) result.max_rel = std::max(result.max_rel, error / std::abs(e));
    sum += error;
    squares += error * error;
    size_t bin = 0;
    for (const double bound : {1e-3, 1e-2, 1e-1, 1.0, 10.0, 100.0}) bin += key > bound ? 1 : 0;
    ++result.histogram[bin];
  }
  result.mean_abs = sum / static_cast<double>(actual.size());
  result.rms = std::sqrt(squares / static_cast<double>(actual.size()));
  return result;
}

TEST(CompareTensors, AgreesWithOneElementAtATimeOnTensorsOfAnySize) {
  std::mt19937 random(42);
  std::normal_distribution<float> normal;
  std::lognormal_distribution<double> spread(-9, 3);
  for (const size_t size : {1U, 2U, 3U, 1023U, 1024U, 1025U, 2049U, 10'000U}) {
    std::vector<float> expected(size);
    std::vector<float> actual(size);
    for (size_t i = 0; i < size; ++i) {
      expected[i] = i % 17 == 0 ? 0.0F : normal(random);
      actual[i] = expected[i] + normal(random) * static_cast<float>(spread(random));
    }
    const rules::Tolerance tolerance{1e-3, 1e-4};
    const TensorResult result = Compared(Npy("<f4", actual), Npy("<f4", expected), tolerance);
    const TensorResult plain = Plain(actual, expected, tolerance);
    EXPECT_EQ(result.off, plain.off) << size;
    EXPECT_EQ(result.first_off, plain.first_off) << size;
    EXPECT_EQ(result.worst, plain.worst) << size;
    EXPECT_DOUBLE_EQ(result.max_abs, plain.max_abs);
    EXPECT_DOUBLE_EQ(result.max_rel, plain.max_rel);
    EXPECT_NEAR(result.mean_abs, plain.mean_abs, 1e-12 * plain.mean_abs + 1e-300);
    EXPECT_NEAR(result.rms, plain.rms, 1e-12 * plain.rms + 1e-300);
    EXPECT_EQ(result.histogram, plain.histogram) << size;
  }
}

TEST(CompareTensors, ANanFarInsideABigTensorIsFound) {
  std::vector<float> expected(100'000, 1.0F);
  std::vector<float> actual = expected;
  actual[77'777] = std::numeric_limits<float>::quiet_NaN();
  actual[88'888] = 3;
  const TensorResult result = Compared(Npy("<f4", actual), Npy("<f4", expected), {1e-3, 1e-3});
  EXPECT_EQ(result.off, 2U);
  EXPECT_EQ(result.first_off, 77'777U);
  EXPECT_EQ(result.worst, 77'777U);
  EXPECT_DOUBLE_EQ(result.max_abs, 2);
  EXPECT_EQ(Sum(result.histogram), 100'000U);
}

TEST(CompareTensors, FloatsOfOtherWidthsAreCompared) {
  // 1, -2, 65504, the least subnormal number.
  const TensorResult result =
      Compared(Npy<uint16_t>("<f2", {0x3c00, 0xc000, 0x7bff, 0x0001}), Npy<double>("<f8", {1, -2, 65504, 0x1p-24}));
  EXPECT_EQ(result.off, 0U);
  EXPECT_EQ(result.dtype, "float16");
}

TEST(HalfToFloat, EveryValueIsThatOfTheStandard) {
  for (uint32_t half = 0; half < 0x10000; ++half) {
    const uint32_t exponent = (half >> 10U) & 0x1fU;
    const double fraction = half & 0x3ffU;
    double value = exponent == 0 ? fraction * 0x1p-24 : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
    if (exponent == 31) value = fraction == 0 ? kInfinity : kNan;
    if ((half & 0x8000U) != 0) value = -value;
    const float converted = HalfToFloat(static_cast<uint16_t>(half));
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(converted)) << half;
    } else {
      EXPECT_EQ(converted, value) << half;
    }
  }
}

TEST(CompareTensors, IntegersMustBeEqualWhateverTheTolerance) {
  const rules::Tolerance wide{1, 1000};
  const TensorResult same = Compared(Npy<int32_t>("<i4", {-1, 2}), Npy<int32_t>("<i4", {-1, 2}), wide);
  EXPECT_TRUE(same.ok());
  EXPECT_EQ(same.tolerance, rules::Tolerance{});
  EXPECT_EQ(same.worst_actual, -1);
  const TensorResult off = Compared(Npy<int32_t>("<i4", {-1, 2, 5}), Npy<int32_t>("<i4", {-1, 3, 9}), wide);
  EXPECT_EQ(off.off, 2U);
  EXPECT_EQ(off.first_off, 1U);
  EXPECT_EQ(off.worst, 2U);
  EXPECT_DOUBLE_EQ(off.max_abs, 4);
}

TEST(CompareTensors, IntegersOfOtherWidthsAndSignsAreComparedByValue) {
  EXPECT_TRUE(Compared(Npy<int8_t>("|i1", {-1, 7}), Npy<int64_t>("<i8", {-1, 7})).ok());
  EXPECT_TRUE(Compared(Npy<uint16_t>("<u2", {65535}), Npy<int32_t>("<i4", {65535})).ok());
  EXPECT_EQ(Compared(Npy<uint64_t>("<u8", {0xffffffffffffffff}), Npy<int64_t>("<i8", {-1})).off, 1U);
  // Too near to each other for doubles.
  EXPECT_EQ(Compared(Npy<int64_t>("<i8", {(1LL << 60) + 1}), Npy<int64_t>("<i8", {1LL << 60})).off, 1U);
  EXPECT_EQ(Compared(Npy<int64_t>("<i8", {-(1LL << 60) - 1}), Npy<int64_t>("<i8", {-(1LL << 60)})).off, 1U);
}

TEST(CompareTensors, BooleansAreEqualOrNot) {
  EXPECT_EQ(Compared(Npy<uint8_t>("|b1", {1, 0}), Npy<uint8_t>("|b1", {1, 1})).off, 1U);
  EXPECT_EQ(Compared(Npy<uint8_t>("|b1", {1, 0}), Npy<uint8_t>("|b1", {1, 0})).dtype, "bool");
}

TEST(CompareTensors, EmptyAndScalarTensors) {
  const TensorResult empty = Compared(NpyFile(NpyHeader("<f4", "(0, 5)"), ""), NpyFile(NpyHeader("<f4", "(0, 5)"), ""));
  EXPECT_TRUE(empty.ok());
  EXPECT_EQ(empty.elements, 0U);
  const std::string scalar = NpyFile(NpyHeader("<f8", "()"), Bytes<double>({2}));
  EXPECT_EQ(Compared(scalar, scalar).elements, 1U);
}

TEST(CompareTensors, KindsAndShapesMustBeTheSame) {
  EXPECT_EQ(Error(Npy<float>("<f4", {1}), Npy<int32_t>("<i4", {1})),
            "the kinds of elements differ: float32 is there, int32 was expected");
  EXPECT_EQ(Error(Npy<uint8_t>("|b1", {1}), Npy<uint8_t>("|u1", {1})),
            "the kinds of elements differ: bool is there, uint8 was expected");
  EXPECT_EQ(Error(NpyFile(NpyHeader("<f4", "(2, 3)"), std::string(24, '\0')),
                  NpyFile(NpyHeader("<f4", "(3, 2)"), std::string(24, '\0'))),
            "the shapes differ: (2, 3) is there, (3, 2) was expected");
}

TEST(ParseNpy, WhatIsDamagedIsNamed) {
  const std::string good = Npy<float>("<f4", {1, 2, 3});
  const auto error = [](const std::string& file) {
    const absl::Status status = ParseNpy(file).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_EQ(error(""), "the file is empty");
  EXPECT_EQ(error("PK\x03\x04"), "this is no .npy file");
  for (size_t size = 6; size < good.size(); ++size) EXPECT_THAT(error(good.substr(0, size)), HasSubstr("cut off"));
  EXPECT_EQ(error(good + "x"), "the file has 1 bytes more than its shape (3,) says");
  std::string version = good;
  version[6] = 9;
  EXPECT_THAT(error(version), HasSubstr("format 9"));
  EXPECT_THAT(error(NpyFile(NpyHeader("<f4", "(2, 2)", true), std::string(16, '\0'))), HasSubstr("Fortran order"));
  EXPECT_TRUE(ParseNpy(NpyFile(NpyHeader("<f4", "(2,)", true), std::string(8, '\0'))).ok());
  for (const char* type : {">f4", "<c8", "<V2", "|O", "<U5", "<f1", "|f4", "<i3", "|b4", "<f16", ""}) {
    EXPECT_THAT(error(NpyFile(NpyHeader(type, "(0,)"), "")), HasSubstr("are not compared")) << type;
  }
}

TEST(ParseNpy, ShapesBeyondTheFileAreRefusedWithoutOverflow) {
  for (const char* shape :
       {"(4611686018427387904, 4)", "(18446744073709551615,)", "(4294967296, 4294967296)", "(7,)"}) {
    const absl::Status status = ParseNpy(NpyFile(NpyHeader("<f4", shape), "12345678")).status();
    EXPECT_THAT(std::string(status.message()), HasSubstr("needs more than its 8 bytes")) << shape;
  }
  const std::string many = "(" + std::string(200, '1') + ",)";
  EXPECT_FALSE(ParseNpy(NpyFile(NpyHeader("<f4", many), "")).ok());
  std::string dimensions = "(";
  for (int i = 0; i < 40; ++i) dimensions += "1, ";
  EXPECT_FALSE(ParseNpy(NpyFile(NpyHeader("<f4", dimensions + ")"), "1234")).ok());
}

TEST(ParseNpy, HeadersThatAreNoDictionaryOfOneArrayAreRefused) {
  for (const char* header :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': Maybe, 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'shape': (1,), }",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), 'more': 1}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (1,), } x"}) {
    EXPECT_FALSE(ParseNpy(NpyFile(header, "1234")).ok()) << header;
  }
}

TEST(ParseNpy, LaterFormatsHaveLongerHeaders) {
  const std::string header = NpyHeader("<f4", "(1,)") + "\n";
  std::string file("\x93NUMPY\x02\x00", 8);
  file += static_cast<char>(header.size());
  file += std::string(3, '\0') + header + "1234";
  EXPECT_TRUE(ParseNpy(file).ok());
  file[10] = 1;
  EXPECT_THAT(std::string(ParseNpy(file).status().message()), HasSubstr("bytes; at most 65536 are read"));
}

class TensorFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string pattern = (std::filesystem::temp_directory_path() / "yard-tensors-XXXXXX").string();
    folder_ = mkdtemp(pattern.data());
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  void Write(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary) << bytes;
  }
  void WritePair(const std::string& name, const std::vector<float>& actual, const std::vector<float>& expected) const {
    Write(name + ".actual.npy", Npy("<f4", actual));
    Write(name + ".expected.npy", Npy("<f4", expected));
  }
  std::filesystem::path folder_;
  rules::ComparisonModel model_{{{"float32", {0, 1e-3}}, {"bfloat16", {0, 1}}}, true};
};

TEST_F(TensorFolder, PairsAreComparedInTheOrderOfTheirNames) {
  WritePair("softmax", {1, 2}, {1, 2.5});
  WritePair("gemm", {1}, {1});
  WritePair("norm@bfloat16", {1}, {1.5});
  Write("notes.txt", "x");
  const TensorComparison comparison = CompareTensorFolder(folder_, model_);
  EXPECT_THAT(comparison.problems, IsEmpty());
  ASSERT_EQ(comparison.tensors.size(), 3U);
  EXPECT_EQ(comparison.tensors[0].name, "gemm");
  EXPECT_TRUE(comparison.tensors[0].ok());
  EXPECT_EQ(comparison.tensors[1].name, "norm@bfloat16");
  EXPECT_EQ(comparison.tensors[1].dtype, "bfloat16");
  EXPECT_TRUE(comparison.tensors[1].ok());
  EXPECT_EQ(comparison.tensors[2].off, 1U);
}

TEST_F(TensorFolder, WhatCannotBeComparedIsAProblemEach) {
  Write("a.actual.npy", Npy<float>("<f4", {1}));
  Write("b.expected.npy", Npy<float>("<f4", {1}));
  Write("c.actual.npy", "junk");
  Write("c.expected.npy", Npy<float>("<f4", {1}));
  Write("d.actual.npy", Npy<double>("<f8", {1}));
  Write("d.expected.npy", Npy<double>("<f8", {1}));
  WritePair("e@float8", {1}, {1});
  WritePair("f", {1}, {1, 2});
  const TensorComparison comparison = CompareTensorFolder(folder_, model_);
  EXPECT_THAT(comparison.tensors, IsEmpty());
  EXPECT_THAT(comparison.problems, ElementsAre("\"a\": there is no expected tensor", "\"b\": there is no actual tensor",
                                               "\"c\": the actual tensor: this is no .npy file",
                                               "\"d\": the manifest has no tolerance for float64",
                                               "\"e@float8\": the manifest has no tolerance for float8",
                                               "\"f\": the shapes differ: (1,) is there, (2,) was expected"));
}

TEST_F(TensorFolder, IntegersNeedNoTolerance) {
  Write("ids.actual.npy", Npy<int64_t>("<i8", {1}));
  Write("ids.expected.npy", Npy<int64_t>("<i8", {1}));
  const TensorComparison comparison = CompareTensorFolder(folder_, rules::ComparisonModel{});
  EXPECT_THAT(comparison.problems, IsEmpty());
  ASSERT_EQ(comparison.tensors.size(), 1U);
  EXPECT_TRUE(comparison.tensors[0].ok());
}

TEST_F(TensorFolder, LinksAndPipesAreNotFollowed) {
  WritePair("a", {1}, {1});
  std::filesystem::remove(folder_ / "a.actual.npy");
  std::filesystem::create_symlink("/dev/zero", folder_ / "a.actual.npy");
  Write("b.expected.npy", Npy<float>("<f4", {1}));
  ASSERT_EQ(mkfifo((folder_ / "b.actual.npy").c_str(), 0600), 0);
  Write("c.actual.npy", "");
  Write("c.expected.npy", "");
  const TensorComparison comparison = CompareTensorFolder(folder_, model_);
  EXPECT_THAT(comparison.tensors, IsEmpty());
  ASSERT_EQ(comparison.problems.size(), 3U);
  EXPECT_THAT(comparison.problems[0], HasSubstr("can't be read"));
  EXPECT_EQ(comparison.problems[1], "\"b\": the actual tensor: it is no regular file");
  EXPECT_EQ(comparison.problems[2], "\"c\": the actual tensor: the file is empty");
}

TEST_F(TensorFolder, AFolderThatIsNotThereHasNoTensors) {
  const TensorComparison comparison = CompareTensorFolder(folder_ / "none", model_);
  EXPECT_THAT(comparison.tensors, IsEmpty());
  EXPECT_THAT(comparison.problems, IsEmpty());
}

}  // namespace
}  // namespace yardmaster::worker
