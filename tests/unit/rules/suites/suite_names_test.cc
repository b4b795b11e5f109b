#include "rules/suites/suite_names.h"

#include <gtest/gtest.h>

namespace yardmaster::rules {
namespace {

TEST(DeviceKindWord, EveryKindHasAWordAndAName) {
  EXPECT_EQ(DeviceKindWord(DeviceKind::kCpu), "cpu");
  EXPECT_EQ(DeviceKindWord(DeviceKind::kGpu), "gpu");
  EXPECT_EQ(DeviceKindWord(DeviceKind::kNpu), "npu");
  EXPECT_EQ(DeviceKindName(DeviceKind::kCpu), "CPU");
  EXPECT_EQ(DeviceKindName(DeviceKind::kGpu), "GPU");
  EXPECT_EQ(DeviceKindName(DeviceKind::kNpu), "NPU");
}

TEST(FailureClassWord, EveryClassHasAWord) {
  EXPECT_EQ(FailureClassWord(FailureClass::kCode), "code");
  EXPECT_EQ(FailureClassWord(FailureClass::kEnvironment), "environment");
  EXPECT_EQ(FailureClassWord(FailureClass::kInfrastructure), "infrastructure");
  EXPECT_EQ(FailureClassWord(FailureClass::kVictim), "victim");
}

}  // namespace
}  // namespace yardmaster::rules
