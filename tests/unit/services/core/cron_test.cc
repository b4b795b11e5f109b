#include "services/core/cron.h"

#include <gtest/gtest.h>

namespace yardmaster {
namespace {

CronExpression Parsed(std::string_view text) {
  std::string error;
  const std::optional<CronExpression> cron = CronExpression::Parse(text, error);
  EXPECT_TRUE(cron.has_value()) << text << ": " << error;
  return cron.value_or(CronExpression());
}

std::string Error(std::string_view text) {
  std::string error;
  EXPECT_FALSE(CronExpression::Parse(text, error).has_value()) << text;
  return error;
}

TEST(CronExpression, ANightlyExpressionComesTrueOnceADay) {
  const CronExpression cron = Parsed("0 2 * * *");
  EXPECT_TRUE(cron.Matches(0, 2, 15, 6, 3));
  EXPECT_FALSE(cron.Matches(1, 2, 15, 6, 3));
  EXPECT_FALSE(cron.Matches(0, 3, 15, 6, 3));
}

TEST(CronExpression, StepsRangesListsAndNames) {
  const CronExpression cron = Parsed("*/15,7 8-18/5 1,15 jan-MAR mon-fri");
  EXPECT_TRUE(cron.Matches(45, 13, 1, 2, 0));
  EXPECT_TRUE(cron.Matches(7, 8, 2, 1, 5)) << "either day field is enough when both are restricted";
  EXPECT_FALSE(cron.Matches(7, 8, 2, 1, 6));
  EXPECT_FALSE(cron.Matches(44, 13, 1, 2, 1));
  EXPECT_FALSE(cron.Matches(45, 14, 1, 2, 1));
  EXPECT_FALSE(cron.Matches(45, 13, 1, 4, 1));
  EXPECT_TRUE(Parsed("5/20 * * * *").Matches(45, 0, 1, 1, 0));
}

TEST(CronExpression, SundayIsZeroAndSeven) {
  EXPECT_TRUE(Parsed("0 0 * * 0").Matches(0, 0, 3, 3, 0));
  EXPECT_TRUE(Parsed("0 0 * * 7").Matches(0, 0, 3, 3, 0));
  EXPECT_TRUE(Parsed("0 0 * * 5-7").Matches(0, 0, 3, 3, 0));
  EXPECT_FALSE(Parsed("0 0 * * 5-7").Matches(0, 0, 3, 3, 1));
}

TEST(CronExpression, AStarWithAStepIsNoRestrictionOfTheOtherDayField) {
  const CronExpression cron = Parsed("0 0 */2 * 1");
  EXPECT_TRUE(cron.Matches(0, 0, 3, 3, 1));
  EXPECT_FALSE(cron.Matches(0, 0, 3, 3, 2));
  EXPECT_FALSE(cron.Matches(0, 0, 4, 3, 1));
}

TEST(CronExpression, ErrorsNameTheField) {
  EXPECT_NE(Error("60 * * * *").find("minute"), std::string::npos);
  EXPECT_NE(Error("* 24 * * *").find("hour"), std::string::npos);
  EXPECT_NE(Error("* * 0 * *").find("day of month"), std::string::npos);
  EXPECT_NE(Error("* * * 13 *").find("month"), std::string::npos);
  EXPECT_NE(Error("* * * * fr").find("day of week"), std::string::npos);
  EXPECT_NE(Error("* * * *").find("5 fields"), std::string::npos);
  EXPECT_NE(Error("").find("5 fields"), std::string::npos);
  EXPECT_NE(Error("@daily").find("5 fields"), std::string::npos);
}

TEST(CronExpression, MalformedElementsAreErrors) {
  for (const char* text :
       {"*/0 * * * *", "5-1 * * * *", "1,,2 * * * *", "1- * * * *", "-1 * * * *", "*/ * * * *", "1/2/3 * * * *",
        "+1 * * * *", "1-2-3 * * * *", "999999999999 * * * *", ", * * * *", "*5 * * * *"}) {
    Error(text);
  }
}

TEST(CronExpression, WhatNeverComesTrueIsAnError) {
  EXPECT_NE(Error("0 0 30 2 *").find("never"), std::string::npos);
  EXPECT_NE(Error("0 0 31 4,6,9,11 *").find("never"), std::string::npos);
  Parsed("0 0 29 2 *");
  Parsed("0 0 30 2 1");
}

}  // namespace
}  // namespace yardmaster
