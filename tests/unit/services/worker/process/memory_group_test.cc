#include "services/worker/process/memory_group.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "services/worker/process/process_table.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using std::chrono::seconds;
using std::chrono::steady_clock;
using ::testing::HasSubstr;

std::string Place(std::string_view mountinfo, std::string_view cgroup) {
  std::string reason;
  const std::optional<CgroupPlace> place = FindMemoryCgroup(mountinfo, cgroup, reason);
  if (!place.has_value()) return reason;
  return "v" + std::to_string(place->version) + " " + place->mount.native() + " " + place->own.native();
}

constexpr char kMountsV1[] =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:10 - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:11 - cgroup2 cgroup2 rw\n";
constexpr char kMountsV2[] = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(FindMemoryCgroup, VersionOneIsWhereMemoryIsMounted) {
  EXPECT_EQ(Place(kMountsV1, "4:memory:/jobs/a\n3:cpu,cpuacct:/x\n0::/y\n"),
            "v1 /sys/fs/cgroup/memory /sys/fs/cgroup/memory/jobs/a");
  EXPECT_EQ(Place(kMountsV1, "4:memory:/\n"), "v1 /sys/fs/cgroup/memory /sys/fs/cgroup/memory");
}

TEST(FindMemoryCgroup, VersionTwoHasOnePathForEverything) {
  EXPECT_EQ(Place(kMountsV2, "0::/user.slice/user-1000.slice/session-1.scope\n"),
            "v2 /sys/fs/cgroup /sys/fs/cgroup/user.slice/user-1000.slice/session-1.scope");
}

TEST(FindMemoryCgroup, InAContainerTheMountBeginsInTheMiddle) {
  EXPECT_EQ(Place("35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
                  "4:memory:/docker/abc/step\n"),
            "v1 /sys/fs/cgroup/memory /sys/fs/cgroup/memory/step");
}

TEST(FindMemoryCgroup, SpacesInTheMountPointAreUnescaped) {
  EXPECT_EQ(Place("35 31 0:32 / /mnt/c\\040groups rw - cgroup2 cgroup2 rw\n", "0::/a\n"),
            "v2 /mnt/c groups /mnt/c groups/a");
}

TEST(FindMemoryCgroup, WhatIsNotToBeSeenIsNotUsed) {
  const std::string none = "no control groups with memory are mounted here";
  EXPECT_EQ(Place("", ""), none);
  EXPECT_EQ(Place(kMountsV1, "3:cpu,cpuacct:/x\n"), none);
  EXPECT_EQ(Place(kMountsV2, "0::/../outside\n"), none);
  EXPECT_EQ(Place("35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", "4:memory:/else\n"),
            none);
  EXPECT_EQ(Place("35 31\n - \n35 31 0:32 / /x rw - cgroup2\n", "0:\n\n:::\n"), none);
}

TEST(CounterIn, FindsTheLineOfThatName) {
  EXPECT_EQ(CounterIn("low 0\noom 3\noom_kill 2\noom_group_kill 1\n", "oom_kill"), 2);
  EXPECT_EQ(CounterIn("oom_kill_disable 0\nunder_oom 0\noom_kill 5", "oom_kill"), 5);
  EXPECT_EQ(CounterIn("oom_kill_disable 0\n", "oom_kill"), std::nullopt);
  EXPECT_EQ(CounterIn("oom_kill many\n", "oom_kill"), std::nullopt);
  EXPECT_EQ(CounterIn("", "oom_kill"), std::nullopt);
}

TEST(HostOomKills, IsACountWhereTheKernelCounts) {
  const std::optional<int64_t> counted = CounterIn(ReadProcFile("/proc/vmstat"), "oom_kill");
  EXPECT_EQ(HostOomKills().has_value(), counted.has_value());
  EXPECT_GE(HostOomKills().value_or(0), counted.value_or(0));
}

TEST(CgroupName, HasNothingThatAPathCouldMean) {
  EXPECT_EQ(CgroupName("pack/id: x", 12, 3), "yardmaster-12-3-pack-id--x");
  EXPECT_EQ(CgroupName("../..", 12, 3), "yardmaster-12-3------");
  EXPECT_LT(CgroupName(std::string(1000, 'a'), 12, 3).size(), 120u);
}

// A folder that is no control group, though it lies where one should be.
TEST(CgroupMemory, WhereTheKernelTakesNoLimitThereIsAReasonAndNothingIsLeft) {
  const ::yardmaster::testing::TempDir folder;
  for (const int version : {1, 2}) {
    folder.Write("cgroup.subtree_control", "cpu memory\n");
    std::string reason;
    const CgroupPlace place{version, folder.path(), folder.path()};
    EXPECT_EQ(CgroupMemory::MakeAt(place, "test", 1 << 20, reason), nullptr);
    EXPECT_THAT(reason, HasSubstr(version == 1 ? "memory.limit_in_bytes" : "memory.max"));
    std::filesystem::remove(folder.path() / "cgroup.subtree_control");
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  }
}

TEST(CgroupMemory, WithoutTheControllerThereIsAReason) {
  const ::yardmaster::testing::TempDir folder;
  folder.Write("cgroup.subtree_control", "cpu\n");
  std::string reason;
  EXPECT_EQ(CgroupMemory::MakeAt({2, folder.path() / "none", folder.path() / "none"}, "test", 1 << 20, reason),
            nullptr);
  EXPECT_THAT(reason, HasSubstr("not delegated"));
}

// What follows needs a kernel that lets us make groups; where it does not, there has to be a reason.
class MemoryGroupTest : public ::testing::Test {
 protected:
  void SetUp() override {
    std::string reason;
    group_ = CgroupMemory::Make("test", kLimit, reason);
    if (group_ == nullptr) {
      ASSERT_NE(reason, "");
      GTEST_SKIP() << "not tested here, since the kernel gives us no control group: " << reason;
    }
    starter_ = MakeProcessStarter();
  }
  std::unique_ptr<Process> Start(const std::string& script) {
    ProcessSpec spec;
    spec.argv = {"/bin/sh", "-c", script};
    spec.environment = {"PATH=/usr/bin:/bin"};
    spec.directory = "/";
    spec.output = [this](Stream, std::string_view text) { output_ += text; };
    absl::StatusOr<std::unique_ptr<Process>> process = starter_->Start(spec, group_.get());
    EXPECT_TRUE(process.ok()) << process.status();
    return std::move(*process);
  }

  static constexpr uint64_t kLimit = 32 * 1024 * 1024;
  std::unique_ptr<CgroupMemory> group_;
  std::unique_ptr<ProcessStarter> starter_;
  std::string output_;
};

TEST_F(MemoryGroupTest, TheProcessIsInTheGroup) {
  const std::unique_ptr<Process> process = Start("cat /proc/self/cgroup");
  ASSERT_TRUE(process->WaitUntil(steady_clock::now() + seconds(60)).has_value());
  EXPECT_THAT(output_, HasSubstr("/" + group_->folder().filename().native()));
  EXPECT_EQ(group_->oom_kills(), 0);
}

TEST_F(MemoryGroupTest, WhoTakesTooMuchIsKilledAndCounted) {
  // tail keeps everything that has no newline.
  const std::unique_ptr<Process> process = Start("head -c 200000000 /dev/zero | tail");
  const std::optional<ProcessExit> exit = process->WaitUntil(steady_clock::now() + seconds(60));
  ASSERT_TRUE(exit.has_value());
  EXPECT_NE(exit->code, 0);
  EXPECT_GE(group_->oom_kills(), 1);
  EXPECT_GT(group_->peak_bytes(), kLimit / 2);
  EXPECT_LE(group_->peak_bytes(), kLimit);
}

TEST_F(MemoryGroupTest, TheGroupGoesWithWhatIsInIt) {
  const std::unique_ptr<Process> process = Start("sleep 1000");
  const std::filesystem::path folder = group_->folder();
  EXPECT_TRUE(std::filesystem::exists(folder));
  group_.reset();
  EXPECT_FALSE(std::filesystem::exists(folder));
  EXPECT_TRUE(process->WaitUntil(steady_clock::now() + seconds(60)).has_value());
}

TEST_F(MemoryGroupTest, WithoutALimitItOnlyCounts) {
  std::string reason;
  const std::unique_ptr<CgroupMemory> unlimited = CgroupMemory::Make("test", 0, reason);
  ASSERT_NE(unlimited, nullptr) << reason;
  EXPECT_EQ(unlimited->oom_kills(), 0);
}

}  // namespace
}  // namespace yardmaster::worker
