#include "services/review/merged_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace yardmaster {
namespace {

using ::testing::ElementsAre;

ReviewReport ReportAt(const std::vector<std::string>& paths) {
  ReviewReport report;
  report.packs = {"p"};
  report.profile = "strict";
  report.files = paths.size();
  report.seconds = 1;
  for (const std::string& path : paths) report.findings.emplace_back().finding.path = path;
  return report;
}

TEST(MergedReport, PathsAreThoseOfTheFolders) {
  ReviewReport all;
  ReviewReport later = ReportAt({"x.py", "."});
  later.skipped.push_back({"R1", ".", "needs golden", ""});
  AddReport("b", std::move(later), all);
  AddReport("a/c", ReportAt({"x.py"}), all);
  std::vector<std::string> paths;
  for (const ReportedFinding& one : all.findings) paths.push_back(one.finding.path);
  EXPECT_THAT(paths, ElementsAre("a/c/x.py", "b", "b/x.py"));
  EXPECT_EQ(all.skipped[0].path, "b");
  EXPECT_EQ(all.files, 3U);
  EXPECT_EQ(all.seconds, 2);
  EXPECT_THAT(all.packs, ElementsAre("p"));
  EXPECT_EQ(all.profile, "strict");
}

TEST(MergedReport, TheWorkingFolderAddsNothing) {
  ReviewReport all;
  AddReport(".", ReportAt({"x.py", "."}), all);
  EXPECT_EQ(all.findings[0].finding.path, ".");
  EXPECT_EQ(all.findings[1].finding.path, "x.py");
}

TEST(MergedReport, WhatOneDidNotSeeTheWholeDidNotSee) {
  ReviewReport all;
  ReviewReport part = ReportAt({});
  part.complete = false;
  AddReport("a", std::move(part), all);
  AddReport("b", ReportAt({}), all);
  EXPECT_FALSE(all.complete);
}

}  // namespace
}  // namespace yardmaster
