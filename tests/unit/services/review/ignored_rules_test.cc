#include "services/review/ignored_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/memory_change.h"

namespace yardmaster {
namespace {

using ::testing::IsEmpty;
using ::testing::SizeIs;

v1::Action IgnoreAction(const std::string& rule, const std::string& path, bool ended = false) {
  v1::Action action;
  action.mutable_ignore_rule()->mutable_rule()->set_rule_id(rule);
  action.mutable_ignore_rule()->mutable_rule()->set_path(path);
  action.mutable_ignore_rule()->set_ended(ended);
  return action;
}

ReportedFinding FoundAt(const std::string& rule, const std::string& part, const std::string& path,
                        FindingStatus status = FindingStatus::kNew) {
  ReportedFinding reported;
  reported.finding.rule_id = rule;
  reported.finding.part = part;
  reported.finding.path = path;
  reported.status = status;
  return reported;
}

TEST(IgnoredRules, TheLastWordAboutARuleAndAPathHolds) {
  const std::vector<v1::Action> written = {IgnoreAction("OL2", "a.py", true), IgnoreAction("ol1", ""),
                                           IgnoreAction("OL2", "a.py"), IgnoreAction("OL1", "")};
  IgnoredRules ignored = IgnoredRulesOf(written, std::nullopt);
  ASSERT_THAT(ignored, SizeIs(1));
  EXPECT_EQ(ignored[0].rule_id(), "ol1");
  EXPECT_THAT(IgnoredRulesOf(written, IgnoreAction("OL1", "", true).ignore_rule()), IsEmpty());
  ignored = IgnoredRulesOf(written, IgnoreAction("OL1", "b.py").ignore_rule());
  ASSERT_THAT(ignored, SizeIs(2)) << "for one file it is another one";
  EXPECT_EQ(ignored[1].path(), "b.py");
  EXPECT_NE(DigestOf(ignored), DigestOf(IgnoredRulesOf(written, std::nullopt)));
}

TEST(IgnoredRules, HoldBackWhatStandsAndCountIt) {
  ReviewReport report;
  report.findings = {FoundAt("OL48", "cube", "custom/a/a.py"),
                     FoundAt("OL48", "", "custom/b/b.py", FindingStatus::kStill),
                     FoundAt("OL48", "", "custom/a/a.py", FindingStatus::kFixed), FoundAt("OL4", "", "custom/a/a.py")};
  IgnoredRules ignored = IgnoredRulesOf({IgnoreAction("ol48.CUBE", "custom/a/*.py"), IgnoreAction("OL48", "b.py")}, {});
  HoldBack(ignored, report);
  ASSERT_THAT(report.findings, SizeIs(2));
  EXPECT_EQ(report.findings[0].status, FindingStatus::kFixed);
  EXPECT_EQ(report.findings[1].finding.rule_id, "OL4") << "a name is not a prefix";
  ASSERT_THAT(ignored, SizeIs(2));
  EXPECT_EQ(ignored[0].findings(), 1u);
  EXPECT_EQ(ignored[1].findings(), 1u);
}

TEST(IgnoredRules, EndWithTheirFiles) {
  testing::MemoryTree head;
  head["custom/a/a.py"] = "x";
  testing::MemoryChange change({}, head);
  const IgnoredRules ignored = IgnoredRulesOf(
      {IgnoreAction("A", "custom/a/a.py"), IgnoreAction("B", "custom/b/b.py"), IgnoreAction("C", "custom/*/a.py"),
       IgnoreAction("D", "custom/*.py"), IgnoreAction("E", "a.py"), IgnoreAction("F", "b.py"), IgnoreAction("G", "")},
      {});
  const absl::StatusOr<IgnoredRules> gone = GoneAtHead(ignored, change);
  ASSERT_TRUE(gone.ok()) << gone.status();
  std::string rules;
  for (const v1::IgnoredRule& one : *gone) rules += one.rule_id();
  EXPECT_EQ(rules, "FDB") << "in the order in which they were asked for: the newest action comes first";
}

}  // namespace
}  // namespace yardmaster
