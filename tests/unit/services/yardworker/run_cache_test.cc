#include "services/yardworker/run_cache.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <string>

#include "services/worker/process/unique_fd.h"
#include "tests/support/temp_dir.h"

namespace yardmaster::yardworker {
namespace {

namespace fs = std::filesystem;
constexpr uint64_t kMib = 1024 * 1024;

class RunCacheTest : public ::testing::Test {
 protected:
  // A repository of one MiB, last used so many seconds after the epoch.
  void Repository(const std::string& name, time_t used) {
    dir_.Write("git/" + name + "/objects", std::string(kMib, 'x'));
    const fs::path lock = dir_.Write("git/" + name + "/yard.lock", "");
    const timespec times[2] = {{used, 0}, {used, 0}};
    ASSERT_EQ(::utimensat(AT_FDCWD, lock.c_str(), times, 0), 0);
  }
  bool Has(const std::string& name) const { return fs::exists(dir_.path() / "git" / name); }

  testing::TempDir dir_;
};

TEST_F(RunCacheTest, WhatWasNotUsedForLongestGoesFirst) {
  Repository("old", 1'000);
  Repository("older", 500);
  Repository("new", 2'000);
  RunCache(dir_.path(), 2 * kMib + kMib / 2).Trim();
  EXPECT_FALSE(Has("older"));
  EXPECT_TRUE(Has("old"));
  EXPECT_TRUE(Has("new"));
}

TEST_F(RunCacheTest, WhatIsFetchedIntoStays) {
  Repository("old", 1'000);
  Repository("new", 2'000);
  const worker::UniqueFd lock(::open((dir_.path() / "git/old/yard.lock").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  RunCache(dir_.path(), kMib / 2).Trim();
  EXPECT_TRUE(Has("old"));
  EXPECT_FALSE(Has("new"));
}

TEST_F(RunCacheTest, GivesUpAllForARunThatNeedsTheRoom) {
  Repository("old", 1'000);
  RunCache(dir_.path(), 100 * kMib).MakeRoom(1);
  EXPECT_TRUE(Has("old"));
  RunCache(dir_.path(), 100 * kMib).MakeRoom(uint64_t{1} << 60U);
  EXPECT_FALSE(Has("old"));
}

TEST_F(RunCacheTest, WithoutABudgetNothingIsKept) {
  const RunCache none(dir_.path() / "none", 0);
  none.Prepare();
  EXPECT_FALSE(fs::exists(dir_.path() / "none"));
  EXPECT_TRUE(none.VariablesFor("/run").empty());
}

}  // namespace
}  // namespace yardmaster::yardworker
