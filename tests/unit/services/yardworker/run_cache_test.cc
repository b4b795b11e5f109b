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
constexpr const char* kOrigin = "repository github:o/r";

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
  RunCache(dir_.path(), 2 * kMib + kMib / 2, kOrigin).Trim();
  EXPECT_FALSE(Has("older"));
  EXPECT_TRUE(Has("old"));
  EXPECT_TRUE(Has("new"));
}

TEST_F(RunCacheTest, WhatIsFetchedIntoStays) {
  Repository("old", 1'000);
  Repository("new", 2'000);
  const worker::UniqueFd lock(::open((dir_.path() / "git/old/yard.lock").c_str(), O_RDWR | O_CLOEXEC));
  ASSERT_EQ(::flock(lock.get(), LOCK_EX), 0);
  RunCache(dir_.path(), kMib / 2, kOrigin).Trim();
  EXPECT_TRUE(Has("old"));
  EXPECT_FALSE(Has("new"));
}

TEST_F(RunCacheTest, GivesUpAllForARunThatNeedsTheRoom) {
  Repository("old", 1'000);
  RunCache(dir_.path(), 100 * kMib, kOrigin).MakeRoom(1);
  EXPECT_TRUE(Has("old"));
  RunCache(dir_.path(), 100 * kMib, kOrigin).MakeRoom(uint64_t{1} << 60U);
  EXPECT_FALSE(Has("old"));
}

TEST_F(RunCacheTest, WhatOneOriginHasCompiledNoOtherOneFinds) {
  const RunCache ours(dir_.path(), 100 * kMib, kOrigin);
  const RunCache again(dir_.path(), 100 * kMib, kOrigin);
  const RunCache other(dir_.path(), 100 * kMib, "repository github:o/s");
  EXPECT_EQ(ours.ccache(), again.ccache());
  EXPECT_NE(ours.ccache(), other.ccache());
  ours.Prepare();
  EXPECT_TRUE(fs::exists(ours.ccache()));
  EXPECT_FALSE(fs::exists(other.ccache())) << "a run has only its own";
  const auto variables = ours.VariablesFor("/run");
  if (!variables.empty()) {
    EXPECT_EQ(variables.at("CCACHE_DIR"), ours.ccache());
  }
}

TEST_F(RunCacheTest, WhatWasCompiledGoesByOriginAndTheOldestFirst) {
  const RunCache older(dir_.path(), kMib + kMib / 2, "older");
  const RunCache newer(dir_.path(), kMib + kMib / 2, "newer");
  for (const RunCache* cache : {&newer, &older}) {
    cache->Prepare();
    dir_.Write((fs::relative(cache->ccache(), dir_.path()) / "object").string(), std::string(kMib, 'x'));
  }
  const timespec long_ago[2] = {{1'000, 0}, {1'000, 0}};
  for (const RunCache* cache : {&newer, &older}) {
    ASSERT_EQ(::utimensat(AT_FDCWD, cache->ccache().c_str(), long_ago, 0), 0);
  }
  newer.Prepare();  // a run uses it
  newer.Trim();
  EXPECT_TRUE(fs::exists(newer.ccache() / "object"));
  EXPECT_FALSE(fs::exists(older.ccache()));
}

TEST_F(RunCacheTest, WithoutABudgetNothingIsKept) {
  const RunCache none(dir_.path() / "none", 0, kOrigin);
  none.Prepare();
  EXPECT_FALSE(fs::exists(dir_.path() / "none"));
  EXPECT_TRUE(none.VariablesFor("/run").empty());
}

}  // namespace
}  // namespace yardmaster::yardworker
