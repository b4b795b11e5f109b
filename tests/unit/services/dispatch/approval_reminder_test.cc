#include "services/dispatch/approval_reminder.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/unit/services/intake/job_world.h"

namespace yardmaster::dispatch {
namespace {

using std::chrono::hours;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

TEST(ApprovalReminder, ForkAndTimes) {
  ForgePull pull;
  pull.head_repository = "alice/repo";
  EXPECT_TRUE(ComesFromFork(pull, "octo/repo"));
  pull.head_repository = "Octo/Repo";
  EXPECT_FALSE(ComesFromFork(pull, "octo/repo"));
  pull.head_repository.clear();
  EXPECT_FALSE(ComesFromFork(pull, "octo/repo"));
  EXPECT_EQ(*ForgeTime("2025-06-10T10:00:00Z"), *ForgeTime("2025-06-10T18:00:00+08:00"));
  EXPECT_FALSE(ForgeTime("yesterday").has_value());
  EXPECT_FALSE(ForgeTime("").has_value());
}

TEST(ApprovalReminder, OnlyTheApprovalOfThisHeadCounts) {
  v1::Action approval;
  approval.mutable_approve_tests()->set_head("a1");
  EXPECT_TRUE(IsApproved({approval}, "a1"));
  EXPECT_FALSE(IsApproved({approval}, "b2"));
  EXPECT_FALSE(IsApproved({}, "a1"));
}

TEST(ApprovalReminder, ACommitsDateCountsWithinWhatWasSeen) {
  const auto opened = *ForgeTime("2025-06-10T10:00:00Z");
  store::SeenHead seen;
  seen.not_after = opened + hours(48);
  EXPECT_EQ(HeadSince(opened, std::nullopt, seen), opened);
  EXPECT_EQ(HeadSince(opened, opened + hours(5), seen), opened + hours(5));
  EXPECT_EQ(HeadSince(opened, opened - hours(500), seen), opened);
  EXPECT_EQ(HeadSince(opened, opened + hours(500), seen), seen.not_after) << "a date of the future delays nothing";
  seen.not_before = opened + hours(40);
  EXPECT_EQ(HeadSince(opened, opened + hours(5), seen), opened + hours(40)) << "it had another head then";
}

class RemindTest : public ::testing::Test {
 protected:
  RemindTest() {
    ForgePull& pull = world_.OpenPull(7, "a1");
    pull.head_repository = "alice/repo";
    pull.created_at = "2024-04-01T00:00:00Z";
  }
  std::string Remind() {
    const absl::StatusOr<std::string> said = world_.RunJob(RemindOfApprovals);
    EXPECT_TRUE(said.ok()) << said.status();
    return said.value_or("");
  }
  void Approve(const std::string& head) {
    store::NewEffect effect;
    effect.key = "approve-" + head;
    effect.subject.set_forge("github");
    effect.subject.set_repository(testing::kRepository);
    effect.subject.set_number(7);
    effect.subject.set_kind(v1::SUBJECT_KIND_PULL_REQUEST);
    effect.kind = "approve_tests";
    effect.action.mutable_approve_tests()->set_head(head);
    const auto intent = world_.store_->ledger().Intent(effect);
    ASSERT_TRUE(intent.ok()) << intent.status();
    EXPECT_TRUE(world_.store_->ledger().MarkConfirmed(intent->id, "noted").ok());
  }

  testing::JobWorld world_;
};

TEST_F(RemindTest, AHeadWaitsUntilItsOwnApproval) {
  EXPECT_THAT(Remind(), HasSubstr("1 open, 1 waiting"));
  Approve("0ld");
  EXPECT_THAT(Remind(), HasSubstr("1 open, 1 waiting"));
  Approve("a1");
  EXPECT_THAT(Remind(), HasSubstr("1 open, 0 waiting"));
  EXPECT_THAT(world_.Waiting(), SizeIs(1)) << "it was said once";
}

TEST_F(RemindTest, NothingWaitsWhereNoApprovalIsAskedFor) {
  for (const ForkPolicy policy : {ForkPolicy::kAlways, ForkPolicy::kNever}) {
    world_.config_.dispatch.fork_policy = policy;
    EXPECT_THAT(Remind(), HasSubstr("dispatch.fork_policy"));
  }
  EXPECT_THAT(world_.Waiting(), IsEmpty());
}

}  // namespace
}  // namespace yardmaster::dispatch
