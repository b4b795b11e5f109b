#include "services/review/finding_match.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "rules/engine/checks/review.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;

rules::Finding At(std::string_view rule, const std::string& path, uint32_t line) {
  rules::Finding finding;
  finding.rule_id = rule;
  finding.path = path;
  finding.line = line;
  // Each stands at code of its own.
  finding.anchor = line;
  return finding;
}

// Line 1 of the new version was line 1, line 2 is added, line 3 was line 2.
VersionMap OneLineAdded() {
  VersionMap versions;
  versions.base_path["new.py"] = "old.py";
  versions.base_lines["new.py"] = {0, 1, 0, 2};
  return versions;
}

std::vector<FindingStatus> StatusesAgainst(const std::vector<rules::Finding>& base) {
  std::vector<ReportedFinding> head = {{At("R1", "new.py", 1)}, {At("R1", "new.py", 2)}, {At("R1", "new.py", 3)}};
  CompareVersions(base, OneLineAdded(), head);
  std::vector<FindingStatus> statuses;
  statuses.reserve(head.size());
  for (const ReportedFinding& one : head) statuses.push_back(one.status);
  return statuses;
}

TEST(CompareVersions, WhatHasNoLikeAtBaseIsNew) {
  EXPECT_THAT(StatusesAgainst({At("R1", "old.py", 1)}),
              ElementsAre(FindingStatus::kStill, FindingStatus::kNew, FindingStatus::kNew));
}

TEST(CompareVersions, OldLinesOfAFileThatWasCutOffAtBaseHaveNothingNew) {
  const std::vector<rules::Finding> base = {At("R1", "old.py", 1), At(rules::kLimitRule, "old.py", 0)};
  EXPECT_THAT(StatusesAgainst(base), ElementsAre(FindingStatus::kStill, FindingStatus::kNew, FindingStatus::kStill));
  EXPECT_THAT(CutOffAtBase(base, OneLineAdded()), ElementsAre("new.py"));
  // Another file's limit says nothing of this one.
  EXPECT_THAT(StatusesAgainst({At(rules::kLimitRule, "other.py", 0)}),
              ElementsAre(FindingStatus::kNew, FindingStatus::kNew, FindingStatus::kNew));
}

TEST(CompareVersions, ALimitOfTheNewVersionIsNew) {
  std::vector<ReportedFinding> head = {{At(rules::kLimitRule, "new.py", 1)}};
  CompareVersions({At(rules::kLimitRule, "old.py", 7)}, OneLineAdded(), head);
  EXPECT_EQ(head[0].status, FindingStatus::kNew);
}

}  // namespace
}  // namespace yardmaster
