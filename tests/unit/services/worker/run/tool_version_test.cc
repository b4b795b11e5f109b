#include "services/worker/run/tool_version.h"

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

}  // namespace
}  // namespace yardmaster::worker
