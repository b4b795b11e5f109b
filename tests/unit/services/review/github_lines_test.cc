#include "services/review/github_lines.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/review/import/finding_import.h"

namespace yardmaster {
namespace {

using ::testing::SizeIs;

ReportedFinding Finding(rules::Severity severity, const std::string& path, const std::string& message) {
  ReportedFinding reported;
  reported.finding.rule_id = "OL01";
  reported.finding.severity = severity;
  reported.finding.path = path;
  reported.finding.message = message;
  return reported;
}

TEST(GithubLines, OneForEachFindingThatStands) {
  ReviewReport report;
  report.findings = {Finding(rules::Severity::kBlock, "a.py", "one"), Finding(rules::Severity::kMajor, "b.py", "two"),
                     Finding(rules::Severity::kMinor, "c.py", "three"), Finding(rules::Severity::kInfo, "d.py", "four"),
                     Finding(rules::Severity::kBlock, "e.py", "gone")};
  rules::Finding& place = report.findings[0].finding;
  place.line = place.end_line = 3;
  place.column = 5;
  place.end_column = 9;
  rules::Finding& lines = report.findings[1].finding;
  lines.line = 3;
  lines.end_line = 7;
  lines.column = lines.end_column = 2;
  lines.part = "cube";
  lines.fix = "Mend it.";
  report.findings[4].status = FindingStatus::kFixed;
  EXPECT_EQ(GithubLines(report),
            "::error file=a.py,line=3,col=5,endColumn=8,title=OL01::one\n"
            "::error file=b.py,line=3,endLine=7,title=OL01.cube::two%0AMend it.\n"
            "::warning file=c.py,title=OL01::three\n"
            "::notice file=d.py,title=OL01::four\n");
}

TEST(GithubLines, NothingFoundIsNothingSaid) { EXPECT_EQ(GithubLines({}), ""); }

TEST(GithubLines, NoTextBeginsALineOrAProperty) {
  ReviewReport report;
  report.findings = {Finding(rules::Severity::kInfo, "a,line=9::b\n%.py", "100%\r\n::error::x\xff")};
  EXPECT_EQ(GithubLines(report),
            "::notice file=a%2Cline=9%3A%3Ab%0A%25.py,title=OL01::100%25%0D%0A::error::x\xEF\xBF\xBD\n");
}

TEST(GithubLines, ComeBackAsTheyWere) {
  ReviewReport report;
  report.findings = {Finding(rules::Severity::kMinor, "a,b:c%.py", "50%, or: more")};
  const absl::StatusOr<ImportedFindings> imported = ReadFindings(GithubLines(report), ImportFormat::kAuto, {});
  ASSERT_TRUE(imported.ok()) << imported.status();
  ASSERT_THAT(imported->findings, SizeIs(1));
  EXPECT_EQ(imported->findings[0].path, "a,b:c%.py");
  EXPECT_EQ(imported->findings[0].message, "50%, or: more");
  EXPECT_EQ(imported->findings[0].rule_id, "annotation/OL01");
}

}  // namespace
}  // namespace yardmaster
