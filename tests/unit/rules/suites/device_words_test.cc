#include "rules/suites/device_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "rules/suites/device_models.h"

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

DeviceWord Read(std::string_view word, DeviceKind needed = DeviceKind::kCpu) {
  const auto read = ReadDeviceWord(word, needed);
  EXPECT_TRUE(read.has_value()) << word;
  return read.value_or(DeviceWord());
}

TEST(DeviceWords, KindsAreAnyModel) {
  EXPECT_EQ(ReadDeviceWord("", DeviceKind::kNpu), std::nullopt);
  for (const auto& [word, kind] : {std::pair("cpu", DeviceKind::kCpu), std::pair("GPU", DeviceKind::kGpu),
                                   std::pair("npu", DeviceKind::kNpu), std::pair("ascend", DeviceKind::kNpu)}) {
    EXPECT_EQ(Read(word).kind, kind) << word;
    EXPECT_THAT(Read(word).models, IsEmpty()) << word;
  }
}

TEST(DeviceWords, ProcessorsHaveAnArchitectureAndAreNoGpu) {
  for (const char* word : {"cpu_x86", "cpu-x86", "cpu_x86_64", "x86", "CPU_AMD64"}) {
    EXPECT_EQ(Read(word).kind, DeviceKind::kCpu) << word;
    EXPECT_EQ(Read(word).architecture, "x86_64") << word;
    EXPECT_THAT(Read(word).models, IsEmpty()) << word;
  }
  EXPECT_EQ(Read("cpu_arm", DeviceKind::kNpu).architecture, "aarch64");
  EXPECT_EQ(Read("cpu_riscv64").architecture, "riscv64");
  EXPECT_EQ(Read("cpu-").kind, DeviceKind::kCpu);
}

TEST(DeviceWords, ModelsAreOfTheirMakersKindWhateverTheSuiteNeeds) {
  for (const char* word : {"910b", "ascend910b", "Ascend910B3", "310p"}) {
    EXPECT_EQ(Read(word).kind, DeviceKind::kNpu) << word;
  }
  EXPECT_TRUE(ModelFits(Read("910b").models, "910B3"));
  EXPECT_TRUE(ModelFits(Read("ascend910b").models, "910B3"));
  EXPECT_FALSE(ModelFits(Read("910b").models, "310P3"));
  for (const char* word : {"a100", "h100", "H20", "l40s", "rtx4090", "t4", "b200", "nvidia"}) {
    EXPECT_EQ(Read(word, DeviceKind::kNpu).kind, DeviceKind::kGpu) << word;
  }
  EXPECT_TRUE(ModelFits(Read("a100").models, "NVIDIA A100-SXM4-80GB"));
  EXPECT_THAT(Read("a2").models, ElementsAre("*910B*"));
  EXPECT_EQ(Read("a3").kind, DeviceKind::kNpu);
}

TEST(DeviceWords, AnotherWordIsOfTheKindThatTheSuiteNeeds) {
  EXPECT_EQ(Read("kirin", DeviceKind::kNpu).kind, DeviceKind::kNpu);
  EXPECT_EQ(Read("kirin", DeviceKind::kCpu).kind, DeviceKind::kGpu);
}

}  // namespace
}  // namespace yardmaster::rules
