#include "services/worker/devices/topology.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(GroupsOfTopology, NvlinkJoinsWhateverTheSwitches) {
  EXPECT_THAT(GroupsOfTopology("\t\x1b[4mGPU0\tGPU1\tGPU2\tGPU3\tNIC0\tCPU Affinity\tNUMA Affinity\x1b[0m\n"
                               "GPU0\t X \tNV18\tSYS\tSYS\tPIX\t0-47\t0\n"
                               "GPU1\tNV18\t X \tSYS\tSYS\tPIX\t0-47\t0\n"
                               "GPU2\tSYS\tSYS\t X \tNV18\tSYS\t48-95\t1\n"
                               "GPU3\tSYS\tSYS\tNV18\t X \tSYS\t48-95\t1\n"
                               "NIC0\tPIX\tPIX\tSYS\tSYS\t X \t\t\n\nLegend:\n\n  X    = Self\n"),
              ElementsAre(Pair(0, 0), Pair(1, 0), Pair(2, 1), Pair(3, 1)));
}

TEST(GroupsOfTopology, WithoutLinksASwitchJoins) {
  EXPECT_THAT(
      GroupsOfTopology("\tGPU0\tGPU1\tGPU2\nGPU0\t X \tPIX\tNODE\nGPU1\tPIX\t X \tNODE\nGPU2\tNODE\tNODE\t X \n"),
      ElementsAre(Pair(0, 0), Pair(1, 0), Pair(2, 1)));
}

TEST(GroupsOfTopology, HccsJoinsAlsoThroughOthers) {
  EXPECT_THAT(GroupsOfTopology("          NPU0       NPU1       NPU2       CPU Affinity\n"
                               "NPU0      X          HCCS       PHB        0-23\n"
                               "NPU1      HCCS       X          HCCS       0-23\n"
                               "NPU2      PHB        HCCS       X          0-23\n"),
              ElementsAre(Pair(0, 0), Pair(1, 0), Pair(2, 0)));
}

TEST(GroupsOfTopology, NoMoreColumnsAreReadThanDevicesThereMayBe) {
  std::string header;
  for (int i = 0; i < 100'000; ++i) header += " GPU" + std::to_string(i % 250);
  EXPECT_THAT(GroupsOfTopology(header + "\nGPU0 X" + std::string(100'000, ' ') + "NV1\n"), IsEmpty());
}

TEST(GroupsOfTopology, OtherTextsHaveNone) {
  EXPECT_THAT(GroupsOfTopology(""), IsEmpty());
  EXPECT_THAT(GroupsOfTopology("This device does not support querying topo.\n"), IsEmpty());
  EXPECT_THAT(GroupsOfTopology("GPU0 GPU1\nGPU0 X\n"), IsEmpty());
  EXPECT_THAT(GroupsOfTopology("GPU0 GPU999999999999\nGPU0 X NV1\n\x1b[4"), ElementsAre(Pair(0, 0)));
}

}  // namespace
}  // namespace yardmaster::worker
