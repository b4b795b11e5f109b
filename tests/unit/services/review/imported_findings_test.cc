#include "services/review/imported_findings.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "tests/support/memory_change.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using testing::MemoryChange;
using ::testing::SizeIs;

rules::Finding Found(const std::string& tool, const std::string& rule, uint32_t line, const std::string& message,
                     uint32_t column = 1) {
  rules::Finding finding;
  finding.pack = tool;
  finding.rule_id = tool + "/" + rule;
  finding.path = "a.py";
  finding.line = finding.end_line = line;
  finding.column = finding.end_column = column;
  finding.message = message;
  return finding;
}

// "new a.py:3 ruff/F401", …
std::vector<std::string> Told(const ReviewReport& report) {
  std::vector<std::string> told;
  for (const ReportedFinding& one : report.findings) {
    told.push_back(absl::StrCat(std::string(FindingStatusName(one.status)), " ", one.finding.path, ":",
                                one.finding.line, " ", one.finding.rule_id));
  }
  return told;
}

ImportCounts Merged(std::vector<rules::Finding> imported, ReviewReport& report) {
  return MergeImported(
      std::move(imported), [](const std::string&, uint32_t first, uint32_t) { return first <= 5; }, report);
}

TEST(MergeImported, IsNewOnlyOnChangedLines) {
  ReviewReport report;
  const ImportCounts counts = Merged({Found("ruff", "F401", 3, "m"), Found("ruff", "F401", 9, "m")}, report);
  EXPECT_THAT(Told(report), ElementsAre("new a.py:3 ruff/F401", "still a.py:9 ruff/F401"));
  EXPECT_EQ(counts.read, 2u);
  EXPECT_EQ(counts.added_new, 1u);
  EXPECT_EQ(counts.added_still, 1u);
}

TEST(MergeImported, TheSameFindingOfTwoToolsIsOne) {
  ReviewReport report;
  const ImportCounts counts =
      Merged({Found("ruff", "F401", 3, "`os` imported but unused", 8),
              Found("flake8", "F401", 3, "'os' imported but unused", 1), Found("gcc", "unnamed", 4, "x is unused"),
              Found("clang", "other", 4, "x is unused"), Found("golint", "unnamed", 4, "y is not documented")},
             report);
  EXPECT_THAT(Told(report), ElementsAre("new a.py:3 ruff/F401", "new a.py:4 gcc/unnamed", "new a.py:4 golint/unnamed"));
  EXPECT_EQ(counts.duplicates, 2u);
}

TEST(MergeImported, TheSameFindingTwiceIsOneButAnotherColumnIsAnother) {
  ReviewReport report;
  Merged({Found("ruff", "E231", 3, "m", 4), Found("ruff", "E231", 3, "m", 9)}, report);
  EXPECT_THAT(report.findings, SizeIs(2));
  EXPECT_EQ(Merged({Found("ruff", "E231", 3, "m", 4)}, report).duplicates, 1u) << "imported again";
  EXPECT_THAT(report.findings, SizeIs(2));
}

TEST(MergeImported, OursStaysWhereAToolSaysTheSame) {
  ReviewReport report;
  ReportedFinding& ours = report.findings.emplace_back();
  ours.finding = Found("pypto", "x", 3, "ours");
  ours.finding.rule_id = "OL01";
  ours.status = FindingStatus::kNew;
  EXPECT_EQ(Merged({Found("yardmaster", "OL01", 3, "theirs")}, report).duplicates, 1u);
  EXPECT_THAT(Told(report), ElementsAre("new a.py:3 OL01"));
  report.findings[0].status = FindingStatus::kFixed;
  EXPECT_EQ(Merged({Found("yardmaster", "OL01", 3, "theirs")}, report).duplicates, 0u) << "a fixed one says nothing";
}

constexpr char kTool[] =
    "a.py:1:1: W291 trailing whitespace\n"
    "a.py:2:1: W291 trailing whitespace\n"
    "new.py:1:1: W291 trailing whitespace\n"
    "now.py:1:1: W291 trailing whitespace\n"
    "now.py:9:1: W291 trailing whitespace\n"
    "rest.py:1:1: W291 trailing whitespace\n"
    "../x.py:1:1: W291 trailing whitespace\n";

TEST(ImportFindings, GoesByTheChange) {
  MemoryChange change(
      {{"a.py", "x = 1\n"}, {"was.py", "y = 1\n"}, {"rest.py", "z = 1\n"}},
      {{"a.py", "x = 1\nw = 1\n"}, {"now.py", "y = 1\n"}, {"rest.py", "z = 1\n"}, {"new.py", "v = 1\n"}},
      {{"was.py", "now.py"}});
  ReviewReport report;
  const absl::StatusOr<ImportCounts> counts =
      ImportFindings(kTool, ImportFormat::kAuto, {.tool = "flake8"}, change, report);
  ASSERT_TRUE(counts.ok()) << counts.status();
  EXPECT_THAT(Told(report),
              ElementsAre("still a.py:1 flake8/W291", "new a.py:2 flake8/W291", "new new.py:1 flake8/W291",
                          "still now.py:1 flake8/W291", "new now.py:9 flake8/W291", "still rest.py:1 flake8/W291"));
  EXPECT_EQ(counts->left_out, 1u);
  ASSERT_THAT(report.skipped, SizeIs(1));
  EXPECT_EQ(report.skipped[0].reason, "import: 1 left out: the path is not in the repository, as ../x.py");
  for (const ReportedFinding& one : report.findings) EXPECT_EQ(one.finding.fingerprint.size(), 16u);
}

TEST(ImportFindings, FingerprintsHoldWhenLinesMoveAndTheFileIsRenamed) {
  const auto fingerprint = [](const std::string& path, const std::string& text, int line) {
    MemoryChange change({}, {{path, text}});
    ReviewReport report;
    const auto counts =
        ImportFindings(absl::StrCat(path, ":", line, ":1: W605 bad\n"), ImportFormat::kLines, {}, change, report);
    EXPECT_TRUE(counts.ok()) << counts.status();
    return report.findings.empty() ? "" : report.findings.back().finding.fingerprint;
  };
  EXPECT_EQ(fingerprint("a.py", "x = 1\n", 1), fingerprint("b.py", "\n# more\nx = 1\n", 3));
  EXPECT_NE(fingerprint("a.py", "x = 1\n", 1), fingerprint("a.py", "y = 1\n", 1));
}

TEST(ImportFindings, WhatCantBeReadChangesNothing) {
  MemoryChange change({}, {{"a.py", "x = 1\n"}});
  ReviewReport report;
  EXPECT_FALSE(ImportFindings("{", ImportFormat::kAuto, {}, change, report).ok());
  EXPECT_THAT(report.findings, IsEmpty());
}

}  // namespace
}  // namespace yardmaster
