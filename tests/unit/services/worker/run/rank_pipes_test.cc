#include "services/worker/run/rank_pipes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <mutex>
#include <string>

#include "tests/support/temp_dir.h"

namespace yardmaster::worker {
namespace {

TEST(RankPipes, WhatEachRankWritesComesWithItsRankAndStream) {
  testing::TempDir dir;
  std::mutex mutex;
  std::map<std::pair<int, Stream>, std::string> got;
  {
    auto pipes = RankPipes::Open(dir.path(), 3, [&](int rank, Stream stream, std::string_view bytes) {
      const std::lock_guard lock(mutex);
      got[{rank, stream}] += bytes;
    });
    ASSERT_TRUE(pipes.ok()) << pipes.status();
    std::ofstream(dir.path() / "rank.0.out") << "zero\n";
    std::ofstream(dir.path() / "rank.2.err") << "two\n";
    std::ofstream(dir.path() / "rank.2.err") << std::string(300'000, 'x');
    std::ofstream(dir.path() / "rank.0.out") << "again";
  }
  EXPECT_EQ((got[{0, Stream::kStdout}]), "zero\nagain");
  EXPECT_EQ((got[{2, Stream::kStderr}]), "two\n" + std::string(300'000, 'x'));
  EXPECT_EQ(got.size(), 2U);
}

TEST(RankPipes, AFolderThatIsNotThereIsAnError) {
  EXPECT_FALSE(RankPipes::Open("/no/such/folder", 1, [](int, Stream, std::string_view) {}).ok());
}

}  // namespace
}  // namespace yardmaster::worker
