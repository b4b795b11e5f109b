#include "services/core/files.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cerrno>
#include <csignal>

#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

TEST(ReadSmallFile, ReadsAWholeFileOfAtMostTheLimit) {
  testing::TempDir dir;
  const std::string content(40'000, 'x');
  const auto file = dir.Write("file", content);
  EXPECT_EQ(*ReadSmallFile(file, 40'000), content);
  EXPECT_EQ(ReadSmallFile(file, 39'999).status().code(), absl::StatusCode::kInvalidArgument);
}

TEST(ReadSmallFile, NamesTheReason) {
  testing::TempDir dir;
  EXPECT_NE(ReadSmallFile(dir.path() / "none", 10).status().message().find("No such file"), absl::string_view::npos);
  EXPECT_FALSE(ReadSmallFile(dir.path(), 10).ok());
}

TEST(ReadSmallFile, ADeviceWithoutEndIsStoppedAtTheLimit) { EXPECT_FALSE(ReadSmallFile("/dev/zero", 100'000).ok()); }

TEST(WriteFileAtomically, ReplacesAFileAndLeavesNothingElse) {
  testing::TempDir dir;
  const auto file = dir.Write("file", "old");
  ASSERT_TRUE(WriteFileAtomically(file, "new").ok());
  EXPECT_EQ(testing::ReadWholeFile(file), "new");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), std::filesystem::directory_iterator()), 1);
}

TEST(WriteFileAtomically, WantOfRoomIsTold) {
  testing::TempDir dir;
  const auto file = dir.Write("file", "old");
  // A limit of this process says so as a full disk does.
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit none{0, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
  const absl::Status status = WriteFileAtomically(file, "new");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  ::signal(SIGXFSZ, ignored);
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_EQ(testing::ReadWholeFile(file), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(dir.path()), std::filesystem::directory_iterator()), 1);
  EXPECT_EQ(CodeOfWriteError(ENOSPC), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(CodeOfWriteError(EACCES), absl::StatusCode::kInternal);
}

TEST(WriteFileAtomically, AMissingFolderIsAnError) {
  testing::TempDir dir;
  const absl::Status status = WriteFileAtomically(dir.path() / "no/file", "x");
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("no/file"), absl::string_view::npos);
}

}  // namespace
}  // namespace yardmaster
