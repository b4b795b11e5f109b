#include "services/dispatch/job_logs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/temp_dir.h"

namespace yardmaster::dispatch {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

class JobLogsTest : public ::testing::Test {
 protected:
  yardmaster::testing::TempDir dir_;
  JobLogs logs_{dir_.path(), 20};
};

TEST_F(JobLogsTest, PiecesThatComeAgainOrOverlapAreThereOnce) {
  EXPECT_EQ(*logs_.Append("j-1", 1, 0, "hello"), 5U);
  EXPECT_EQ(*logs_.Append("j-1", 1, 0, "hello"), 5U);
  EXPECT_EQ(*logs_.Append("j-1", 1, 3, "lo you"), 9U);
  EXPECT_EQ(*logs_.Append("j-1", 1, 2, ""), 9U);
  EXPECT_EQ(*logs_.Read("j-1", 1, 0), "hello you");
  EXPECT_EQ(*logs_.Read("j-1", 1, 6), "you");
  EXPECT_EQ(*logs_.Read("j-1", 1, 9), "");
  EXPECT_EQ(*logs_.Read("j-1", 1, 99), "");
}

TEST_F(JobLogsTest, EachRunHasItsOwn) {
  EXPECT_EQ(*logs_.Append("j-1", 1, 0, "one"), 3U);
  EXPECT_EQ(*logs_.Append("j-1", 2, 0, "two"), 3U);
  EXPECT_EQ(*logs_.Read("j-1", 2, 0), "two");
  EXPECT_EQ(*logs_.Read("j-2", 1, 0), "");
}

TEST_F(JobLogsTest, AHoleIsRefused) {
  EXPECT_EQ(logs_.Append("j-1", 1, 1, "x").status().code(), absl::StatusCode::kOutOfRange);
}

TEST_F(JobLogsTest, AFullLogSaysSoAndItsWorkerGoesOn) {
  EXPECT_EQ(*logs_.Append("j-1", 1, 0, "0123456789"), 10U);
  EXPECT_EQ(*logs_.Append("j-1", 1, 10, "abcdefghijklmno"), 25U);
  EXPECT_EQ(*logs_.Append("j-1", 1, 1'000, "more"), 1'004U);
  const std::string text = *logs_.Read("j-1", 1, 0);
  EXPECT_THAT(text, StartsWith("0123456789abcdefghij\n"));
  EXPECT_THAT(text, HasSubstr("the log is full: 20 bytes"));
}

TEST_F(JobLogsTest, LogsOfJobsThatAreOverAreRemoved) {
  ASSERT_TRUE(logs_.Append("j-1", 1, 0, "one").ok());
  ASSERT_TRUE(logs_.Append("j-2", 1, 0, "two").ok());
  logs_.Remove([](std::string_view job) { return job == "j-1"; });
  EXPECT_EQ(*logs_.Read("j-1", 1, 0), "");
  EXPECT_EQ(*logs_.Read("j-2", 1, 0), "two");
}

}  // namespace
}  // namespace yardmaster::dispatch
