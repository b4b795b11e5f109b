#include "services/worker/run/evidence.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;

class KeepArtifactsTest : public ::testing::Test {
 protected:
  RankPlace Place(int rank) const {
    RankPlace place;
    place.rank = rank;
    place.out = dir_.path() / "steps" / "x" / "ranks" / std::to_string(rank);
    place.tensors = place.out / "tensors";
    place.reports = {place.out / "junit.xml"};
    return place;
  }
  std::string Write(int rank, const std::string& name) {
    std::string path = "steps/x/ranks/" + std::to_string(rank) + "/" + name;
    dir_.Write(path, "content");
    return path;
  }

  testing::TempDir dir_;
  rules::SuiteStep step_;
};

TEST_F(KeepArtifactsTest, ReportsArtifactsAndTensorsThatAreOffStay) {
  step_.artifacts = {"*.json"};
  const std::string report = Write(0, "junit.xml");
  const std::string artifact = Write(0, "bench.json");
  const std::string actual = Write(0, "tensors/y.actual.npy");
  const std::string expected = Write(0, "tensors/y.expected.npy");
  Write(0, "tensors/fine.actual.npy");
  Write(0, "tensors/fine.expected.npy");
  Write(0, "cache/big.bin");
  Write(1, "only.tmp");
  TensorResult off;
  off.name = "y";
  off.rank = 0;
  off.off = 3;
  TensorResult fine;
  fine.name = "fine";
  fine.rank = 0;
  EXPECT_THAT(KeepArtifacts(step_, {Place(0), Place(1)}, {off, fine}, dir_.path()),
              ElementsAre(artifact, report, actual, expected));
  EXPECT_FALSE(std::filesystem::exists(Place(0).out / "cache"));
  EXPECT_FALSE(std::filesystem::exists(Place(1).out));
}

TEST_F(KeepArtifactsTest, ALinkIsRemovedAndWhatItPointsToIsNot) {
  step_.artifacts = {"**"};
  const std::filesystem::path outside = dir_.Write("outside.txt", "precious");
  Write(0, "kept.txt");
  std::filesystem::create_symlink(outside, Place(0).out / "link.txt");
  EXPECT_THAT(KeepArtifacts(step_, {Place(0)}, {}, dir_.path()), ElementsAre("steps/x/ranks/0/kept.txt"));
  EXPECT_TRUE(std::filesystem::exists(outside));
  EXPECT_FALSE(std::filesystem::is_symlink(Place(0).out / "link.txt"));
}

}  // namespace
}  // namespace yardmaster::worker
