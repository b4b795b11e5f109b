#include "clients/cli/files.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace yardmaster::cli {
namespace {

namespace fs = std::filesystem;

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
  std::string error_;
};

TEST_F(FilesTest, OutputAppearsOnlyWithCommit) {
  const std::string path = Path("out");
  {
    const auto file = OutputFile::Create(path, env_, error_);
    ASSERT_NE(file, nullptr) << error_;
    file->stream() << "lost";
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_EQ(FilesInFolder(), 0u);
  const auto file = OutputFile::Create(path, env_, error_);
  file->stream() << "kept";
  ASSERT_TRUE(file->Commit(error_)) << error_;
  EXPECT_EQ(Content(path), "kept");
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(FilesTest, WithoutCommitTheOldFileStays) {
  const std::string path = Path("out");
  std::ofstream(path) << "old";
  {
    const auto file = OutputFile::Create(path, env_, error_);
    file->stream() << "new";
  }
  EXPECT_EQ(Content(path), "old");
  EXPECT_EQ(FilesInFolder(), 1u);
}

TEST_F(FilesTest, ThroughALinkTheFileBehindItIsReplaced) {
  std::ofstream(Path("real")) << "old";
  fs::create_symlink(Path("real"), Path("link"));
  const auto file = OutputFile::Create(Path("link"), env_, error_);
  file->stream() << "new";
  ASSERT_TRUE(file->Commit(error_));
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(Content(Path("real")), "new");
}

TEST_F(FilesTest, AFileThatIsReplacedKeepsItsPermissions) {
  std::ofstream(Path("run")) << "old";
  fs::permissions(Path("run"), fs::perms::owner_all | fs::perms::group_exec);
  const auto file = OutputFile::Create(Path("run"), env_, error_);
  file->stream() << "new";
  ASSERT_TRUE(file->Commit(error_));
  EXPECT_EQ(fs::status(Path("run")).permissions(), fs::perms::owner_all | fs::perms::group_exec);
}

TEST_F(FilesTest, DevicesAreWrittenDirectly) {
  const auto file = OutputFile::Create("/dev/null", env_, error_);
  ASSERT_NE(file, nullptr) << error_;
  file->stream() << "gone";
  EXPECT_TRUE(file->Commit(error_)) << error_;
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(FilesTest, WhatCantBeReadOrWrittenSaysWhy) {
  EXPECT_EQ(OutputFile::Create(Path("no/such/folder"), env_, error_), nullptr);
  EXPECT_NE(error_.find("No such file"), std::string::npos) << error_;
  EXPECT_EQ(OutputFile::Create(dir_.string(), env_, error_), nullptr);
  EXPECT_NE(error_.find("folder"), std::string::npos) << error_;
  EXPECT_EQ(InputFile::Open(Path("missing"), env_, error_), nullptr);
  EXPECT_NE(error_.find("missing"), std::string::npos) << error_;
  EXPECT_EQ(InputFile::Open(dir_.string(), env_, error_), nullptr);
}

TEST_F(FilesTest, InputIsReadUpToItsLimit) {
  std::ofstream(Path("in")) << std::string(100'000, 'x');
  const auto input = InputFile::Open(Path("in"), env_, error_);
  EXPECT_EQ(input->ReadAll(100'000, error_)->size(), 100'000u);
  const auto again = InputFile::Open(Path("in"), env_, error_);
  EXPECT_FALSE(again->ReadAll(99'999, error_).has_value());
  EXPECT_NE(error_.find("99999"), std::string::npos) << error_;
}

TEST_F(FilesTest, ADashIsStdin) {
  std::istringstream in("text");
  env_.in = &in;
  const auto input = InputFile::Open("-", env_, error_);
  EXPECT_EQ(*input->ReadAll(10, error_), "text");
  EXPECT_EQ(input->name(), "<stdin>");
}

}  // namespace
}  // namespace yardmaster::cli
