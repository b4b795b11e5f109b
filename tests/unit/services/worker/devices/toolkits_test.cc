#include "services/worker/devices/toolkits.h"

#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

class ToolkitsTest : public ::testing::Test {
 protected:
  ToolkitPaths Paths() const { return {dir_.path() / "latest", dir_.path() / "cuda"}; }
  testing::TempDir dir_;
};

TEST_F(ToolkitsTest, WithoutFilesNothingIsKnown) {
  EXPECT_EQ(CannVersion({dir_.path() / "nowhere", ""}, Paths()), "");
  EXPECT_EQ(CudaVersion(Paths()), "");
}

TEST_F(ToolkitsTest, CannIsReadFromEachOfItsFiles) {
  dir_.Write("latest/version.cfg",
             "# version: 1.0\nruntime_running_version=[7.5.0.1.129:8.0.RC3]\n"
             "toolkit_installed_version=[8.0.RC3:8.0.RC3.1]\n");
  EXPECT_EQ(CannVersion({}, Paths()), "8.0.RC3");
  dir_.Write("latest/aarch64-linux/ascend_toolkit_install.info",
             "package_name=Ascend-cann-toolkit\nversion=8.0.0\ninnerversion=V100R001C20\n");
  EXPECT_EQ(CannVersion({}, Paths()), "8.0.0");
  dir_.Write("latest/compiler/version.info", "Version=8.1.RC1\nversion_dir=8.1.RC1\n");
  EXPECT_EQ(CannVersion({}, Paths()), "8.1.RC1");
}

TEST_F(ToolkitsTest, WhatTheSuitesEnvironmentNamesComesBeforeTheUsualPlace) {
  dir_.Write("latest/compiler/version.info", "Version=8.1.RC1\n");
  dir_.Write("own/compiler/version.info", "version = [8.2.0]\n");
  EXPECT_EQ(CannVersion({dir_.path() / "empty", dir_.path() / "own"}, Paths()), "8.2.0");
}

TEST_F(ToolkitsTest, CudaIsReadFromItsListOfParts) {
  dir_.Write("cuda/version.json",
             R"({"cuda": {"name": "CUDA SDK", "version": "12.4.1"}, "nvcc": {"version": "12.4.131"}})");
  EXPECT_EQ(CudaVersion(Paths()), "12.4.1");
  for (const char* text : {"", "[]", "{", R"({"cuda": 1})", R"({"cuda": {"version": 12}})"}) {
    dir_.Write("cuda/version.json", text);
    EXPECT_EQ(CudaVersion(Paths()), "") << text;
  }
}

TEST_F(ToolkitsTest, AVersionIsOneShortReadableWord) {
  EXPECT_EQ(VersionInFile("version=" + std::string(500, 'x'), "version").size() <= 70, true);
  EXPECT_EQ(VersionInFile("versions=1\n", "version"), "");
  EXPECT_EQ(VersionInFile("VERSION = 1.2 \r\n", "version"), "1.2");
}

}  // namespace
}  // namespace yardmaster::worker
