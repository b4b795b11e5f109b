#include "services/review/check_history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "services/review/publish.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;

v1::Action Ended(std::string_view head, int64_t attempt) {
  return EndReviewCheck(head, attempt, v1::ReportCheck::CONCLUSION_NEUTRAL, "done");
}

TEST(CheckHistory, AHeadThatWasNeverCheckedBeginsWithTheFirstAttempt) {
  const CheckHistory checks({});
  EXPECT_EQ(checks.NextAttempt("a"), 0);
  EXPECT_THAT(checks.Unfinished(), IsEmpty());
}

TEST(CheckHistory, WhatWasBegunGoesOnUntilItHasAConclusion) {
  EXPECT_EQ(CheckHistory({BeginReviewCheck("a", 0)}).NextAttempt("a"), 0);
  // In whatever order they are told.
  EXPECT_EQ(CheckHistory({Ended("a", 0), BeginReviewCheck("a", 0)}).NextAttempt("a"), 1);
  EXPECT_EQ(CheckHistory({BeginReviewCheck("a", 0), Ended("a", 0)}).NextAttempt("a"), 1);
  EXPECT_EQ(CheckHistory({BeginReviewCheck("a", 1), Ended("a", 0), BeginReviewCheck("a", 0)}).NextAttempt("a"), 1);
}

TEST(CheckHistory, UnfinishedChecksAreToldByHead) {
  const CheckHistory checks(
      {BeginReviewCheck("b", 0), Ended("a", 0), BeginReviewCheck("a", 0), BeginReviewCheck("c", 1), Ended("c", 0)});
  EXPECT_THAT(checks.Unfinished(), ElementsAre(Pair("b", 0), Pair("c", 1)));
}

}  // namespace
}  // namespace yardmaster
