#include "services/dispatch/part_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "services/core/sha256.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::dispatch {
namespace {

constexpr uint64_t kBudget = 1'000;

class PartFilesTest : public ::testing::Test {
 protected:
  absl::StatusCode PutCode(const std::string& digest, uint64_t size, uint64_t offset, const std::string& part) {
    return files_.Put(digest, size, offset, part).status().code();
  }
  std::string PutFile(const std::string& text) {
    std::string digest = Sha256Hex(text);
    EXPECT_TRUE(files_.Put(digest, text.size(), 0, text)->complete);
    return digest;
  }
  // It was last used so long ago.
  void Age(const std::string& name, std::chrono::minutes by) {
    std::filesystem::last_write_time(dir_.path() / "files" / name, std::filesystem::file_time_type::clock::now() - by);
  }
  bool IsThere(const std::string& name) { return std::filesystem::exists(dir_.path() / "files" / name); }

  yardmaster::testing::TempDir dir_;
  PartFiles files_{dir_.path() / "files", kBudget, std::chrono::hours(1)};
};

TEST_F(PartFilesTest, AFileComesInPartsAndGoesOnAfterARestart) {
  const std::string text = "hello, world";
  const std::string digest = Sha256Hex(text);
  absl::StatusOr<PartProgress> put = files_.Put(digest, text.size(), 0, text.substr(0, 5));
  ASSERT_TRUE(put.ok()) << put.status();
  EXPECT_EQ(put->received, 5U);
  EXPECT_FALSE(put->complete);
  EXPECT_FALSE(files_.Has(digest));
  PartFiles after(dir_.path() / "files", kBudget, std::chrono::hours(1));
  put = after.Put(digest, text.size(), 0, "");
  EXPECT_EQ(put->received, 5U);
  // The last part again, and one that overlaps.
  EXPECT_EQ(after.Put(digest, text.size(), 0, text.substr(0, 5))->received, 5U);
  put = after.Put(digest, text.size(), 3, text.substr(3));
  ASSERT_TRUE(put.ok()) << put.status();
  EXPECT_TRUE(put->complete);
  EXPECT_TRUE(after.Put(digest, text.size(), 0, "")->complete);
  uint64_t size = 0;
  EXPECT_EQ(*after.Read(digest, 7, size), "world");
  EXPECT_EQ(size, text.size());
  EXPECT_EQ(*after.Read(digest, 12, size), "");
  EXPECT_EQ(after.Read(digest, 13, size).status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(PartFilesTest, AnEmptyFileIsAFile) {
  const std::string digest = Sha256Hex("");
  EXPECT_TRUE(files_.Put(digest, 0, 0, "")->complete);
  EXPECT_TRUE(files_.Has(digest));
}

TEST_F(PartFilesTest, AHoleIsRefusedAndSaysWhereToGoOn) {
  EXPECT_EQ(PutCode(Sha256Hex("abc"), 3, 1, "bc"), absl::StatusCode::kOutOfRange);
}

TEST_F(PartFilesTest, WhatHasAnotherDigestIsRemovedAndBeginsAnew) {
  const std::string digest = Sha256Hex("abc");
  EXPECT_EQ(PutCode(digest, 3, 0, "xyz"), absl::StatusCode::kInvalidArgument);
  EXPECT_FALSE(files_.Has(digest));
  EXPECT_TRUE(files_.Put(digest, 3, 0, "abc")->complete);
}

TEST_F(PartFilesTest, NamesThatAreNoDigestsNeverReachTheDisk) {
  for (const char* name : {"", "../../etc/passwd", "ABC", "g123"}) {
    EXPECT_EQ(PutCode(name, 1, 0, "a"), absl::StatusCode::kInvalidArgument);
    uint64_t size = 0;
    EXPECT_EQ(files_.Read(name, 0, size).status().code(), absl::StatusCode::kInvalidArgument);
    EXPECT_FALSE(files_.Has(name));
  }
}

TEST_F(PartFilesTest, MoreThanWasSaidIsRefused) {
  EXPECT_EQ(PutCode(Sha256Hex("abc"), 2, 0, "abc"), absl::StatusCode::kInvalidArgument);
}

TEST_F(PartFilesTest, TheOldestMakeRoomAndWhatIsLargerThanAllRoomIsRefused) {
  std::vector<std::string> digests;
  for (const char c : {'a', 'b', 'c'}) {
    digests.push_back(PutFile(std::string(400, c)));
    Age(digests.back(), std::chrono::minutes(59 - static_cast<int64_t>(digests.size())));
  }
  EXPECT_FALSE(IsThere(digests[0]));
  EXPECT_TRUE(IsThere(digests[1]));
  EXPECT_TRUE(IsThere(digests[2]));
  EXPECT_EQ(PutCode(Sha256Hex("x"), kBudget + 1, 0, ""), absl::StatusCode::kResourceExhausted);
}

TEST_F(PartFilesTest, WhatIsTooOldGoesWhenSomethingNewComes) {
  const std::string old = Sha256Hex("old");
  ASSERT_TRUE(files_.Put(old, 3, 0, "old")->complete);
  std::filesystem::last_write_time(dir_.path() / "files" / old,
                                   std::filesystem::file_time_type::clock::now() - std::chrono::hours(2));
  ASSERT_TRUE(files_.Put(Sha256Hex("new"), 3, 0, "new")->complete);
  EXPECT_FALSE(files_.Has(old));
}

TEST_F(PartFilesTest, WhatAJobNeedsOrWasJustUsedIsNotTakenAwayForOthers) {
  const std::string needed = PutFile(std::string(400, 'n'));
  Age(needed, std::chrono::hours(5));
  files_.KeepWhile([&](std::string_view digest) { return digest == needed; });
  const std::string fresh = PutFile(std::string(400, 'f'));
  // Another upload under way.
  const std::string half = Sha256Hex(std::string(100, 'h'));
  ASSERT_TRUE(files_.Put(half, 100, 0, std::string(50, 'h')).ok());
  EXPECT_EQ(PutCode(Sha256Hex(std::string(400, 'x')), 400, 0, ""), absl::StatusCode::kResourceExhausted);
  EXPECT_TRUE(IsThere(needed));
  EXPECT_TRUE(IsThere(fresh));
  EXPECT_TRUE(files_.Put(half, 100, 50, std::string(50, 'h'))->complete);
  files_.RemoveOld();
  EXPECT_TRUE(IsThere(needed));
  // Nobody needs it any more.
  files_.KeepWhile(nullptr);
  files_.RemoveOld();
  EXPECT_FALSE(IsThere(needed));
  EXPECT_TRUE(IsThere(fresh));
}

TEST_F(PartFilesTest, UsingAFileAgainMakesItYoung) {
  const std::string used = PutFile("used");
  const std::string asked = PutFile("asked");
  const std::string idle = PutFile("idle");
  for (const std::string& digest : {used, asked, idle}) Age(digest, std::chrono::minutes(61));
  ASSERT_TRUE(files_.Put(used, 4, 0, "")->complete);
  ASSERT_TRUE(files_.Has(asked));
  files_.RemoveOld();
  EXPECT_TRUE(IsThere(used));
  EXPECT_TRUE(IsThere(asked));
  EXPECT_FALSE(IsThere(idle));
}

}  // namespace
}  // namespace yardmaster::dispatch
