#include "services/review/stale_job.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "tests/unit/services/intake/job_world.h"

namespace yardmaster {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class StaleJobTest : public ::testing::Test {
 protected:
  StaleJobTest() { world_.config_.repositories.front().review.events = true; }
  std::string Renew() {
    const absl::StatusOr<std::string> said = world_.RunJob(RenewReviews);
    EXPECT_TRUE(said.ok()) << said.status();
    return said.value_or("");
  }

  testing::JobWorld world_;
};

TEST_F(StaleJobTest, AReviewThatFailedIsAskedForAgainSoOften) {
  world_.OpenPull(7, "a1");
  EXPECT_THAT(Renew(), HasSubstr("1 stale, 1 handed over"));
  EXPECT_THAT(Renew(), HasSubstr("1 stale, 0 handed over")) << "it is under way";
  std::set<std::string> asked;
  for (int i = 1; i < 10; ++i) {
    asked.insert(world_.Waiting().at(0));
    ASSERT_EQ(world_.FailAll(), 1U);
    EXPECT_THAT(Renew(), HasSubstr("1 stale, 1 handed over")) << i;
  }
  EXPECT_THAT(asked, SizeIs(9)) << "each is a request of its own";
  EXPECT_EQ(world_.FailAll(), 1U);
  EXPECT_THAT(Renew(), HasSubstr("1 stale, 0 handed over")) << "ten times are enough";
  world_.OpenPull(7, "b2");
  EXPECT_THAT(Renew(), HasSubstr("1 stale, 1 handed over")) << "another head begins anew";
}

TEST_F(StaleJobTest, AReviewThatEndedWellIsNotAskedForAgain) {
  world_.OpenPull(7, "a1");
  Renew();
  const auto claimed = world_.store_->inbox().Claim(1);
  ASSERT_TRUE(claimed.ok() && claimed->size() == 1);
  EXPECT_TRUE(world_.store_->inbox().MarkDone(claimed->front().id).ok());
  EXPECT_THAT(Renew(), HasSubstr("1 stale, 0 handed over"));
}

TEST_F(StaleJobTest, ManyThatFailDontBlockThoseBehindThem) {
  for (int i = 1; i <= 60; ++i) world_.OpenPull(i, "head" + std::to_string(i));
  EXPECT_THAT(Renew(), HasSubstr("60 stale, 50 handed over"));
  EXPECT_EQ(world_.FailAll(), 50U);
  EXPECT_THAT(Renew(), HasSubstr("60 stale, 50 handed over"));
  std::set<int64_t> numbers;
  const auto claimed = world_.store_->inbox().Claim(500);
  ASSERT_TRUE(claimed.ok());
  for (const store::Delivery& one : *claimed) numbers.insert(one.subject.number());
  for (int i = 51; i <= 60; ++i) EXPECT_TRUE(numbers.contains(i)) << i;
}

}  // namespace
}  // namespace yardmaster
