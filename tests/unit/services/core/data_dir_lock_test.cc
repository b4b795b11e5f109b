#include "services/core/data_dir_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

using ::testing::HasSubstr;

TEST(DataDirLock, MakesTheFolderForItsOwnerOnly) {
  testing::TempDir dir;
  auto lock = DataDirLock::Take(dir.path() / "a" / "data");
  ASSERT_TRUE(lock.ok()) << lock.status();
  struct stat info {};
  ASSERT_EQ(::stat((dir.path() / "a" / "data").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  EXPECT_TRUE(std::filesystem::exists(dir.path() / "a" / "data" / "lock"));
  EXPECT_TRUE((*lock)->dir().is_absolute());
}

TEST(DataDirLock, ASecondHolderIsRefusedAndToldWhoHasIt) {
  testing::TempDir dir;
  auto first = DataDirLock::Take(dir.path());
  ASSERT_TRUE(first.ok()) << first.status();
  auto second = DataDirLock::Take(dir.path());
  ASSERT_EQ(second.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(second.status().message()), HasSubstr("pid " + std::to_string(::getpid())));
}

TEST(DataDirLock, IsFreeAgainAfterItsHolderIsGone) {
  testing::TempDir dir;
  {
    auto lock = DataDirLock::Take(dir.path());
    ASSERT_TRUE(lock.ok()) << lock.status();
  }
  auto again = DataDirLock::Take(dir.path());
  EXPECT_TRUE(again.ok()) << again.status();
}

TEST(DataDirLock, ATrailingSlashNamesTheSameFolder) {
  testing::TempDir dir;
  auto first = DataDirLock::Take(dir.path().native() + "/data/");
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ((*first)->dir(), dir.path() / "data");
  EXPECT_FALSE(DataDirLock::Take(dir.path() / "data").ok());
}

TEST(DataDirLock, AFileInPlaceOfTheFolderIsAnError) {
  testing::TempDir dir;
  const auto file = dir.Write("data", "not a folder");
  const auto lock = DataDirLock::Take(file);
  ASSERT_EQ(lock.status().code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(lock.status().message()), HasSubstr("data"));
}

TEST(DataDirLock, ALinkInPlaceOfTheLockFileIsNotFollowed) {
  testing::TempDir dir;
  const auto victim = dir.Write("victim", "precious");
  std::filesystem::create_directory(dir.path() / "data");
  std::filesystem::create_symlink(victim, dir.path() / "data" / "lock");
  EXPECT_FALSE(DataDirLock::Take(dir.path() / "data").ok());
  EXPECT_EQ(std::filesystem::file_size(victim), 8u);
}

}  // namespace
}  // namespace yardmaster
