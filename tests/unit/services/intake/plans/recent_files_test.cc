#include "services/intake/plans/recent_files.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "tests/support/fake_clock.h"

namespace yardmaster {
namespace {

using Text = RecentFiles::Text;

class RecentFilesTest : public ::testing::Test {
 protected:
  // What the forge says now, counted.
  Text Get(const std::string& repository = "octo/repo", const std::string& path = "file", const std::string& ref = "") {
    const absl::StatusOr<Text> text = files_.Get("github", repository, path, ref, [this]() -> absl::StatusOr<Text> {
      ++reads_;
      if (during_ != nullptr) during_();
      return text_;
    });
    EXPECT_TRUE(text.ok());
    return text.ok() ? *text : std::nullopt;
  }

  testing::FakeClock clock_;
  RecentFiles files_{clock_};
  Text text_ = "one";
  int reads_ = 0;
  std::function<void()> during_;
};

TEST_F(RecentFilesTest, AFileIsReadOnceInAMinute) {
  EXPECT_EQ(Get(), "one");
  text_ = "two";
  clock_.Advance(RecentFiles::kKept - std::chrono::seconds(1));
  EXPECT_EQ(Get(), "one");
  EXPECT_EQ(Get("Octo/Repo"), "one") << "forges compare names without case";
  EXPECT_EQ(reads_, 1);
  clock_.Advance(std::chrono::seconds(1));
  EXPECT_EQ(Get(), "two");
  EXPECT_EQ(reads_, 2);
}

TEST_F(RecentFilesTest, AFileThatIsNotThereIsKnownToBeMissing) {
  text_ = std::nullopt;
  EXPECT_EQ(Get(), std::nullopt);
  text_ = "new";
  EXPECT_EQ(Get(), std::nullopt);
  EXPECT_EQ(reads_, 1);
}

TEST_F(RecentFilesTest, EveryRepositoryPathAndBranchIsAFileOfItsOwn) {
  Get();
  Get("octo/other");
  Get("octo/repo", "other");
  Get("octo/repo", "file", "r2.6");
  EXPECT_EQ(reads_, 4);
}

TEST_F(RecentFilesTest, APushIsSeenAtOnceAndOnlyInItsRepository) {
  Get();
  Get("octo/repo2");
  text_ = "two";
  files_.Forget("github", "Octo/repo");
  EXPECT_EQ(Get(), "two");
  EXPECT_EQ(Get("octo/repo2"), "one");
  files_.Forget("gitcode", "octo/repo2");
  EXPECT_EQ(Get("octo/repo2"), "one");
}

TEST_F(RecentFilesTest, WhatIsReadDuringAPushIsNotKept) {
  during_ = [this] { files_.Forget("github", "octo/repo"); };
  EXPECT_EQ(Get(), "one");
  during_ = nullptr;
  text_ = "two";
  EXPECT_EQ(Get(), "two");
}

TEST_F(RecentFilesTest, AnErrorIsNotKept) {
  const absl::StatusOr<Text> failed = files_.Get("github", "octo/repo", "file", "", []() -> absl::StatusOr<Text> {
    return absl::UnavailableError("the forge is unwell");
  });
  EXPECT_FALSE(failed.ok());
  EXPECT_EQ(Get(), "one");
}

TEST_F(RecentFilesTest, ManyAndLongFilesTakeLittleRoom) {
  text_ = std::string(2 * RecentFiles::kMaxBytes, 'x');
  ASSERT_TRUE(Get().has_value());
  EXPECT_EQ(Get()->size(), RecentFiles::kMaxBytes);
  for (size_t i = 0; i < RecentFiles::kMaxFiles; ++i) {
    clock_.Advance(std::chrono::milliseconds(1));
    Get("octo/r" + std::to_string(i));
  }
  const int before = reads_;
  Get("octo/r" + std::to_string(RecentFiles::kMaxFiles - 1));
  EXPECT_EQ(reads_, before) << "the latest is kept";
  Get();
  EXPECT_EQ(reads_, before + 1) << "the oldest had to go";
}

}  // namespace
}  // namespace yardmaster
