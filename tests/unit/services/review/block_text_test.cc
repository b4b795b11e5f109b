#include "services/review/block_text.h"

#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

const BlockFrame kFrame = {"[gate] stop:", "Mend it."};

ReportedFinding Finding(const std::string& rule, rules::Severity severity, const std::string& grade, uint32_t line,
                        const std::string& message) {
  ReportedFinding reported;
  reported.finding.rule_id = rule;
  reported.finding.severity = severity;
  reported.finding.pack_severity = grade;
  reported.finding.path = "demo_impl.py";
  reported.finding.line = line;
  reported.finding.message = message;
  reported.finding.message_zh = "消息";
  reported.finding.fix = "mend " + rule;
  reported.finding.fix_zh = "修复";
  return reported;
}

ReviewReport Report() {
  ReviewReport report;
  report.findings = {Finding("OL08", rules::Severity::kBlock, "S1", 0, "no wrapper"),
                     Finding("OL01", rules::Severity::kBlock, "S0", 4, "two\nentries"),
                     Finding("OL01", rules::Severity::kBlock, "S0", 9, "two entries"),
                     Finding("OL22", rules::Severity::kMinor, "S2", 5, "no seed"),
                     Finding("OL37", rules::Severity::kInfo, "S3", 6, "names")};
  return report;
}

TEST(BlockText, NamesEveryBlockingFindingThenTheRulesSortedThenOneHintForEachRecipe) {
  EXPECT_EQ(BlockText(Report(), kFrame, TextLanguage::kEnglish),
            "[gate] stop:\n"
            "[OL08][S1] demo_impl.py no wrapper\n"
            "[OL01][S0] demo_impl.py:4 two entries\n"
            "[OL01][S0] demo_impl.py:9 two entries\n"
            "blocking_rules: OL01, OL08\n"
            "fix_hints:\n"
            "- OL08: mend OL08\n"
            "- OL01: mend OL01\n"
            "Mend it.\n");
}

TEST(BlockText, SpeaksChineseWhereThePackDoes) {
  ReviewReport report = Report();
  report.findings.resize(1);
  EXPECT_EQ(BlockText(report, kFrame, TextLanguage::kChinese),
            "[gate] stop:\n[OL08][S1] demo_impl.py 消息\nblocking_rules: OL08\nfix_hints:\n- OL08: 修复\nMend it.\n");
  report.findings[0].finding.message_zh.clear();
  EXPECT_NE(BlockText(report, kFrame, TextLanguage::kChinese).find("no wrapper"), std::string::npos);
}

TEST(BlockText, IsEmptyWhereNothingBlocks) {
  ReviewReport report = Report();
  report.findings.erase(report.findings.begin(), report.findings.begin() + 3);
  EXPECT_EQ(BlockText(report, kFrame, TextLanguage::kEnglish), "");
  report.findings = {Finding("OL01", rules::Severity::kBlock, "S0", 4, "gone")};
  report.findings[0].status = FindingStatus::kFixed;
  EXPECT_EQ(BlockText(report, kFrame, TextLanguage::kEnglish), "");
}

TEST(ContextText, HasFailsWarningsAndInfosInThreeParts) {
  EXPECT_EQ(ContextText(Report(), TextLanguage::kEnglish),
            "fails:\n"
            "[OL08][S1] demo_impl.py no wrapper\n"
            "[OL01][S0] demo_impl.py:4 two entries\n"
            "[OL01][S0] demo_impl.py:9 two entries\n"
            "warnings:\n"
            "[OL22][S2] demo_impl.py:5 no seed\n"
            "infos:\n"
            "[OL37][S3] demo_impl.py:6 names\n");
}

TEST(BlockText, CitesTheRuleAndSaysWhichPartOfItFound) {
  ReviewReport report = Report();
  report.findings = {report.findings[1], report.findings[2]};
  report.findings[1].finding.part = "more";
  EXPECT_EQ(BlockText(report, kFrame, TextLanguage::kEnglish),
            "[gate] stop:\n"
            "[OL01][S0] demo_impl.py:4 two entries\n"
            "[OL01][S0] demo_impl.py:9 two entries (more)\n"
            "blocking_rules: OL01\n"
            "fix_hints:\n"
            "- OL01: mend OL01\n"
            "Mend it.\n");
}

}  // namespace
}  // namespace yardmaster
