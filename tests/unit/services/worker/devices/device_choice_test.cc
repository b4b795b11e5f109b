#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/worker/devices/device_probe.h"
#include "services/worker/devices/system_devices.h"
#include "tests/support/fake_probe.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using testing::FakeProbe;
using ::testing::HasSubstr;

Device Gpu() {
  Device device;
  device.kind = rules::DeviceKind::kGpu;
  device.name = "gpu0";
  device.id = "GPU-1";
  device.visible_as = "GPU-1";
  device.model = "NVIDIA Sample 80GB";
  device.driver = "550.1";
  device.runtime = "12.4";
  device.capability = "9.0";
  device.memory_mb = 81559;
  device.memory_used_mb = 4;
  device.utilization = 0;
  device.health = DeviceHealth::kOk;
  return device;
}

Device Npu(const std::string& logical) {
  Device device;
  device.kind = rules::DeviceKind::kNpu;
  device.name = "npu" + logical;
  device.id = "0000:c" + logical + ":00.0";
  device.visible_as = logical;
  device.model = "910B3";
  device.memory_used_mb = 3401;
  device.health = DeviceHealth::kOk;
  return device;
}

rules::DeviceRequest Request(rules::DeviceKind kind) {
  rules::DeviceRequest request;
  request.kind = kind;
  return request;
}

TEST(Fits, KindModelCapabilityAndMemory) {
  std::string reason;
  rules::DeviceRequest request = Request(rules::DeviceKind::kGpu);
  EXPECT_TRUE(Fits(Gpu(), request, reason));
  EXPECT_EQ(reason, "");
  EXPECT_FALSE(Fits(Npu("0"), request, reason));
  EXPECT_EQ(reason, "npu0 is a NPU, not a GPU");

  request.models = {"*H100*", "nvidia sample*"};
  EXPECT_TRUE(Fits(Gpu(), request, reason)) << reason;
  request.models = {"*H100*"};
  EXPECT_FALSE(Fits(Gpu(), request, reason));
  EXPECT_EQ(reason, "gpu0 is of the model \"NVIDIA Sample 80GB\", not *H100*");
  request.models.clear();

  request.capability = {">=8.0", "!=9.0"};
  EXPECT_FALSE(Fits(Gpu(), request, reason));
  EXPECT_EQ(reason, "gpu0 has compute capability 9.0, not !=9.0");
  request.capability = {">=8.0", "<10"};
  EXPECT_TRUE(Fits(Gpu(), request, reason)) << reason;
  Device silent = Gpu();
  silent.capability.clear();
  EXPECT_FALSE(Fits(silent, request, reason));
  EXPECT_THAT(reason, HasSubstr("is not known"));
  request.capability = {"nonsense"};
  EXPECT_FALSE(Fits(Gpu(), request, reason));
  request.capability.clear();

  request.memory_mb = 81559;
  EXPECT_TRUE(Fits(Gpu(), request, reason));
  request.memory_mb = 100'000;
  EXPECT_FALSE(Fits(Gpu(), request, reason));
  EXPECT_EQ(reason, "gpu0 has 81559 MiB of memory, less than 100000");
}

TEST(Fits, ProcessorsHaveNoModel) {
  const absl::StatusOr<Discovery> cpus = MakeCpuProbe(2)->Discover();
  ASSERT_TRUE(cpus.ok());
  ASSERT_EQ(cpus->devices.size(), 2U);
  EXPECT_EQ(cpus->source, "configured");
  EXPECT_EQ(cpus->devices[1].name, "cpu1");
  EXPECT_EQ(cpus->devices[1].id, "cpu:1");
  rules::DeviceRequest request = Request(rules::DeviceKind::kCpu);
  request.models = {"x"};
  std::string reason;
  EXPECT_TRUE(Fits(cpus->devices[0], request, reason));
  EXPECT_FALSE(IdleReason(cpus->devices[0]).has_value());
}

TEST(VisibleDeviceVariables, WithoutDevicesAllAreHidden) {
  EXPECT_THAT(VisibleDeviceVariables({}), ElementsAre("CUDA_VISIBLE_DEVICES=", "ASCEND_RT_VISIBLE_DEVICES=-1"));
}

TEST(VisibleDeviceVariables, GpusByUuidInTheirOrder) {
  Device second = Gpu();
  second.visible_as = "GPU-2";
  EXPECT_THAT(VisibleDeviceVariables({second, Gpu()}),
              ElementsAre("CUDA_VISIBLE_DEVICES=GPU-2,GPU-1", "ASCEND_RT_VISIBLE_DEVICES=-1"));
}

TEST(VisibleDeviceVariables, NpusAscendAndAreCountedFromZero) {
  EXPECT_THAT(VisibleDeviceVariables({Npu("10"), Npu("9"), Npu("2")}),
              ElementsAre("CUDA_VISIBLE_DEVICES=", "ASCEND_RT_VISIBLE_DEVICES=2,9,10", "TILE_FWK_DEVICE_ID=0",
                          "TILE_FWK_DEVICE_ID_LIST=0,1,2"));
}

TEST(IdleReason, AnIdleDeviceHasNone) {
  EXPECT_FALSE(IdleReason(Gpu()).has_value());
  EXPECT_FALSE(IdleReason(Npu("0")).has_value());
}

TEST(IdleReason, ProcessesMemoryLoadAndHealthAreReasons) {
  Device device = Gpu();
  device.processes = {7, 8, 9};
  EXPECT_EQ(IdleReason(device), "gpu0 is used by process 7 and 2 more");
  device = Gpu();
  device.memory_used_mb = kIdleGpuMemoryMb + 1;
  EXPECT_EQ(IdleReason(device), "gpu0 has 601 MiB of its memory in use");
  device = Gpu();
  device.utilization = 50;
  EXPECT_EQ(IdleReason(device), "gpu0 is 50 % busy");
  device = Gpu();
  device.health = DeviceHealth::kBad;
  device.health_reason = "it is lost";
  EXPECT_EQ(IdleReason(device), "gpu0: it is lost");
  device.health = DeviceHealth::kUnknown;
  device.health_reason.clear();
  EXPECT_EQ(IdleReason(device), "gpu0: its health is not known");
  // The driver of an NPU keeps more for itself.
  Device npu = Npu("0");
  npu.memory_used_mb = kIdleNpuMemoryMb + 1;
  EXPECT_TRUE(IdleReason(npu).has_value());
}

TEST(IdleReason, AWarningKeepsAnNpuFromWorkAndAGpuNot) {
  Device gpu = Gpu();
  gpu.health = DeviceHealth::kWarning;
  EXPECT_FALSE(IdleReason(gpu).has_value());
  Device npu = Npu("0");
  npu.health = DeviceHealth::kWarning;
  EXPECT_TRUE(IdleReason(npu).has_value());
}

TEST(DeviceStillUsable, TheSameDeviceIsUsable) {
  FakeProbe probe(Discovery{{Gpu()}, "test"});
  std::string reason;
  EXPECT_TRUE(DeviceStillUsable(probe, Gpu(), reason));
  EXPECT_EQ(reason, "");
}

TEST(DeviceStillUsable, WhatIsGoneBadOrUnreachableIsNot) {
  std::string reason;
  FakeProbe gone(Discovery{{}, "test"});
  EXPECT_FALSE(DeviceStillUsable(gone, Gpu(), reason));
  EXPECT_EQ(reason, "gpu0 is gone");

  Device lost = Gpu();
  lost.id = "gpu:0";
  lost.health = DeviceHealth::kBad;
  lost.health_reason = "it is lost";
  FakeProbe nameless(Discovery{{lost}, "test"});
  EXPECT_FALSE(DeviceStillUsable(nameless, Gpu(), reason));
  EXPECT_EQ(reason, "gpu0 is gone: it is lost");

  Device bad = Gpu();
  bad.health = DeviceHealth::kBad;
  bad.health_reason = "it must be reset";
  FakeProbe reset(Discovery{{bad}, "test"});
  EXPECT_FALSE(DeviceStillUsable(reset, Gpu(), reason));
  EXPECT_EQ(reason, "gpu0: it must be reset");

  FakeProbe silent(absl::UnavailableError("NVML failed"));
  EXPECT_FALSE(DeviceStillUsable(silent, Gpu(), reason));
  EXPECT_EQ(reason, "gpu0 can't be looked at any more: NVML failed");
}

TEST(DeviceStillUsable, NewMemoryErrorsCount) {
  Device before = Gpu();
  before.uncorrected_errors = 2;
  Device after = before;
  std::string reason;
  FakeProbe same(Discovery{{after}, "test"});
  EXPECT_TRUE(DeviceStillUsable(same, before, reason));
  after.uncorrected_errors = 5;
  FakeProbe more(Discovery{{after}, "test"});
  EXPECT_FALSE(DeviceStillUsable(more, before, reason));
  EXPECT_EQ(reason, "gpu0 has had 3 memory errors that could not be corrected");
}

TEST(DriverTooOld, OnlyAHigherMajorVersionIsTooNew) {
  EXPECT_EQ(
      DriverTooOld(Gpu(), "13.0"),
      "the driver 550.1 of gpu0 serves CUDA up to 12.4, and the toolkit is CUDA 13.0: install a newer driver or an "
      "older toolkit");
  EXPECT_FALSE(DriverTooOld(Gpu(), "12.8.93").has_value());
  EXPECT_FALSE(DriverTooOld(Gpu(), "11.8").has_value());
  EXPECT_FALSE(DriverTooOld(Gpu(), "").has_value());
  Device old = Gpu();
  old.runtime = "10.1";
  EXPECT_TRUE(DriverTooOld(old, "10.2").has_value());
  old.runtime.clear();
  EXPECT_FALSE(DriverTooOld(old, "13.0").has_value());
}

TEST(SortDevices, ByKindThenByIndexAndNotByName) {
  std::vector<Device> devices = {Gpu(), Gpu(), Gpu()};
  devices[0].index = 10;
  devices[1].index = 9;
  devices[2].kind = rules::DeviceKind::kCpu;
  devices[2].index = 11;
  SortDevices(devices);
  EXPECT_EQ(devices[0].index, 11);
  EXPECT_EQ(devices[1].index, 9);
  EXPECT_EQ(devices[2].index, 10);
}

TEST(NormalPciAddress, DomainsHaveFourDigits) {
  EXPECT_EQ(NormalPciAddress("00000000:2A:00.0"), "0000:2a:00.0");
  EXPECT_EQ(NormalPciAddress("0000:9D:00.0"), "0000:9d:00.0");
  EXPECT_EQ(NormalPciAddress("00010000:9D:00.0"), "10000:9d:00.0");
  for (const char* bad :
       {"", "NA", "0000:9D:00", "0000:9D:00.00", "xxxx:9D:00.0", "0000-9D-00.0", "123456789:9D:00.0"}) {
    EXPECT_EQ(NormalPciAddress(bad), "") << bad;
  }
}

}  // namespace
}  // namespace yardmaster::worker
