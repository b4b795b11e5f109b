#include "clients/git/index_lock.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/temp_dir.h"

namespace yardmaster {
namespace {

namespace fs = std::filesystem;

class IndexLockTest : public ::testing::Test {
 protected:
  IndexLockTest() {
    fs::create_directory(dir_.path() / "own");
    Write(index_, "old");
  }
  static void Write(const fs::path& file, const std::string& text) { std::ofstream(file) << text; }
  static std::string Read(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  // What a process leaves that is killed while it holds the lock.
  void Kill(const char* own) const {
    Write(folder_ / own, "");
    fs::create_hard_link(folder_ / own, lock_);
  }

  const testing::TempDir dir_;
  const fs::path index_ = dir_.path() / "index";
  const fs::path lock_ = dir_.path() / "index.lock";
  const fs::path folder_ = dir_.path() / "own";
  const fs::path own_ = folder_ / "a";
};

TEST_F(IndexLockTest, IsHeldByOneAndGivenBack) {
  {
    const auto lock = IndexLock::Take(index_, own_);
    ASSERT_TRUE(lock.ok()) << lock.status();
    EXPECT_TRUE(fs::exists(lock_));
    EXPECT_TRUE(absl::IsAborted(IndexLock::Take(index_, folder_ / "b").status()));
    EXPECT_TRUE(fs::exists(lock_));
  }
  EXPECT_FALSE(fs::exists(lock_));
  EXPECT_TRUE(fs::is_empty(folder_));
  EXPECT_EQ(Read(index_), "old");
}

TEST_F(IndexLockTest, TheNewIndexIsInPlaceAtOnceAndTheLockIsBack) {
  const auto lock = IndexLock::Take(index_, own_);
  ASSERT_TRUE(lock.ok()) << lock.status();
  Write((*lock)->room(), "new");
  EXPECT_TRUE((*lock)->Replace().ok());
  EXPECT_EQ(Read(index_), "new");
  EXPECT_FALSE(fs::exists(lock_));
  EXPECT_TRUE(IndexLock::Take(index_, folder_ / "b").ok());
}

TEST_F(IndexLockTest, WithoutANewIndexTheOldOneStaysAndTheLockIsGivenBack) {
  {
    const auto lock = IndexLock::Take(index_, own_);
    ASSERT_TRUE(lock.ok()) << lock.status();
    EXPECT_TRUE(absl::IsInternal((*lock)->Replace()));
  }
  EXPECT_EQ(Read(index_), "old");
  EXPECT_FALSE(fs::exists(lock_));
}

TEST_F(IndexLockTest, OneOfAKilledProcessIsKnown) {
  for (const char* own : {"a.lock", "a.new"}) {
    Kill(own);
    RemoveKilledLock(index_, folder_);
    EXPECT_FALSE(fs::exists(lock_)) << own;
  }
  RemoveKilledLock(index_, folder_);
  EXPECT_EQ(Read(index_), "old");
}

TEST_F(IndexLockTest, AnotherGitsLockStays) {
  Write(folder_ / "a.lock", "");
  Write(lock_, "");
  RemoveKilledLock(index_, folder_);
  EXPECT_TRUE(fs::exists(lock_));
  RemoveKilledLock(index_, dir_.path() / "no-folder");
  EXPECT_TRUE(fs::exists(lock_));
  EXPECT_TRUE(absl::IsAborted(IndexLock::Take(index_, own_).status()));
  EXPECT_EQ(Read(lock_), "");
}

}  // namespace
}  // namespace yardmaster
