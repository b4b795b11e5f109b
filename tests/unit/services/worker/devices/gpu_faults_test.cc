// What the kernel's log says of GPUs, from records of it.
#include "services/worker/devices/gpu_faults.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "services/core/lines.h"
#include "tests/support/fake_probe.h"
#include "tests/unit/services/worker/devices/fakes.h"

namespace yardmaster::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<KernelLine> RecordedLog() {
  std::vector<KernelLine> lines;
  const std::string text = Recorded("kernel_log.txt");
  for (const std::string_view record : LinesOf(text)) {
    if (std::optional<KernelLine> line = ParseKmsgRecord(record)) lines.push_back(*std::move(line));
  }
  return lines;
}

// Says what it is told to, which may change.
class PlayedLog final : public KernelLog {
 public:
  explicit PlayedLog(const absl::StatusOr<std::vector<KernelLine>>& lines) : lines_(lines) {}
  absl::StatusOr<std::vector<KernelLine>> Read() override { return lines_; }

 private:
  const absl::StatusOr<std::vector<KernelLine>>& lines_;
};

Device GpuAt(const std::string& address) {
  Device gpu;
  gpu.kind = rules::DeviceKind::kGpu;
  gpu.name = "gpu0";
  gpu.id = "GPU-1";
  gpu.pci_address = address;
  gpu.health = DeviceHealth::kOk;
  return gpu;
}

// After the worker was started at second 100 of the log.
Device Watched(const std::string& address, const absl::StatusOr<std::vector<KernelLine>>& lines = RecordedLog()) {
  GpuFaults faults(std::make_unique<PlayedLog>(lines), 100'000'000);
  faults.Look();
  Device gpu = GpuAt(address);
  faults.Apply(gpu);
  return gpu;
}

TEST(KernelLog, RecordsAndTheJournalGiveTheSameLines) {
  const std::vector<KernelLine> lines = RecordedLog();
  ASSERT_EQ(lines.size(), 10U);
  EXPECT_EQ(lines[0].micros, 11'000'000U);
  EXPECT_EQ(lines[0].text, "nvidia 0000:18:00.0: enabling device (0140 -> 0142)");
  const std::vector<KernelLine> journal = ParseKernelJournal(Recorded("kernel_journal.txt"));
  ASSERT_EQ(journal.size(), 2U);
  EXPECT_EQ(journal[0].text, lines[0].text);
  EXPECT_EQ(journal[1].micros, 141'000'900U);
}

TEST(KernelLog, AnErrorIsKnownByAddressNumberAndText) {
  const auto xid = [](const std::string& text) { return XidOf({7, text}); };
  EXPECT_EQ(xid("NVRM: Xid (PCI:0000:3B:00): 31, pid=1"), (Xid{7, "0000:3b:00", 31, "pid=1"}));
  EXPECT_EQ(xid("NVRM: Xid (0000:3b:00): 31"), (Xid{7, "0000:3b:00", 31, ""}));
  EXPECT_EQ(xid("NVRM: Xid (PCI:00000000:3b:00 GPU-I:05): 94, Contained"), (Xid{7, "0000:3b:00", 94, "Contained"}));
  for (const char* other : {"NVRM: loading", "Xid (PCI:0000:3b:00): 31", "NVRM: Xid (PCI:0000:3b:00): none", ""}) {
    EXPECT_EQ(xid(other), std::nullopt) << other;
  }
}

TEST(GpuFaults, AnErrorTakesItsOwnGpuOutAndSaysWhatMustBeDone) {
  const Device reset = Watched("0000:18:00.0");
  EXPECT_EQ(reset.health, DeviceHealth::kBad);
  EXPECT_THAT(reset.health_reason,
              HasSubstr("Xid 95 (an error of its memory that was not contained): it must be reset"));
  EXPECT_THAT(reset.health_reason, HasSubstr("Xid 154"));
  EXPECT_THAT(*IdleReason(reset), HasSubstr("gpu0: Xid 95"));
  EXPECT_THAT(Watched("0000:5d:00.0").health_reason, HasSubstr("its host must be restarted"));
  EXPECT_THAT(Watched("0000:86:00.0").health_reason, HasSubstr("Xid 301: somebody must look at it"));
  EXPECT_EQ(Watched("0000:99:00.0").health, DeviceHealth::kOk);
}

TEST(GpuFaults, WhatAProgramDidOrWasContainedLeavesTheGpuInUse) {
  const Device program = Watched("0000:2a:00.0");
  EXPECT_EQ(program.health, DeviceHealth::kOk);
  ASSERT_EQ(program.incidents.size(), 1U);  // 43 says nothing new
  EXPECT_EQ(program.incidents[0].action, FaultAction::kProgram);
  EXPECT_EQ(IdleReason(program), std::nullopt);
  const Device contained = Watched("0000:3b:00.0");
  EXPECT_EQ(contained.health, DeviceHealth::kOk);
  ASSERT_EQ(contained.incidents.size(), 1U);
  EXPECT_EQ(contained.incidents[0].action, FaultAction::kRunElsewhere);
}

TEST(GpuFaults, WhatWasSaidBeforeTheWorkerWasStartedDoesNotCount) {
  absl::StatusOr<std::vector<KernelLine>> log = RecordedLog();
  GpuFaults faults(std::make_unique<PlayedLog>(log), std::nullopt);
  EXPECT_EQ(faults.since(), 161'000'000U);
  faults.Look();
  Device gpu = GpuAt("0000:18:00.0");
  faults.Apply(gpu);
  EXPECT_EQ(gpu.health, DeviceHealth::kOk);
  log->push_back({162'000'000, "NVRM: Xid (PCI:0000:18:00): 64, pid=1"});
  faults.Look();
  faults.Apply(gpu);
  EXPECT_EQ(gpu.health, DeviceHealth::kBad);
}

TEST(GpuFaults, WhatTheKernelForgetsStaysAndWhatTheDriverTakesBackGoes) {
  absl::StatusOr<std::vector<KernelLine>> log = RecordedLog();
  GpuFaults faults(std::make_unique<PlayedLog>(log), 100'000'000);
  faults.Look();
  log = std::vector<KernelLine>{};
  faults.Look();
  Device gpu = GpuAt("0000:18:00.0");
  faults.Apply(gpu);
  EXPECT_EQ(gpu.health, DeviceHealth::kBad);
  log = absl::UnavailableError("no rights");
  faults.Look();
  log = std::vector<KernelLine>{
      {200'000'000,
       "NVRM: Xid (PCI:0000:18:00): 154, GPU recovery action changed from 0x1 (GPU Reset Required) to 0x0 (None)"}};
  faults.Look();
  gpu = GpuAt("0000:18:00.0");
  faults.Apply(gpu);
  EXPECT_EQ(gpu.health, DeviceHealth::kOk) << gpu.health_reason;
}

TEST(GpuFaults, ALogThatCanNotBeReadAtTheStartSaysNothing) {
  absl::StatusOr<std::vector<KernelLine>> log = absl::UnavailableError("no rights");
  GpuFaults faults(std::make_unique<PlayedLog>(log), std::nullopt);
  EXPECT_EQ(faults.since(), GpuFaults::kNever);
  log = RecordedLog();
  faults.Look();
  Device gpu = GpuAt("0000:18:00.0");
  faults.Apply(gpu);
  EXPECT_EQ(gpu.health, DeviceHealth::kOk);
}

TEST(GpuFaults, AStepIsSpoiltByWhatCameInItAndAProgramIsNamed) {
  absl::StatusOr<std::vector<KernelLine>> log = std::vector<KernelLine>{};
  GpuFaults faults(std::make_unique<PlayedLog>(log), 0);
  const std::unique_ptr<DeviceProbe> probe =
      WithFaults(std::make_unique<yardmaster::testing::FakeProbe>(Discovery{{GpuAt("0000:18:00.0")}, "test"}), faults);
  Device before = probe->Discover()->devices.at(0);
  EXPECT_THAT(before.incidents, IsEmpty());
  std::string reason;
  log->push_back({1, "NVRM: Xid (PCI:0000:18:00): 31, pid=1"});
  EXPECT_TRUE(DeviceStillUsable(*probe, before, reason));
  EXPECT_EQ(reason, "gpu0: Xid 31 (an access to memory that is not mapped): the program's doing");
  log->push_back({2, "NVRM: Xid (PCI:0000:18:00): 94, pid=1"});
  EXPECT_FALSE(DeviceStillUsable(*probe, before, reason));
  EXPECT_THAT(reason, HasSubstr("Xid 94"));
  // The next step begins with it.
  before = probe->Discover()->devices.at(0);
  EXPECT_TRUE(DeviceStillUsable(*probe, before, reason));
  EXPECT_EQ(reason, "");
  log->push_back({3, "NVRM: Xid (PCI:0000:18:00): 119, pid=1"});
  EXPECT_FALSE(DeviceStillUsable(*probe, before, reason));
  EXPECT_THAT(reason, HasSubstr("it must be reset"));
}

}  // namespace
}  // namespace yardmaster::worker
