#include "clients/cli/files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class FilesTest : public ::testing::Test {
 protected:
  FilesTest() : dir_(fs::temp_directory_path() / ("yard-files-" + std::to_string(getpid()))) {
    fs::create_directories(dir_);
  }
  ~FilesTest() override { fs::remove_all(dir_); }

  std::string Path(const std::string& name) const { return (dir_ / name).string(); }
  static std::string Content(const std::string& path) {
    std::ifstream in(path);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  size_t FilesInFolder() const {
    return static_cast<size_t>(std::distance(fs::directory_iterator(dir_), fs::directory_iterator()));
  }

  fs::path dir_;
  Environment env_;
};

TEST_F(FilesTest, OutputAppearsOnlyWithCommit) {
  const std::string path = Path("out");
  {
    const auto file = OutputFile::Create(path, env_);
    ASSERT_TRUE(file.ok()) << file.status();
    (*file)->stream() << "lost";
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_EQ(FilesInFolder(), 0u);
  const auto file = OutputFile::Create(path, env_);
  (*file)->stream() << "kept";
  ASSERT_EQ((*file)->Commit(), absl::OkStatus());
  EXPECT_EQ(Content(path), "kept");
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(FilesTest, WithoutCommitTheOldFileStays) {
  const std::string path = Path("out");
  std::ofstream(path) << "old";
  {
    const auto file = OutputFile::Create(path, env_);
    (*file)->stream() << "new";
  }
  EXPECT_EQ(Content(path), "old");
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(FilesTest, ThroughALinkTheFileBehindItIsReplaced) {
  std::ofstream(Path("real")) << "old";
  fs::create_symlink(Path("real"), Path("link"));
  const auto file = OutputFile::Create(Path("link"), env_);
  (*file)->stream() << "new";
  ASSERT_EQ((*file)->Commit(), absl::OkStatus());
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Content(Path("real")), "new");
}

TEST_F(FilesTest, AFileThatIsReplacedKeepsItsPermissions) {
  std::ofstream(Path("run")) << "old";
  fs::permissions(Path("run"), fs::perms::owner_all | fs::perms::group_exec);
  const auto file = OutputFile::Create(Path("run"), env_);
  (*file)->stream() << "new";
  ASSERT_EQ((*file)->Commit(), absl::OkStatus());
  EXPECT_EQ(fs::status(Path("run")).permissions(), fs::perms::owner_all | fs::perms::group_exec);
}

TEST_F(FilesTest, DevicesAreWrittenDirectly) {
  const auto file = OutputFile::Create("/dev/null", env_);
  ASSERT_TRUE(file.ok()) << file.status();
  (*file)->stream() << "gone";
  EXPECT_EQ((*file)->Commit(), absl::OkStatus());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FilesTest, WhatCantBeReadOrWrittenSaysWhy) {
  const auto no_folder = OutputFile::Create(Path("no/such/folder"), env_);
  EXPECT_THAT(std::string(no_folder.status().message()), HasSubstr("No such file"));
  const auto a_folder = OutputFile::Create(dir_.string(), env_);
  EXPECT_THAT(std::string(a_folder.status().message()), HasSubstr("folder"));
  const auto missing = InputFile::Open(Path("missing"), env_);
  EXPECT_THAT(std::string(missing.status().message()), HasSubstr("missing"));
  EXPECT_FALSE(InputFile::Open(dir_.string(), env_).ok());
}

TEST_F(FilesTest, InputIsReadUpToItsLimit) {
  std::ofstream(Path("in")) << std::string(100'000, 'x');
  EXPECT_EQ(ReadInputFile(Path("in"), env_, 100'000)->size(), 100'000u);
  const auto too_large = ReadInputFile(Path("in"), env_, 99'999);
  EXPECT_THAT(std::string(too_large.status().message()), HasSubstr("99999"));
}

TEST_F(FilesTest, ADashIsStdin) {
  std::istringstream in("text");
  env_.in = &in;
  const auto input = InputFile::Open("-", env_);
  EXPECT_EQ(*(*input)->ReadAll(10), "text");
  EXPECT_EQ((*input)->name(), "<stdin>");
}

}  // namespace
}  // namespace yardmaster::cli
