#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/worker/devices/npu_smi.h"
#include "services/worker/devices/vendor_probes.h"
#include "tests/unit/services/worker/devices/fakes.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

NpuTable Table(const std::string& text) {
  const absl::StatusOr<NpuTable> table = ParseNpuSmiTable(text);
  EXPECT_TRUE(table.ok()) << table.status();
  return table.value_or(NpuTable{});
}

std::string Error(const std::string& text) {
  const absl::Status status = ParseNpuSmiTable(text).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  return std::string(status.message());
}

TEST(ParseNpuSmi, TheTableOfA2) {
  const NpuTable table = Table(Recorded("npu_smi_a2.txt"));
  EXPECT_EQ(table.shape, "A2");
  EXPECT_EQ(table.version, "99.0.0");
  ASSERT_EQ(table.chips.size(), 3U);
  const Device& first = table.chips[0].device;
  EXPECT_EQ(first.name, "npu0");
  EXPECT_EQ(first.id, "0000:c1:00.0");
  EXPECT_EQ(first.model, "910B3");
  EXPECT_EQ(first.memory_used_mb, 3401U);
  EXPECT_EQ(first.memory_mb, 65536U);
  EXPECT_EQ(first.utilization, 0);
  EXPECT_EQ(first.health, DeviceHealth::kOk);
  EXPECT_THAT(first.processes, IsEmpty());
  const Device& second = table.chips[1].device;
  EXPECT_EQ(second.health, DeviceHealth::kBad);
  EXPECT_EQ(second.health_reason, "npu-smi says its health is \"Alarm\"");
  EXPECT_EQ(second.memory_used_mb, 51022U);
  EXPECT_EQ(second.utilization, 88);
  EXPECT_THAT(second.processes, ElementsAre(4242, 4243));
}

TEST(ParseNpuSmi, TwoModelsInOneHostKeepTheirNamesAndRatings) {
  std::string text = Recorded("npu_smi_a2.txt");
  // A 910B4 has half the memory of a 910B3: what would be broken there is whole here.
  const std::string other = "| 2     910B3               | Warning ";
  ASSERT_NE(text.find(other), std::string::npos);
  text.replace(text.find(other), other.size(), "| 2     910B4               | OK      ");
  text.replace(text.find("3300 / 49152"), 12, "3300 / 32768");
  const NpuTable table = Table(text);
  ASSERT_EQ(table.chips.size(), 3U);
  EXPECT_EQ(table.chips[0].device.model, "910B3");
  EXPECT_EQ(table.chips[2].device.model, "910B4");
  EXPECT_EQ(table.chips[2].device.health, DeviceHealth::kOk) << table.chips[2].device.health_reason;
  std::string reason;
  rules::DeviceRequest request;
  request.kind = rules::DeviceKind::kNpu;
  request.models = {"*910B4*"};
  EXPECT_FALSE(Fits(table.chips[0].device, request, reason));
  EXPECT_TRUE(Fits(table.chips[2].device, request, reason)) << reason;
}

TEST(ParseNpuSmi, MemoryBelowTheRatingMeansThatSomethingIsBroken) {
  const NpuTable table = Table(Recorded("npu_smi_a2.txt"));
  EXPECT_EQ(table.chips[2].device.health, DeviceHealth::kBad);
  EXPECT_THAT(table.chips[2].device.health_reason, HasSubstr("49152 of the 65536 MB"));
}

TEST(ParseNpuSmi, TheTableOfA3HasTwoDiesOfOneCard) {
  const NpuTable table = Table(Recorded("npu_smi_a3.txt"));
  EXPECT_EQ(table.shape, "A3");
  ASSERT_EQ(table.chips.size(), 2U);
  EXPECT_EQ(table.chips[0].device.index, 6);
  EXPECT_EQ(table.chips[1].device.name, "npu7");
  EXPECT_EQ(table.chips[1].chip, 1U);
  EXPECT_EQ(table.chips[1].device.memory_mb, 65536U);
  EXPECT_THAT(table.chips[0].device.processes, IsEmpty());
  EXPECT_THAT(table.chips[1].device.processes, ElementsAre(991));
}

TEST(ParseNpuSmi, TheTableOf310HasNoHighBandwidthMemory) {
  const NpuTable table = Table(Recorded("npu_smi_310.txt"));
  EXPECT_EQ(table.shape, "310");
  ASSERT_EQ(table.chips.size(), 3U);
  EXPECT_EQ(table.chips[0].device.memory_used_mb, 1583U);
  EXPECT_EQ(table.chips[0].device.memory_mb, 44280U);
  // Two chips of one card share its address.
  EXPECT_EQ(table.chips[0].device.id, "0000:01:00.0/0");
  EXPECT_EQ(table.chips[1].device.id, "0000:01:00.0/1");
  EXPECT_EQ(table.chips[1].device.name, "npu1");
  const Device& third = table.chips[2].device;
  EXPECT_EQ(third.id, "npu:5/0");
  EXPECT_EQ(third.health, DeviceHealth::kUnknown);
  EXPECT_FALSE(third.memory_mb.has_value());
  EXPECT_FALSE(third.utilization.has_value());
}

TEST(ParseNpuSmi, AnUnknownHeaderIsNamedAndNeverNoDevices) {
  EXPECT_EQ(Error(Recorded("npu_smi_unknown_header.txt"))
                .rfind("npu-smi, line 5: the columns of this table are not known: "
                       "\"| Chip  Phy-ID  Die-ID      |",
                       0),
            0U);
  std::string other = Recorded("npu_smi_a2.txt");
  other.replace(other.find("Process id"), 10, "Process ID");
  EXPECT_THAT(Error(other), HasSubstr("the columns of this table are not known"));
}

TEST(ParseNpuSmi, OutputThatIsCutOffIsAnErrorWhereverItEnds) {
  EXPECT_THAT(Error(Recorded("npu_smi_cut_off.txt")), HasSubstr("cut off"));
  const std::string whole = Recorded("npu_smi_a2.txt");
  // Up to the table of processes.
  const size_t processes = whole.find("| NPU     Chip");
  for (size_t size = 0; size < processes; ++size) {
    EXPECT_FALSE(ParseNpuSmiTable(whole.substr(0, size)).ok()) << whole.substr(0, size);
  }
}

TEST(ParseNpuSmi, RowsThatCannotBeReadAreErrors) {
  const std::string whole = Recorded("npu_smi_a2.txt");
  const auto with = [&whole](const std::string& from, const std::string& to) {
    std::string text = whole;
    text.replace(text.find(from), from.size(), to);
    return Error(text);
  };
  EXPECT_THAT(with("| 0     910B3 ", "| x     910B3 "), HasSubstr("line 7: the number and the name of an NPU"));
  EXPECT_THAT(with("| 0                         |", "| 0    1                    |"), HasSubstr("line 8"));
  EXPECT_THAT(with("0000:C1:00.0", "0000-C1-00.0"), HasSubstr("a PCI address was expected"));
  EXPECT_THAT(with("3401 / 65536", "3401   65536"), HasSubstr("figures of HBM"));
  EXPECT_THAT(with("3401 / 65536", "3401 / 1 2  "), HasSubstr("more figures than columns"));
  EXPECT_THAT(with("| 4242 ", "| abcd "), HasSubstr("a process was expected"));
  EXPECT_THAT(with("| 1       0                 | 4242", "| 9       0                 | 4242"),
              HasSubstr("on an NPU that the table does not show"));
  EXPECT_THAT(Error("nothing here\n"), HasSubstr("printed no table"));
}

TEST(ParseNpuSmi, WarningsBeforeTheTableDoNotMatter) {
  EXPECT_EQ(Table("DrvMngGetConsoleLogLevel failed.\n" + Recorded("npu_smi_a2.txt")).chips.size(), 3U);
}

TEST(ParseNpuSmi, CountAndMapping) {
  EXPECT_EQ(ParseNpuSmiCount(Recorded("npu_smi_list.txt")), 3U);
  EXPECT_FALSE(ParseNpuSmiCount("no such option").has_value());
  const auto mapping = ParseNpuSmiMapping(Recorded("npu_smi_mapping.txt"));
  ASSERT_EQ(mapping.size(), 3U);
  EXPECT_EQ(mapping.at({0, 0}), 2U);
  EXPECT_EQ(mapping.at({2, 0}), 0U);
}

struct AscendCase {
  FakeSystem system;
  std::shared_ptr<FakeTools> tools = std::make_shared<FakeTools>();
  std::unique_ptr<DeviceProbe> probe = MakeAscendProbe(tools, system.paths());
};

TEST(AscendProbe, LogicalIdsComeFromTheMapping) {
  AscendCase c;
  c.tools->Answer("npu-smi info", {0, Recorded("npu_smi_a2.txt"), ""});
  c.tools->Answer("npu-smi info -l", {0, Recorded("npu_smi_list.txt"), ""});
  c.tools->Answer("npu-smi info -m", {0, Recorded("npu_smi_mapping.txt"), ""});
  const absl::StatusOr<Discovery> found = c.probe->Discover();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->source, "npu-smi (A2)");
  ASSERT_EQ(found->devices.size(), 3U);
  EXPECT_EQ(found->devices[0].visible_as, "2");
  EXPECT_EQ(found->devices[2].visible_as, "0");
  EXPECT_EQ(found->devices[0].driver, "99.0.0");
}

TEST(AscendProbe, ChipsThatAreNotWellAreAskedForTheirErrorCodes) {
  AscendCase c;
  c.tools->Answer("npu-smi info", {0, Recorded("npu_smi_a2.txt"), ""});
  c.tools->Answer("npu-smi info -t health -i 1 -c 0", {0, Recorded("npu_smi_health.txt"), ""});
  const absl::StatusOr<Discovery> found = c.probe->Discover();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(
      found->devices.at(1).health_reason,
      "npu-smi says its health is \"Alarm\"; error codes 0x40F84E00 (the card has dropped off: somebody must look "
      "at it), 0x80E01801: node type=SoC, sensor type=PCIe, event state=card dropped");
  EXPECT_THAT(c.tools->asked(), ::testing::Not(::testing::Contains("npu-smi info -t health -i 0 -c 0")));
}

TEST(ParseNpuSmi, HealthWithoutCodesSaysNothing) {
  EXPECT_EQ(ParseNpuSmiHealth("Health Status : OK\nError Code : NA\nError Information : NA\n"), "");
  EXPECT_EQ(ParseNpuSmiHealth("This device does not support querying health.\n"), "");
  EXPECT_EQ(ParseNpuSmiHealth("Error Code : 81078603"),
            "error code 0x81078603 (a link of its network is down: somebody must look at it)");
}

TEST(AscendProbe, WithoutMappingThePlaceIsTheId) {
  AscendCase c;
  c.tools->Answer("npu-smi info", {0, Recorded("npu_smi_a3.txt"), ""});
  c.system.AddNode("davinci6");
  c.system.AddNode("davinci7");
  c.system.AddNode("davinci_manager");
  const absl::StatusOr<Discovery> found = c.probe->Discover();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->source, "npu-smi (A3)");
  EXPECT_EQ(found->devices.at(0).visible_as, "0");
  EXPECT_EQ(found->devices.at(1).visible_as, "1");
}

TEST(AscendProbe, ATableWithFewerCardsThanAreCountedIsAnError) {
  AscendCase c;
  c.tools->Answer("npu-smi info", {0, Recorded("npu_smi_a3.txt"), ""});
  c.tools->Answer("npu-smi info -l", {0, Recorded("npu_smi_list.txt"), ""});
  const absl::Status listed = c.probe->Discover().status();
  EXPECT_EQ(listed.code(), absl::StatusCode::kUnavailable);
  EXPECT_EQ(std::string(listed.message()), "npu-smi info shows 1 cards, npu-smi info -l counts 3");

  AscendCase nodes;
  nodes.tools->Answer("npu-smi info", {0, Recorded("npu_smi_a3.txt"), ""});
  for (const char* node : {"davinci0", "davinci1", "davinci2"}) nodes.system.AddNode(node);
  EXPECT_EQ(nodes.probe->Discover().status().code(), absl::StatusCode::kUnavailable);
}

TEST(AscendProbe, NoToolMeansNoDevicesUnlessThereAreNodes) {
  AscendCase c;
  const absl::StatusOr<Discovery> none = c.probe->Discover();
  ASSERT_TRUE(none.ok()) << none.status();
  EXPECT_THAT(none->devices, IsEmpty());
  c.system.AddNode("davinci_manager");
  EXPECT_TRUE(c.probe->Discover().ok());
  c.system.AddNode("davinci3");
  const absl::Status status = c.probe->Discover().status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable);
  EXPECT_THAT(std::string(status.message()), HasSubstr("davinci3, but no npu-smi"));
}

TEST(AscendProbe, AToolWithoutItsLibrariesIsCalledWithTheirFolders) {
  AscendCase c;
  c.tools->Answer("npu-smi info", {127, "",
                                   "npu-smi: error while loading shared libraries: libc_sec.so: cannot open "
                                   "shared object file: No such file or directory"});
  c.tools->Answer(
      "env LD_LIBRARY_PATH=/usr/local/Ascend/driver/lib64:/usr/local/Ascend/driver/lib64/common:"
      "/usr/local/Ascend/driver/lib64/driver npu-smi info",
      {0, Recorded("npu_smi_310.txt"), ""});
  const absl::StatusOr<Discovery> found = c.probe->Discover();
  ASSERT_TRUE(found.ok()) << found.status();
  EXPECT_EQ(found->devices.size(), 3U);
}

TEST(AscendProbe, AToolThatFailsIsAnErrorOnlyWhereThereAreNodes) {
  AscendCase c;
  c.tools->Answer("npu-smi info", {255, "dcmi module initialize failed. ret is -8005\n", ""});
  EXPECT_TRUE(c.probe->Discover().ok());
  c.system.AddNode("davinci0");
  EXPECT_EQ(std::string(c.probe->Discover().status().message()),
            "npu-smi failed with exit code 255: dcmi module initialize failed. ret is -8005");
}

TEST(AscendProbe, AToolThatHangsIsAnError) {
  AscendCase c;
  c.tools->Fail("npu-smi info", absl::DeadlineExceededError("no answer"));
  EXPECT_EQ(c.probe->Discover().status().code(), absl::StatusCode::kUnavailable);
}

TEST(SystemDevices, TheVersionOfTheDriverIsReadFromItsFile) {
  const FakeSystem system;
  EXPECT_EQ(AscendDriverVersion(system.paths()), "");
  system.SetAscendVersion("package_version=99\nVersion=24.1.rc1\n");
  EXPECT_EQ(AscendDriverVersion(system.paths()), "24.1.rc1");
  system.SetAscendVersion("Version=[23.0.1:6.4]\n");
  EXPECT_EQ(AscendDriverVersion(system.paths()), "23.0.1:6.4");
}

}  // namespace
}  // namespace yardmaster::worker
