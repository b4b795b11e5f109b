#include "services/review/shadow_review.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

void Find(v1::Review& review, const std::string& rule, const std::string& fingerprint,
          v1::FindingChange change = v1::FINDING_CHANGE_NEW) {
  v1::ReviewFinding& finding = *review.add_findings();
  finding.set_rule_id(rule);
  finding.set_path("a.py");
  finding.set_line(3);
  finding.set_pack_severity("S1");
  finding.set_severity(v1::FINDING_SEVERITY_MAJOR);
  finding.set_fingerprint(fingerprint);
  finding.set_message("m");
  finding.set_change(change);
}

TEST(ShadowReviewTest, FindingsThatOnlyOneOfBothHasAreTold) {
  v1::Review base;
  v1::Review shadow;
  for (v1::Review* review : {&base, &shadow}) Find(*review, "R1", "same");
  Find(base, "R1", "twice");
  Find(base, "R1", "twice");
  Find(shadow, "R1", "twice");
  Find(base, "R2", "gone before", v1::FINDING_CHANGE_FIXED);
  Find(shadow, "R3", "x");
  Find(base, "R4", "severity");
  Find(shadow, "R4", "severity");
  shadow.mutable_findings()->rbegin()->set_severity(v1::FINDING_SEVERITY_BLOCK);
  v1::ShadowRun run;
  CompareReviews(base, shadow, run);
  EXPECT_THAT(run.base(), ElementsAre("R1", "R4"));
  EXPECT_THAT(run.shadow(), ElementsAre("R1", "R3", "R4"));
  std::string told;
  for (const v1::ShadowDifference& difference : run.differences()) {
    told += (difference.in_shadow() ? "+" : "-") + difference.name() + " ";
    EXPECT_EQ(difference.kind(), v1::ShadowDifference::KIND_FINDING);
    EXPECT_EQ(difference.why(), "S1: m");
  }
  EXPECT_EQ(told, "+R3 +R4 -R1 -R4 ");
}

void Skip(v1::Review& review, const std::string& rule, const std::string& path) {
  v1::SkippedReviewCheck& skipped = *review.add_skipped();
  skipped.set_rule_id(rule);
  skipped.set_path(path);
}

TEST(ShadowReviewTest, WhatOneOfBothDidNotFinishIsNotCompared) {
  v1::Review base;
  v1::Review shadow;
  Find(base, "R1", "took too long in the shadow");
  Find(base, "R2", "gone");
  Find(shadow, "R3", "came");
  Skip(shadow, "R1", "a.py");
  Skip(base, "R2", "other.py");
  Skip(base, "R2", "a");
  v1::ShadowRun run;
  CompareReviews(base, shadow, run);
  EXPECT_THAT(run.unfinished(), ElementsAre("R1"));
  ASSERT_EQ(run.differences_size(), 2);
  EXPECT_EQ(run.differences(0).name(), "R3");
  EXPECT_EQ(run.differences(1).name(), "R2") << "skipped elsewhere";
  Skip(base, "*", "");
  v1::ShadowRun none;
  CompareReviews(base, shadow, none);
  EXPECT_THAT(none.differences(), IsEmpty());
}

}  // namespace
}  // namespace yardmaster
