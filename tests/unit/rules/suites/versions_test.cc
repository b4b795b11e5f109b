#include "rules/suites/versions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;

TEST(ParseVersion, TakesTheNumbersAtTheBeginning) {
  EXPECT_THAT(*ParseVersion("12.4.1"), ElementsAre(12, 4, 1));
  EXPECT_THAT(*ParseVersion(" v2.1.0+cu121 "), ElementsAre(2, 1, 0));
  EXPECT_THAT(*ParseVersion("1.13.0a0"), ElementsAre(1, 13, 0));
  EXPECT_THAT(*ParseVersion("8.0.RC2"), ElementsAre(8, 0));
  EXPECT_THAT(*ParseVersion("7."), ElementsAre(7));
}

TEST(ParseVersion, WhatDoesNotBeginWithANumberIsNone) {
  EXPECT_FALSE(ParseVersion(""));
  EXPECT_FALSE(ParseVersion("unknown"));
  EXPECT_FALSE(ParseVersion("-1.2"));
  EXPECT_FALSE(ParseVersion("99999999999999999999"));
}

TEST(IsVersionCondition, TellsWellFormedOnes) {
  for (const char* good : {">=12.0", "== 2", "!=9.0", "<3", "> 1.2.3", ">=1.13, <3, !=2.0.1"}) {
    EXPECT_TRUE(IsVersionCondition(good)) << good;
  }
  for (const char* bad : {"", "12", ">=", ">=x", "~=1.0", ">=1,", ">=1 <2", ">=1.0rc1", "=>1"}) {
    EXPECT_FALSE(IsVersionCondition(bad)) << bad;
  }
}

TEST(VersionMeets, ComparesNumbersNotTexts) {
  EXPECT_TRUE(VersionMeets("12.10", ">=12.9"));
  EXPECT_TRUE(VersionMeets("12", ">=12.0"));
  EXPECT_TRUE(VersionMeets("12.0.0", "==12"));
  EXPECT_TRUE(VersionMeets("9.0", "==9"));
  EXPECT_TRUE(VersionMeets("v1.2.3+cu", "< 1.3"));
  EXPECT_TRUE(VersionMeets("8.0", ">=8.0"));
  EXPECT_FALSE(VersionMeets("8.0", "<=7.5"));
  EXPECT_FALSE(VersionMeets("9.0", "!=9.0"));
  EXPECT_FALSE(VersionMeets("11.8", ">=12.0"));
  EXPECT_TRUE(VersionMeets("2.0.1", ">1.13, <3"));
  EXPECT_FALSE(VersionMeets("2.0.1", ">=1.13, !=2.0.1"));
}

TEST(VersionMeets, AConditionOnAnUnknownVersionIsNotMet) {
  EXPECT_TRUE(VersionMeets("", ""));
  EXPECT_TRUE(VersionMeets("whatever", " "));
  EXPECT_FALSE(VersionMeets("whatever", ">=0"));
  EXPECT_FALSE(VersionMeets("", "!=9.0"));
  EXPECT_FALSE(VersionMeets("", ">=1"));
}

TEST(VersionMeets, AMalformedConditionIsMetByNothing) {
  for (const char* bad : {"about 1", ">=", "=>8", "x", "9.0"}) EXPECT_FALSE(VersionMeets("9.0", bad)) << bad;
}

TEST(CompareVersions, ComparesNumberByNumber) {
  EXPECT_LT(CompareVersions({9, 9}, {9, 10}), 0);
  EXPECT_GT(CompareVersions({10}, {9, 10}), 0);
  EXPECT_EQ(CompareVersions({9}, {9, 0, 0}), 0);
}

TEST(VersionMeets, HopperIsLeftOutByItsCapability) {
  const char* const conditions = ">=8.0, !=9.0";
  EXPECT_TRUE(VersionMeets("8.6", conditions));
  EXPECT_TRUE(VersionMeets("12.0", conditions));
  EXPECT_FALSE(VersionMeets("9.0", conditions));
  EXPECT_FALSE(VersionMeets("7.5", conditions));
}

}  // namespace
}  // namespace yardmaster::rules
