#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/worker/devices/nvidia_smi.h"
#include "services/worker/devices/vendor_probes.h"
#include "tests/support/smi_devices.h"
#include "tests/unit/services/worker/devices/fakes.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// A probe over a recorded NVML.
struct NvmlCase {
  FakeSystem system;
  FakeNvml* nvml = new FakeNvml;  // the probe's
  std::unique_ptr<DeviceProbe> probe =
      MakeNvidiaProbe(std::unique_ptr<Nvml>(nvml), std::make_shared<FakeTools>(), system.paths());

  Device Only() {
    const absl::StatusOr<Discovery> found = probe->Discover();
    EXPECT_TRUE(found.ok()) << found.status();
    if (!found.ok() || found->devices.size() != 1) {
      ADD_FAILURE() << "not one device";
      return {};
    }
    return found->devices[0];
  }
};

FakeGpu Gpu(const std::string& uuid) {
  FakeGpu gpu;
  gpu.uuid = uuid;
  return gpu;
}

TEST(NvidiaByNvml, EverythingOfAHealthyDevice) {
  NvmlCase c;
  c.nvml->gpus = {Gpu("GPU-1")};
  c.nvml->gpus[0].pids = {4242};
  const absl::StatusOr<Discovery> found = c.probe->Discover();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->source, "nvml");
  ASSERT_EQ(found->devices.size(), 1U);
  const Device& gpu = found->devices[0];
  EXPECT_EQ(gpu.kind, rules::DeviceKind::kGpu);
  EXPECT_EQ(gpu.name, "gpu0");
  EXPECT_EQ(gpu.id, "GPU-1");
  EXPECT_EQ(gpu.visible_as, "GPU-1");
  EXPECT_EQ(gpu.model, "NVIDIA Sample 80GB");
  EXPECT_EQ(gpu.pci_address, "0000:18:00.0");
  EXPECT_EQ(gpu.driver, "570.10");
  EXPECT_EQ(gpu.runtime, "12.4");
  EXPECT_EQ(gpu.capability, "9.0");
  EXPECT_EQ(gpu.memory_mb, 81559U);
  EXPECT_EQ(gpu.memory_used_mb, 4U);
  EXPECT_EQ(gpu.utilization, 0);
  EXPECT_EQ(gpu.uncorrected_errors, 0U);
  EXPECT_EQ(gpu.health, DeviceHealth::kOk) << gpu.health_reason;
  EXPECT_THAT(gpu.processes, ElementsAre(4242));
  EXPECT_EQ(c.nvml->sessions, 0);
}

TEST(NvidiaByNvml, ADeviceThatIsLostIsShownAsBad) {
  NvmlCase opened;
  opened.nvml->gpus = {Gpu("GPU-1")};
  opened.nvml->gpus[0].every = kNvmlGpuLost;
  const Device lost = opened.Only();
  EXPECT_EQ(lost.health, DeviceHealth::kBad);
  EXPECT_EQ(lost.health_reason, "it is lost: it does not answer its driver any more; it does not say its UUID");

  NvmlCase closed;
  closed.nvml->gpus = {Gpu("GPU-1")};
  closed.nvml->gpus[0].open = kNvmlGpuLost;
  EXPECT_EQ(closed.Only().health, DeviceHealth::kBad);
  EXPECT_EQ(closed.Only().id, "gpu:0");
  EXPECT_EQ(closed.nvml->sessions, 0);
}

TEST(NvidiaByNvml, ADeviceThatMustBeResetIsBad) {
  NvmlCase c;
  c.nvml->gpus = {Gpu("GPU-1")};
  c.nvml->gpus[0].every = kNvmlResetRequired;
  EXPECT_THAT(c.Only().health_reason, HasSubstr("it must be reset before it can be used"));
}

TEST(NvidiaByNvml, WhatABoardCannotSayIsLeftOpen) {
  NvmlCase c;
  c.nvml->gpus = {Gpu("GPU-1")};
  c.nvml->gpus[0].every = kNvmlNotSupported;
  const Device gpu = c.Only();
  EXPECT_FALSE(gpu.memory_mb.has_value());
  EXPECT_FALSE(gpu.utilization.has_value());
  EXPECT_FALSE(gpu.uncorrected_errors.has_value());
  EXPECT_EQ(gpu.capability, "");
}

TEST(NvidiaByNvml, VersionsThatDifferMakeDiscoveryFail) {
  NvmlCase c;
  c.nvml->init = kNvmlVersionsDiffer;
  const absl::Status status = c.probe->Discover().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("has another version than its library"));
}

TEST(NvidiaByNvml, ADriverThatIsNotLoadedMattersOnlyWhereThereIsACard) {
  NvmlCase c;
  c.nvml->init = kNvmlDriverNotLoaded;
  c.system.AddPci("0000:00:1f.3", "0x10de", "0x040300");
  c.system.AddPci("0000:00:02.0", "0x8086", "0x030000");
  const absl::StatusOr<Discovery> none = c.probe->Discover();
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_THAT(none->devices, IsEmpty());

  c.system.AddPci("0000:18:00.0", "0x10de", "0x030200");
  EXPECT_EQ(c.probe->Discover().status().code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(c.nvml->sessions, 0);
}

TEST(NvidiaByNvml, NoDevicesIsAnEmptyList) {
  NvmlCase c;
  const absl::StatusOr<Discovery> found = c.probe->Discover();
  ASSERT_TRUE(found.ok());
  EXPECT_THAT(found->devices, IsEmpty());
}

TEST(NvidiaByNvml, WhatCannotBeCountedIsAnError) {
  NvmlCase c;
  c.nvml->count_code = kNvmlUnknown;
  const absl::Status status = c.probe->Discover().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(std::string(status.message()), "NVML failed to count devices: NVML error 999 (999)");
  EXPECT_EQ(c.nvml->sessions, 0);
}

TEST(NvidiaByNvml, DevicesOfOthersAreLeftOut) {
  NvmlCase c;
  c.nvml->gpus = {Gpu("GPU-1"), Gpu("GPU-2")};
  c.nvml->gpus[0].open = kNvmlNoPermission;
  const Device gpu = c.Only();
  EXPECT_EQ(gpu.id, "GPU-2");
  EXPECT_EQ(gpu.name, "gpu1");
}

TEST(NvidiaByNvml, ModesAndMemoryFaultsAreHealth) {
  NvmlCase c;
  c.nvml->gpus = {Gpu("GPU-0"), Gpu("GPU-1"), Gpu("GPU-2"), Gpu("GPU-3"), Gpu("GPU-4")};
  c.nvml->gpus[0].mode = 3;
  c.nvml->gpus[1].mode = 2;
  c.nvml->gpus[2].rows_pending = true;
  c.nvml->gpus[3].rows_failed = true;
  c.nvml->gpus[4].errors = 7;
  const absl::StatusOr<Discovery> found = c.probe->Discover();
  ASSERT_TRUE(found.ok());
  std::vector<DeviceHealth> health;
  health.reserve(found->devices.size());
  for (const Device& device : found->devices) health.push_back(device.health);
  EXPECT_THAT(health, ElementsAre(DeviceHealth::kWarning, DeviceHealth::kBad, DeviceHealth::kWarning,
                                  DeviceHealth::kBad, DeviceHealth::kWarning));
  EXPECT_EQ(found->devices[0].health_reason, "its compute mode allows one process at a time");
  EXPECT_EQ(found->devices[4].uncorrected_errors, 7U);
}

TEST(NvidiaByNvml, ASplitDeviceIsItsInstances) {
  NvmlCase c;
  c.nvml->gpus = {Gpu("GPU-1")};
  c.nvml->gpus[0].mig = true;
  c.nvml->gpus[0].instances = {Gpu("MIG-1"), Gpu("MIG-2"), Gpu("MIG-3")};
  c.nvml->gpus[0].instances[1].open = kNvmlNotFound;
  c.nvml->gpus[0].instances[0].total_mb = 9856;
  const absl::StatusOr<Discovery> found = c.probe->Discover();
  ASSERT_TRUE(found.ok());
  ASSERT_EQ(found->devices.size(), 2U);
  EXPECT_EQ(found->devices[0].name, "gpu0mig0");
  EXPECT_EQ(found->devices[0].visible_as, "MIG-1");
  EXPECT_EQ(found->devices[0].memory_mb, 9856U);
  EXPECT_EQ(found->devices[1].id, "MIG-3");
}

TEST(NvidiaByNvml, ASplitDeviceWithoutInstancesIsOfNoUse) {
  NvmlCase c;
  c.nvml->gpus = {Gpu("GPU-1")};
  c.nvml->gpus[0].mig = true;
  EXPECT_EQ(c.Only().health, DeviceHealth::kBad);
  EXPECT_THAT(c.Only().health_reason, HasSubstr("MIG mode"));
}

// --- nvidia-smi ---

constexpr const char* kAll =
    "nvidia-smi --query-gpu=index,uuid,pci.bus_id,driver_version,memory.total,memory.used,utilization.gpu,compute_mode,"
    "compute_cap,mig.mode.current,ecc.errors.uncorrected.volatile.total,retired_pages.pending,remapped_rows.pending,"
    "remapped_rows.failure,name --format=csv,nounits";
constexpr const char* kBase =
    "nvidia-smi --query-gpu=index,uuid,pci.bus_id,driver_version,memory.total,memory.used,utilization.gpu,compute_mode,"
    "name --format=csv,nounits";
constexpr const char* kProcesses =
    "nvidia-smi --query-compute-apps=gpu_uuid,pid,used_memory,process_name --format=csv,noheader,nounits";
constexpr const char* kAbout = "nvidia-smi -q -d COMPUTE";

struct SmiCase {
  FakeSystem system;
  std::shared_ptr<FakeTools> tools = std::make_shared<FakeTools>();
  std::unique_ptr<DeviceProbe> probe = MakeNvidiaProbe(nullptr, tools, system.paths());
};

TEST(NvidiaBySmi, WithoutLibraryAndToolThereAreNoDevices) {
  SmiCase c;
  const absl::StatusOr<Discovery> found = c.probe->Discover();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_THAT(found->devices, IsEmpty());
}

TEST(NvidiaBySmi, DevicesProcessesAndCudaAreReadTogether) {
  SmiCase c;
  c.tools->Answer(kAll, {0, Recorded("nvidia_smi.csv"), ""});
  c.tools->Answer(kProcesses, {0, "GPU-11111111-aaaa-bbbb-cccc-000000000002, 4242, 80900, python3\n", ""});
  c.tools->Answer(kAbout, {0, "==NVSMI LOG==\n\nDriver Version   : 570.10\nCUDA Version     : 12.8\n", ""});
  const absl::StatusOr<Discovery> found = c.probe->Discover();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->source, "nvidia-smi");
  ASSERT_EQ(found->devices.size(), 2U);
  EXPECT_THAT(found->devices[0].processes, IsEmpty());
  EXPECT_THAT(found->devices[1].processes, ElementsAre(4242));
  EXPECT_EQ(found->devices[0].runtime, "12.8");
}

TEST(NvidiaBySmi, AFieldThatTheDriverDoesNotKnowIsDoneWithout) {
  SmiCase c;
  c.tools->Answer(kAll, {2, "Field \"compute_cap\" is not a valid field to query.\n", ""});
  c.tools->Answer(kBase, {0, Recorded("nvidia_smi_old_board.csv"), ""});
  c.tools->Answer("nvidia-smi --query-gpu=uuid,mig.mode.current --format=csv,nounits",
                  {0, "uuid, mig.mode.current\nGPU-22222222-aaaa-bbbb-cccc-000000000001, [N/A]\n", ""});
  c.tools->Answer("nvidia-smi --query-gpu=uuid,retired_pages.pending --format=csv,nounits",
                  {0, "uuid, retired_pages.pending\nGPU-22222222-aaaa-bbbb-cccc-000000000001, Yes\n", ""});
  const absl::StatusOr<Discovery> found = c.probe->Discover();
  ASSERT_TRUE(found.ok()) << found.status();
  ASSERT_EQ(found->devices.size(), 1U);
  EXPECT_FALSE(found->devices[0].utilization.has_value());
  EXPECT_EQ(found->devices[0].capability, "");
  EXPECT_EQ(found->devices[0].health, DeviceHealth::kWarning);
}

TEST(NvidiaBySmi, TheToolsOwnRefusalsAreUnderstood) {
  SmiCase c;
  const auto says = [&c](int code, const std::string& text) {
    c.tools->Answer(kAll, {code, text, ""});
    c.tools->Answer(kBase, {code, text, ""});
    return c.probe->Discover();
  };
  const absl::StatusOr<Discovery> none = says(6, "No devices were found\n");
  ASSERT_TRUE(none.ok());
  EXPECT_THAT(none->devices, IsEmpty());
  EXPECT_THAT(std::string(says(18, "Failed to initialize NVML: Driver/library version mismatch\n").status().message()),
              HasSubstr("another version than its library"));
  EXPECT_TRUE(says(9, "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\n").ok());
  const absl::Status lost = says(15, "Unable to determine the device handle for GPU: GPU is lost.\n").status();
  EXPECT_EQ(lost.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(lost.message()), HasSubstr("exit code 15"));
}

TEST(NvidiaBySmi, AToolThatHangsIsNoEmptyList) {
  SmiCase c;
  c.tools->Fail(kAll, absl::DeadlineExceededError("no answer"));
  EXPECT_EQ(c.probe->Discover().status().code(), absl::StatusCode::kUnavailable);
}

TEST(ParseNvidiaSmi, ColumnsAreKnownByTheirHeader) {
  const absl::StatusOr<std::vector<Device>> gpus = ParseNvidiaSmi(Recorded("nvidia_smi.csv"));
  ASSERT_TRUE(gpus.ok()) << gpus.status();
  ASSERT_EQ(gpus->size(), 2U);
  EXPECT_EQ((*gpus)[0].pci_address, "0000:18:00.0");
  EXPECT_EQ((*gpus)[1].pci_address, "0000:2a:00.0");
  EXPECT_EQ((*gpus)[0].capability, "9.0");
  EXPECT_EQ((*gpus)[0].memory_mb, 143771U);
  EXPECT_EQ((*gpus)[0].health, DeviceHealth::kOk);
  EXPECT_EQ((*gpus)[1].model, "NVIDIA Sample, 141GB");
  EXPECT_EQ((*gpus)[1].utilization, 97);
  EXPECT_FALSE((*gpus)[1].uncorrected_errors.has_value());
  EXPECT_EQ((*gpus)[1].health, DeviceHealth::kWarning);
}

TEST(ParseNvidiaSmi, BadBoardsSayWhatIsWrong) {
  const absl::StatusOr<std::vector<Device>> gpus = ParseNvidiaSmi(Recorded("nvidia_smi_bad_boards.csv"));
  ASSERT_TRUE(gpus.ok()) << gpus.status();
  ASSERT_EQ(gpus->size(), 5U);
  EXPECT_THAT((*gpus)[0].health_reason, HasSubstr("it is lost"));
  EXPECT_THAT((*gpus)[1].health_reason, HasSubstr("prohibits"));
  EXPECT_THAT((*gpus)[2].health_reason, HasSubstr("MIG"));
  EXPECT_EQ((*gpus)[3].health, DeviceHealth::kWarning);
  EXPECT_EQ((*gpus)[3].uncorrected_errors, 3U);
  EXPECT_THAT((*gpus)[4].health_reason, HasSubstr("could not be remapped"));
}

TEST(ParseNvidiaSmi, WhatIsNoTableIsAnErrorThatNamesTheLine) {
  EXPECT_THAT(std::string(ParseNvidiaSmi("Thu Jan 1\n").status().message()), HasSubstr("no column \"uuid\""));
  EXPECT_THAT(std::string(ParseNvidiaSmi("uuid, name\nGPU-1\n").status().message()), HasSubstr("line 2"));
  EXPECT_THAT(std::string(ParseNvidiaSmi("uuid, memory.total [MiB]\nGPU-1, lots\n").status().message()),
              HasSubstr("memory.total is not a number: \"lots\""));
  EXPECT_TRUE(ParseNvidiaSmi("").ok());
}

TEST(LoadNvml, FunctionsOfALibraryAreFoundAndCalled) {
  std::unique_ptr<Nvml> nvml = LoadNvml(YARD_FAKE_NVML);
  ASSERT_NE(nvml, nullptr);
  const FakeSystem system;
  const auto found = MakeNvidiaProbe(std::move(nvml), std::make_shared<FakeTools>(), system.paths())->Discover();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->source, "nvml");
  ASSERT_EQ(found->devices.size(), 1u);
  const Device& device = found->devices[0];
  EXPECT_EQ(device.id, "GPU-played");
  EXPECT_EQ(device.model, "Played 80GB");
  EXPECT_EQ(device.driver, "570.10");
  EXPECT_EQ(device.runtime, "12.8");
  EXPECT_EQ(device.capability, "9.0");
  EXPECT_EQ(device.memory_mb, 80u * 1024);
  EXPECT_EQ(device.memory_used_mb, 1024u);
  EXPECT_EQ(device.utilization, 97);
  EXPECT_EQ(device.processes.size(), 70u);
  EXPECT_EQ(device.uncorrected_errors, std::nullopt);
  EXPECT_EQ(device.health, DeviceHealth::kOk) << device.health_reason;
}

TEST(LoadNvml, WhatIsNoNvmlIsNotUsed) {
  EXPECT_EQ(LoadNvml(YARD_EMPTY_NVML), nullptr);
  EXPECT_EQ(LoadNvml("/no/such/library.so"), nullptr);
}

}  // namespace
}  // namespace yardmaster::worker
