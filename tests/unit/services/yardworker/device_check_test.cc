// Leased devices before and after a run, from what the vendors' tools print.
#include "services/yardworker/device_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <utility>

#include "services/yardworker/device_quarantine.h"
#include "services/yardworker/device_watch.h"
#include "tests/support/smi_devices.h"
#include "tests/support/source_path.h"

namespace yardmaster::yardworker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::SizeIs;

using std::chrono::milliseconds;

// Finds what a function says at each look.
class ChangingProbe final : public worker::DeviceProbe {
 public:
  explicit ChangingProbe(std::function<absl::StatusOr<std::vector<worker::Device>>(int)> look)
      : look_(std::move(look)) {}
  rules::DeviceKind kind() const override { return rules::DeviceKind::kGpu; }
  absl::StatusOr<worker::Discovery> Discover() override {
    absl::StatusOr<std::vector<worker::Device>> devices = look_(looks_++);
    if (!devices.ok()) return devices.status();
    return worker::Discovery{*std::move(devices), "test"};
  }
  int looks() const { return looks_; }

 private:
  const std::function<absl::StatusOr<std::vector<worker::Device>>(int)> look_;
  int looks_ = 0;
};

worker::Device IdleGpu(const std::string& id) {
  worker::Device gpu = (*worker::ParseNvidiaSmi(testing::SourceText("tests/data/devices/nvidia_smi.csv"))).front();
  gpu.id = id;
  gpu.health = worker::DeviceHealth::kOk;
  gpu.processes.clear();
  gpu.memory_used_mb = 4;
  gpu.utilization = 0;
  return gpu;
}

const auto kDoNotWait = [](milliseconds) { return false; };

TEST(CheckDevices, IdleOnesAreFine) {
  ChangingProbe probe([](int) { return std::vector<worker::Device>{IdleGpu("GPU-1"), IdleGpu("GPU-2")}; });
  const DeviceCheck check = CheckDevices({&probe}, {"GPU-1", "cpu:0"}, {}, kDoNotWait);
  EXPECT_THAT(check.faults, IsEmpty());
  EXPECT_THAT(check.devices, SizeIs(1));
}

TEST(CheckDevices, OneThatIsGoneOrUsedByOthersIsNamed) {
  ChangingProbe probe([](int) {
    worker::Device busy = IdleGpu("GPU-1");
    busy.processes = {4242};
    return std::vector<worker::Device>{busy};
  });
  const DeviceCheck check = CheckDevices({&probe}, {"GPU-1", "GPU-2"}, {}, kDoNotWait);
  EXPECT_THAT(check.faults, ElementsAre(Pair("GPU-1", HasSubstr("used by process 4242")),
                                        Pair("GPU-2", HasSubstr("does not list it any more"))));
  EXPECT_THAT(TextOf(check.faults), HasSubstr("; GPU-2 is gone"));
}

TEST(CheckDevices, MemoryThatTheDriverIsAboutToGiveBackIsWaitedFor) {
  ChangingProbe probe([](int look) {
    worker::Device gpu = IdleGpu("GPU-1");
    if (look < 3) gpu.memory_used_mb = 40'000;
    return std::vector<worker::Device>{gpu};
  });
  EXPECT_THAT(CheckDevices({&probe}, {"GPU-1"}, {}, [](milliseconds) { return true; }).faults, IsEmpty());
  EXPECT_EQ(probe.looks(), 4);
}

TEST(CheckDevices, MemoryThatIsNeverGivenBackIsAFaultAtTheEndOfThePatience) {
  ChangingProbe probe([](int) {
    worker::Device gpu = IdleGpu("GPU-1");
    gpu.memory_used_mb = 40'000;
    return std::vector<worker::Device>{gpu};
  });
  const DevicePatience patience{milliseconds(1'000), milliseconds(1'000), milliseconds(500)};
  EXPECT_THAT(CheckDevices({&probe}, {"GPU-1"}, patience, [](milliseconds) { return true; }).faults,
              ElementsAre(Pair("GPU-1", HasSubstr("40000 MiB of its memory in use"))));
  EXPECT_EQ(probe.looks(), 3);
}

TEST(CheckDevices, AToolThatDoesNotAnswerIsAFaultOfAllThatItShouldHaveFound) {
  ChangingProbe probe([](int) { return absl::UnavailableError("nvidia-smi does not answer"); });
  EXPECT_THAT(CheckDevices({&probe}, {"GPU-1"}, {}, kDoNotWait).faults,
              ElementsAre(Pair("GPU-1", HasSubstr("nvidia-smi does not answer"))));
}

TEST(CheckDevices, NpusThatWarnAreNotUsed) {
  std::vector<worker::Device> npus = *worker::ParseNpuSmiInfo(testing::SourceText("tests/data/devices/npu_smi_a2.txt"));
  ASSERT_FALSE(npus.empty());
  for (worker::Device& npu : npus) npu.health = worker::DeviceHealth::kWarning;
  const std::map<std::string, std::string> reasons = IdleReasonsOf({{"npu", npus}});
  ASSERT_EQ(reasons.size(), npus.size());
  for (const auto& [id, why] : reasons) EXPECT_NE(why, "") << id;
}

TEST(DeviceQuarantine, WhatALookSawHoldsUntilALaterLookFindsTheDeviceIdle) {
  DeviceQuarantine quarantine;
  const DeviceQuarantine::Time start{};
  quarantine.SetFault("GPU-1", "gpu0 is used by process 4242", start + std::chrono::seconds(10));
  EXPECT_TRUE(quarantine.SeesFaults());
  // That look had begun before.
  quarantine.Looked("GPU-1", "", start + std::chrono::seconds(9));
  EXPECT_THAT(quarantine.FaultOf("GPU-1", start), HasSubstr("4242"));
  quarantine.Looked("GPU-1", "", start + std::chrono::seconds(11));
  EXPECT_EQ(quarantine.FaultOf("GPU-1", start), "");
  EXPECT_FALSE(quarantine.SeesFaults());
  quarantine.Looked("GPU-2", "gpu1 is 97 % busy", start + std::chrono::seconds(12));
  EXPECT_THAT(quarantine.FaultOf("GPU-2", start), HasSubstr("97 %"));
}

}  // namespace
}  // namespace yardmaster::yardworker
