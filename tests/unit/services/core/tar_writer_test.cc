#include "services/core/tar_writer.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <string>

#include "tests/support/process.h"
#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;

std::string Archive() {
  std::string out;
  TarWriter tar([&out](std::string_view piece) { out += piece; });
  tar.BeginFile("a.txt", 5, false);
  tar.Data("he");
  tar.Data("llo");
  tar.BeginFile("empty", 0, false);
  tar.BeginFile("dir/" + std::string(200, 'n') + "/run.sh", 512, true);
  tar.Data(std::string(512, 'x'));
  tar.AddLink("dir/link", "../a.txt");
  tar.AddLink("far", std::string(150, 'f'));
  tar.Finish();
  return out;
}

TEST(TarWriterTest, WhatIsWrittenIsUnpackedByTar) {
  testing::TempDir dir;
  dir.Write("tree.tar", Archive());
  fs::create_directories(dir.path() / "out");
  testing::Process tar({"tar", "-x", "-f", (dir.path() / "tree.tar").string(), "-C", (dir.path() / "out").string()});
  ASSERT_EQ(tar.Wait(std::chrono::seconds(20)), 0) << tar.Stderr();
  EXPECT_EQ(tar.Stderr(), "");
  const fs::path out = dir.path() / "out";
  EXPECT_EQ(testing::ReadWholeFile((out / "a.txt").string()), "hello");
  EXPECT_EQ(fs::file_size(out / "empty"), 0U);
  const fs::path script = out / "dir" / std::string(200, 'n') / "run.sh";
  EXPECT_EQ(testing::ReadWholeFile(script.string()), std::string(512, 'x'));
  EXPECT_NE(fs::status(script).permissions() & fs::perms::owner_exec, fs::perms::none);
  EXPECT_EQ(fs::status(out / "a.txt").permissions() & fs::perms::owner_exec, fs::perms::none);
  EXPECT_EQ(fs::read_symlink(out / "dir/link"), "../a.txt");
  EXPECT_EQ(fs::read_symlink(out / "far").string().size(), 150U);
}

TEST(TarWriterTest, TheSameFilesGiveTheSameBytes) { EXPECT_EQ(Archive(), Archive()); }

}  // namespace
}  // namespace yardmaster
