#include "services/worker/process/name_lock.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

using ::testing::HasSubstr;

class NameLockTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<NameLock>> Take(std::string_view name) {
    return NameLock::Take(folder_, name, holder_);
  }

  const testing::TempDir dir_;
  std::filesystem::path folder_ = dir_.path() / "locks";
  std::string holder_;
};

TEST_F(NameLockTest, ANameThatIsTakenSaysWhoHasIt) {
  const auto first = Take("device-0");
  ASSERT_TRUE(first.ok()) << first.status();
  ASSERT_NE(*first, nullptr);
  EXPECT_EQ(holder_, "");
  const auto second = Take("device-0");
  ASSERT_TRUE(second.ok()) << second.status();
  EXPECT_EQ(*second, nullptr);
  EXPECT_EQ(holder_, std::to_string(::getpid()));
  const auto other = Take("device-1");
  ASSERT_TRUE(other.ok()) << other.status();
  EXPECT_NE(*other, nullptr);
  EXPECT_EQ(holder_, "");
}

TEST_F(NameLockTest, WhatIsGivenBackCanBeHadAgainAndNothingIsLeft) {
  for (int i = 0; i < 2; ++i) {
    const auto lock = Take("a");
    ASSERT_TRUE(lock.ok()) << lock.status();
    EXPECT_NE(*lock, nullptr);
    const auto beside = Take("b");
    EXPECT_TRUE(beside.ok());
  }
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(NameLockTest, ANameWhoseHolderWasKilledIsFree) {
  const pid_t child = ::fork();
  if (child == 0) {
    const auto lock = Take("a");
    // Without destructors, as when it is killed.
    ::_exit(lock.ok() && *lock != nullptr ? 0 : 1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  EXPECT_TRUE(std::filesystem::exists(folder_ / "a"));
  const auto lock = Take("a");
  ASSERT_TRUE(lock.ok()) << lock.status();
  EXPECT_NE(*lock, nullptr);
}

TEST_F(NameLockTest, OfManyAtTheSameTimeOneHasIt) {
  std::vector<std::thread> threads;
  std::atomic<int> inside{0};
  std::atomic<int> times{0};
  constexpr int kThreads = 8;
  threads.reserve(kThreads);
  for (int i = 0; i < kThreads; ++i) {
    threads.emplace_back([&] {
      for (int done = 0; done < 50;) {
        std::string holder;
        const auto lock = NameLock::Take(folder_, "a", holder);
        ASSERT_TRUE(lock.ok()) << lock.status();
        if (*lock == nullptr) {
          std::this_thread::yield();
          continue;
        }
        EXPECT_EQ(inside.fetch_add(1), 0);
        ++times;
        ++done;
        inside.fetch_sub(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(times, 400);
  EXPECT_FALSE(std::filesystem::exists(folder_));
}

TEST_F(NameLockTest, AFolderThatIsNotOursIsRefused) {
  const std::filesystem::path elsewhere = dir_.path() / "elsewhere";
  std::filesystem::create_directory(elsewhere);
  std::filesystem::create_directory_symlink(elsewhere, folder_);
  const auto through_link = Take("a");
  EXPECT_EQ(through_link.status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(through_link.status().message()), HasSubstr("belongs to another user"));
  EXPECT_TRUE(std::filesystem::is_empty(elsewhere));

  std::filesystem::remove(folder_);
  if (::geteuid() == 0) {
    std::filesystem::create_directory(folder_);
    ASSERT_EQ(::chown(folder_.c_str(), 1, ::getegid()), 0);
  } else {
    // Only root can give folders away, but root has some.
    folder_ = "/usr";
  }
  EXPECT_EQ(Take("a").status().code(), absl::StatusCode::kFailedPrecondition);
}

TEST_F(NameLockTest, ALinkInPlaceOfTheFileIsNotFollowed) {
  std::filesystem::create_directory(folder_);
  const std::filesystem::path outside = dir_.Write("outside", "precious");
  std::filesystem::create_symlink(outside, folder_ / "a");
  EXPECT_EQ(Take("a").status().code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(std::filesystem::file_size(outside), 8U);
}

}  // namespace
}  // namespace yardmaster::worker
