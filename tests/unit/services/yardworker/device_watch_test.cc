// Devices that go and come back, from what the vendors' tools print, and devices that fail one run after the other.
#include "services/yardworker/device_watch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/yardworker/device_quarantine.h"
#include "tests/support/smi_devices.h"
#include "tests/support/source_path.h"

namespace yardmaster::yardworker {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<worker::Device> Gpus() {
  return *worker::ParseNvidiaSmi(testing::SourceText("tests/data/devices/nvidia_smi.csv"));
}

TEST(DeviceWatch, ACardThatIsGoneKeepsItsPlaceWithAFaultAndComesBack) {
  std::vector<worker::Device> all = Gpus();
  ASSERT_GE(all.size(), 2U);
  const std::vector<v1::WorkerDevice> known = Merge({}, {{"gpu", all}});
  ASSERT_THAT(known, SizeIs(all.size()));
  const worker::Device lost = all.back();
  all.pop_back();
  const std::vector<v1::WorkerDevice> less = Merge(known, {{"gpu", all}});
  ASSERT_THAT(less, SizeIs(known.size()));
  EXPECT_THAT(less.back().fault(), HasSubstr("does not list it any more"));
  EXPECT_EQ(less.front().fault(), known.front().fault());
  all.push_back(lost);
  const std::vector<v1::WorkerDevice> again = Merge(less, {{"gpu", all}});
  ASSERT_THAT(again, SizeIs(known.size()));
  EXPECT_EQ(again.back().fault(), known.back().fault());
}

TEST(DeviceWatch, AToolThatDoesNotAnswerIsAFaultOfItsKindOnly) {
  std::vector<worker::Device> npus = *worker::ParseNpuSmiInfo(testing::SourceText("tests/data/devices/npu_smi_a2.txt"));
  const std::vector<v1::WorkerDevice> known = Merge({}, {{"gpu", Gpus()}, {"npu", npus}});
  const std::vector<v1::WorkerDevice> mute =
      Merge(known, {{"gpu", absl::UnavailableError("nvidia-smi does not answer")}, {"npu", npus}});
  ASSERT_THAT(mute, SizeIs(known.size()));
  for (const v1::WorkerDevice& device : mute) {
    if (device.kind() == "gpu") EXPECT_THAT(device.fault(), HasSubstr("nvidia-smi does not answer"));
    if (device.kind() == "npu") EXPECT_THAT(device.fault(), ::testing::Not(HasSubstr("can't be looked at")));
  }
}

TEST(DeviceWatch, BoardsThatTheToolCallsBadAreFaulty) {
  const std::vector<v1::WorkerDevice> known = Merge(
      {}, {{"gpu", *worker::ParseNvidiaSmi(testing::SourceText("tests/data/devices/nvidia_smi_bad_boards.csv"))}});
  size_t faulty = 0;
  for (const v1::WorkerDevice& device : known) faulty += device.fault().empty() ? 0 : 1;
  EXPECT_GT(faulty, 0U);
}

TEST(DeviceQuarantine, ThreeFailuresInARowTakeADeviceOutAndProbationBringsItBackOrNot) {
  DeviceQuarantine quarantine;
  DeviceQuarantine::Time now{};
  const std::vector<std::string> devices = {"GPU-1", "cpu:0"};
  quarantine.RunEnded(devices, true, now);
  quarantine.RunEnded(devices, true, now);
  EXPECT_THAT(quarantine.FaultOf("GPU-1", now), IsEmpty());
  quarantine.RunEnded(devices, true, now);
  EXPECT_THAT(quarantine.FaultOf("GPU-1", now), HasSubstr("quarantined: 3 runs in a row"));
  EXPECT_THAT(quarantine.FaultOf("GPU-2", now), IsEmpty());
  EXPECT_THAT(quarantine.FaultOf("cpu:0", now), IsEmpty());
  now += DeviceQuarantine::kFirst;
  EXPECT_THAT(quarantine.FaultOf("GPU-1", now), IsEmpty());
  // On probation one failure is enough, and it takes twice as long.
  quarantine.RunEnded(devices, true, now);
  now += DeviceQuarantine::kFirst;
  EXPECT_THAT(quarantine.FaultOf("GPU-1", now), HasSubstr("quarantined"));
  now += DeviceQuarantine::kFirst;
  quarantine.RunEnded(devices, false, now);
  quarantine.RunEnded(devices, true, now);
  EXPECT_THAT(quarantine.FaultOf("GPU-1", now), IsEmpty());
}

}  // namespace
}  // namespace yardmaster::yardworker
