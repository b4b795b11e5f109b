#include "services/worker/run/versions.h"

#include <gtest/gtest.h>

namespace yardmaster::worker {
namespace {

TEST(VersionIn, TheWordBesideItCountsMoreThanTheOrder) {
  EXPECT_EQ(VersionIn("nvcc: NVIDIA (R) Cuda compiler driver\nBuilt on Thu_Mar_28_02:18:24_PDT_2024\n"
                      "Cuda compilation tools, release 12.4, V12.4.131\n"),
            "12.4");
  EXPECT_EQ(VersionIn("gcc (Debian 12.2.0-14) 12.2.0"), "12.2.0");
  EXPECT_EQ(VersionIn("cmake version 3.25.1"), "3.25.1");
  EXPECT_EQ(VersionIn("mpirun (Open MPI) 4.1.4"), "4.1.4");
  EXPECT_EQ(VersionIn("1.10.1"), "1.10.1");
  EXPECT_EQ(VersionIn("no number here, 2024"), "");
}

TEST(CompareVersions, NumbersAreNumbersNotTexts) {
  EXPECT_LT(CompareVersions("1.9", "1.13"), 0);
  EXPECT_EQ(CompareVersions("12", "12.0.0"), 0);
  EXPECT_EQ(CompareVersions("1.13.0a0", "1.13"), 0);
  EXPECT_GT(CompareVersions("2.1.0+cu121", "2.0.1"), 0);
}

TEST(MeetsVersion, AllConditionsMustHold) {
  EXPECT_TRUE(MeetsVersion("12.4", ">=12.0"));
  EXPECT_TRUE(MeetsVersion("8.9", ">= 8.0, !=9.0"));
  EXPECT_FALSE(MeetsVersion("9.0", ">=8.0,!=9.0"));
  EXPECT_FALSE(MeetsVersion("2.0", "<2"));
  EXPECT_TRUE(MeetsVersion("1.26.4", "<2,>=1.20"));
  EXPECT_TRUE(MeetsVersion("3", "==3.0"));
  EXPECT_FALSE(MeetsVersion("", ">=1.0"));
  EXPECT_TRUE(MeetsVersion("", ""));
}

}  // namespace
}  // namespace yardmaster::worker
