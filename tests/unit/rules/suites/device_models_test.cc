#include "rules/suites/device_models.h"

#include <gtest/gtest.h>

namespace yardmaster::rules {
namespace {

TEST(DeviceModels, WhatPeopleWriteMeansWhatTheToolsSay) {
  // As npu-smi and nvidia-smi name them, see tests/data/devices.
  EXPECT_TRUE(ModelMatches("Ascend910B*", "910B3"));
  EXPECT_TRUE(ModelMatches("*ascend910b*", "910B3"));
  EXPECT_TRUE(ModelMatches("Ascend 910B3", "910B3"));
  EXPECT_TRUE(ModelMatches("910b3", "Ascend 910B3"));
  EXPECT_TRUE(ModelMatches("Ascend910*", "Ascend910"));
  EXPECT_TRUE(ModelMatches("*a100*", "NVIDIA A100-SXM4-80GB"));
  EXPECT_TRUE(ModelMatches("NVIDIA H100*", "NVIDIA H100 80GB HBM3"));
  EXPECT_FALSE(ModelMatches("Ascend910B*", "Ascend910"));
  EXPECT_FALSE(ModelMatches("Ascend310*", "910B3"));
  EXPECT_FALSE(ModelMatches("A100", "NVIDIA A100-SXM4-80GB"));
  EXPECT_FALSE(ModelMatches("*h100*", "NVIDIA A100-SXM4-80GB"));
}

}  // namespace
}  // namespace yardmaster::rules
