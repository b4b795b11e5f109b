#include "services/core/files.h"

#include <gtest/gtest.h>

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

TEST(WriteFileAtomically, AMissingFolderIsAnError) {
  testing::TempDir dir;
  const absl::Status status = WriteFileAtomically(dir.path() / "no/file", "x");
  EXPECT_FALSE(status.ok());
  EXPECT_NE(status.message().find("no/file"), absl::string_view::npos);
}

}  // namespace
}  // namespace yardmaster
