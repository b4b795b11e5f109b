#include "services/dispatch/approval_reminder.h"

#include <gtest/gtest.h>

namespace yardmaster::dispatch {
namespace {

using std::chrono::hours;

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

TEST(ApprovalReminder, OnlyWhatWasSaidAfterTheHeadLetsItBeTested) {
  const auto head = *ForgeTime("2025-06-10T10:00:00Z");
  store::StoredCommand command;
  command.command = "ok_to_test";
  command.outcome = "done";
  command.seen_at = head - hours(1);
  EXPECT_FALSE(IsApproved({command}, head));
  command.seen_at = head + hours(1);
  EXPECT_TRUE(IsApproved({command}, head));
  command.outcome = "refused: eve";
  EXPECT_FALSE(IsApproved({command}, head));
  command.outcome = "done";
  command.command = "test";
  EXPECT_FALSE(IsApproved({command}, head));
  EXPECT_FALSE(IsApproved({}, head));
}

}  // namespace
}  // namespace yardmaster::dispatch
