#include "services/worker/run/workspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "services/worker/run/folder_lock.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

TEST(FileNameOf, AStepsNameBecomesAFileName) {
  EXPECT_EQ(FileNameOf("all_reduce[dtype=float32,world_size=8]"), "all_reduce-dtype=float32,world_size=8");
  EXPECT_EQ(FileNameOf("x[shard=1/4]"), "x-shard=1_4");
  EXPECT_EQ(FileNameOf("../.."), "_.._..");
  EXPECT_EQ(FileNameOf(""), "_");
  EXPECT_LE(FileNameOf(std::string(5000, 'x')).size(), 200U);
}

TEST(Workspace, TheTemporaryFolderGoesAndNamesAreNotGivenTwice) {
  testing::TempDir dir;
  RunOptions options;
  options.out = dir.path() / "out";
  std::vector<std::string> notes;
  std::filesystem::path temp;
  {
    auto workspace = Workspace::Make(options, notes);
    ASSERT_TRUE(workspace.ok()) << workspace.status();
    temp = (*workspace)->temp();
    EXPECT_TRUE(std::filesystem::is_directory(temp));
    // Sockets in it have names of at most 107 bytes.
    EXPECT_LT(temp.native().size(), 60U);
    const auto first = (*workspace)->MakeStepFolder("a[x=1]");
    const auto second = (*workspace)->MakeStepFolder("a-x=1");
    ASSERT_TRUE(first.ok() && second.ok());
    EXPECT_NE(*first, *second);
    EXPECT_EQ(std::filesystem::file_size(options.out / ".reserve"), kReserveBytes);
    // A test may take away its own right to write.
    std::filesystem::create_directories(temp / "locked" / "deep");
    std::ofstream(temp / "locked" / "file") << "x";
    std::filesystem::permissions(temp / "locked", std::filesystem::perms::owner_read);
  }
  EXPECT_FALSE(std::filesystem::exists(temp));
  EXPECT_FALSE(std::filesystem::exists(options.out / ".reserve"));
}

TEST(Workspace, WhatAKilledRunLeftIsRemovedAndALivingOnesIsNot) {
  testing::TempDir dir;
  RunOptions options;
  options.out = dir.path() / "out";
  std::vector<std::string> notes;
  auto living = Workspace::Make(options, notes);
  ASSERT_TRUE(living.ok());
  std::string pattern = (std::filesystem::temp_directory_path() / "yard-run-XXXXXX").native();
  ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
  std::ofstream(pattern + "/lock") << "";
  options.out = dir.path() / "out2";
  notes.clear();
  auto workspace = Workspace::Make(options, notes);
  ASSERT_TRUE(workspace.ok());
  EXPECT_FALSE(std::filesystem::exists(pattern));
  EXPECT_TRUE(std::filesystem::exists((*living)->temp()));
}

TEST(LockFolder, ASecondRunWaitsUntilTheFirstIsDone) {
  testing::TempDir dir;
  const std::filesystem::path folder = dir.path() / "build";
  std::atomic<bool> cancel{false};
  std::vector<std::string> notes;
  const auto note = [&](std::string_view text) {
    notes.emplace_back(text);
    cancel = true;  // it would wait for ever
  };
  UniqueFd first = LockFolder(folder, cancel, note);
  ASSERT_TRUE(first.ok());
  EXPECT_FALSE(LockFolder(folder, cancel, note).ok());
  EXPECT_EQ(notes.size(), 1U);
  first.Reset();
  cancel = false;
  EXPECT_TRUE(LockFolder(folder, cancel, note).ok());
}

TEST(IsPlainFile, LinksPipesAndFoldersAreNone) {
  testing::TempDir dir;
  const std::filesystem::path file = dir.Write("file", "x");
  std::filesystem::create_symlink(file, dir.path() / "link");
  ASSERT_EQ(::mkfifo((dir.path() / "pipe").c_str(), 0600), 0);
  EXPECT_TRUE(IsPlainFile(file));
  for (const char* name : {"link", "pipe", "absent", "."}) EXPECT_FALSE(IsPlainFile(dir.path() / name)) << name;
}

TEST(FreeBytes, ADiskHasRoom) {
  testing::TempDir dir;
  EXPECT_GT(FreeBytes(dir.path()), 0U);
}

}  // namespace
}  // namespace yardmaster::worker
