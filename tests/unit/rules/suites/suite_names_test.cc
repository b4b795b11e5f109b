#include "rules/suites/suite_names.h"

#include <gtest/gtest.h>

namespace yardmaster::rules {
namespace {

TEST(DeviceKindKey, EveryKindHasAWordAndAName) {
  EXPECT_EQ(DeviceKindKey(DeviceKind::kCpu), "cpu");
  EXPECT_EQ(DeviceKindKey(DeviceKind::kGpu), "gpu");
  EXPECT_EQ(DeviceKindKey(DeviceKind::kNpu), "npu");
  EXPECT_EQ(DeviceKindName(DeviceKind::kCpu), "CPU");
  EXPECT_EQ(DeviceKindName(DeviceKind::kGpu), "GPU");
  EXPECT_EQ(DeviceKindName(DeviceKind::kNpu), "NPU");
}

TEST(FailureClassKey, EveryClassHasAWord) {
  EXPECT_EQ(FailureClassKey(FailureClass::kCode), "code");
  EXPECT_EQ(FailureClassKey(FailureClass::kEnvironment), "environment");
  EXPECT_EQ(FailureClassKey(FailureClass::kInfrastructure), "infrastructure");
  EXPECT_EQ(FailureClassKey(FailureClass::kVictim), "victim");
}

}  // namespace
}  // namespace yardmaster::rules
