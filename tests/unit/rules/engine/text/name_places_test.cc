#include "rules/engine/text/name_places.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace yardmaster::rules {
namespace {

bool NcclIsInPath(std::string_view text) {
  const size_t at = text.find("nccl");
  EXPECT_NE(at, std::string_view::npos) << text;
  return IsInPath(text, at, at + 4);
}

bool NcclIsInBuildCommand(std::string_view text) { return IsInBuildCommand(text, text.find("nccl")); }

TEST(NamePlaces, PathsAndAddresses) {
  for (const char* text : {"/opt/nccl", "see ~/src/nccl-2.1/lib.", "'./nccl'", "build/nccl/all_reduce.cu:15",
                           "(third_party/nccl/README.md)", "https://github.com/NVIDIA/nccl/issues/1", "$HOME/nccl",
                           "C:\\nccl\\lib", "lib/nccl/libnccl.so.2"}) {
    EXPECT_TRUE(NcclIsInPath(text)) << text;
  }
}

TEST(NamePlaces, WordsWithSlashesAndDotsAreNames) {
  for (const char* text : {"nccl", "gloo/nccl", "gloo/nccl/mpi.", "with nccl / gloo", "nccl.h", "dist.nccl(x)",
                           "backend=nccl", "用nccl/gloo", "and/or nccl"}) {
    EXPECT_FALSE(NcclIsInPath(text)) << text;
  }
}

TEST(NamePlaces, WhatIsFarAwayIsNotLookedAt) {
  const std::string far(2000, 'a');
  EXPECT_FALSE(NcclIsInPath("/" + far + "nccl"));
  EXPECT_TRUE(NcclIsInPath("/" + far.substr(0, 100) + "nccl"));
}

TEST(NamePlaces, CommandsThatBuild) {
  for (const char* text :
       {"pip install nccl", "$ sudo apt-get install nccl", "x = 1\nUSE_CUDA=1 cmake -S . nccl", "!pip install nccl",
        "python -m pip install nccl", "python3 setup.py nccl", "git clone nccl", "RUN conda install nccl"}) {
    EXPECT_TRUE(NcclIsInBuildCommand(text)) << text;
  }
  for (const char* text : {"python train.py nccl", "makes nccl", "pip install x\ntorchrun nccl", "git log nccl", "nccl",
                           "a = 'pip nccl'"}) {
    EXPECT_FALSE(NcclIsInBuildCommand(text)) << text;
  }
}

}  // namespace
}  // namespace yardmaster::rules
