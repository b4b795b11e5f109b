#include "services/worker/process/cgroup.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using ::testing::HasSubstr;

std::string Place(std::string_view mountinfo, std::string_view cgroup) {
  const std::optional<CgroupPlace> place = FindCgroup(mountinfo, cgroup, "memory");
  if (!place.has_value()) return "none";
  return "v" + std::to_string(place->version) + " " + place->mount.native() + " " + place->own.native();
}

constexpr char kMountsV1[] =
    "31 23 0:28 / /sys/fs/cgroup rw,relatime - tmpfs tmpfs rw,mode=755\n"
    "33 31 0:30 / /sys/fs/cgroup/cpu,cpuacct rw,relatime shared:9 - cgroup cgroup rw,cpu,cpuacct\n"
    "35 31 0:32 / /sys/fs/cgroup/memory rw,relatime shared:10 - cgroup cgroup rw,memory\n"
    "41 31 0:38 / /sys/fs/cgroup/unified rw,relatime shared:11 - cgroup2 cgroup2 rw\n";
constexpr char kMountsV2[] = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";

TEST(FindCgroup, VersionOneIsWhereMemoryIsMounted) {
  EXPECT_EQ(Place(kMountsV1, "4:memory:/jobs/a\n3:cpu,cpuacct:/x\n0::/y\n"),
            "v1 /sys/fs/cgroup/memory /sys/fs/cgroup/memory/jobs/a");
  EXPECT_EQ(Place(kMountsV1, "4:memory:/\n"), "v1 /sys/fs/cgroup/memory /sys/fs/cgroup/memory");
}

TEST(FindCgroup, VersionTwoHasOnePathForEverything) {
  EXPECT_EQ(Place(kMountsV2, "0::/user.slice/user-1000.slice/session-1.scope\n"),
            "v2 /sys/fs/cgroup /sys/fs/cgroup/user.slice/user-1000.slice/session-1.scope");
}

TEST(FindCgroup, InAContainerTheMountBeginsInTheMiddle) {
  EXPECT_EQ(Place("35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n",
                  "4:memory:/docker/abc/step\n"),
            "v1 /sys/fs/cgroup/memory /sys/fs/cgroup/memory/step");
}

TEST(FindCgroup, SpacesInTheMountPointAreUnescaped) {
  EXPECT_EQ(Place("35 31 0:32 / /mnt/c\\040groups rw - cgroup2 cgroup2 rw\n", "0::/a\n"),
            "v2 /mnt/c groups /mnt/c groups/a");
}

TEST(FindCgroup, WhatIsNotToBeSeenIsNotUsed) {
  const std::string none = "none";
  EXPECT_EQ(Place("", ""), none);
  EXPECT_EQ(Place(kMountsV1, "3:cpu,cpuacct:/x\n"), none);
  EXPECT_EQ(Place(kMountsV2, "0::/../outside\n"), none);
  EXPECT_EQ(Place("35 31 0:32 /docker/abc /sys/fs/cgroup/memory ro - cgroup cgroup rw,memory\n", "4:memory:/else\n"),
            none);
  EXPECT_EQ(Place("35 31\n - \n35 31 0:32 / /x rw - cgroup2\n", "0:\n\n:::\n"), none);
}

TEST(CgroupName, HasNothingThatAPathCouldMean) {
  EXPECT_EQ(CgroupName("pack/id: x", 12, 3), "yardmaster-12-3-pack-id--x");
  EXPECT_EQ(CgroupName("../..", 12, 3), "yardmaster-12-3------");
  EXPECT_LT(CgroupName(std::string(1000, 'a'), 12, 3).size(), 120u);
}

// What a kernel would answer is in the files; which of them are written shows what was decided.
class RoomForCgroups : public ::testing::Test {
 protected:
  void SetUp() override {
    folder_.Write("cgroup.controllers", "cpu memory pids\n");
    folder_.Write("cgroup.subtree_control", "");
    folder_.Write("cgroup.type", "domain\n");
  }
  std::string Handed() const { return ::yardmaster::testing::ReadWholeFile(folder_.path() / "cgroup.subtree_control"); }

  ::yardmaster::testing::TempDir folder_;
  std::string reason_;
};

TEST_F(RoomForCgroups, TheTopHandsOnWithoutMovingAnybody) {
  std::filesystem::remove(folder_.path() / "cgroup.type");
  EXPECT_TRUE(MakeRoomForCgroupsAt({2, folder_.path(), folder_.path()}, reason_)) << reason_;
  EXPECT_THAT(Handed(), HasSubstr("+pids"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "yardmaster-self"));
}

TEST_F(RoomForCgroups, AGroupThatTakesNoProcessIsNamed) {
  // The leaf is a plain folder here: nobody can be moved into it.
  EXPECT_FALSE(MakeRoomForCgroupsAt({2, folder_.path(), folder_.path()}, reason_));
  EXPECT_THAT(reason_, HasSubstr("can't move to " + (folder_.path() / "yardmaster-self").native()));
  EXPECT_EQ(Handed(), "");
}

TEST_F(RoomForCgroups, WhatWasStartedInTheLeafAndVersionOneNeedNothing) {
  EXPECT_TRUE(MakeRoomForCgroupsAt({2, folder_.path(), folder_.path() / "yardmaster-self"}, reason_));
  EXPECT_TRUE(MakeRoomForCgroupsAt({1, folder_.path(), folder_.path()}, reason_));
  EXPECT_EQ(Handed(), "");
}

TEST(KillAndRemoveCgroup, RemovesGroupsBelowGroups) {
  const ::yardmaster::testing::TempDir folder;
  std::filesystem::create_directories(folder.path() / "run" / "self");
  std::filesystem::create_directories(folder.path() / "run" / "step" / "further");
  KillAndRemoveCgroup(folder.path() / "run");
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "run"));
}

}  // namespace
}  // namespace yardmaster::worker
