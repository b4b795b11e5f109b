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
