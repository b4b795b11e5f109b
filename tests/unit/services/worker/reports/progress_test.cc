#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/worker/reports/report.h"
#include "tests/unit/services/worker/reports/samples.h"

namespace yardmaster::worker {
namespace {

using ::testing::IsEmpty;

std::unique_ptr<LineReport> Pytest(const std::string& sample) {
  std::unique_ptr<LineReport> lines = MakeProgressReport(rules::ReportFormat::kJunit);
  Feed(*lines, Sample(sample));
  return lines;
}

TEST(PytestProgress, VerboseLinesAreTestsByName) {
  const auto lines = Pytest("pytest_verbose.txt");
  EXPECT_EQ(lines->expected(), 13U);
  EXPECT_EQ(lines->done(), 13U);
  EXPECT_EQ(lines->failed(), 5U);
  const Report report = lines->Take();
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(Find(report, "tests/ut/test_shard.py::test_dtype[a b]").outcome, Outcome::kPassed);
  EXPECT_EQ(Find(report, "tests/ut/test_shard.py::test_npu").outcome, Outcome::kSkipped);
  EXPECT_EQ(Find(report, "tests/ut/test_shard.py::test_known").outcome, Outcome::kSkipped);
  EXPECT_EQ(Find(report, "tests/ut/test_shard.py::test_teardown").outcome, Outcome::kFailed);
}

TEST(PytestProgress, VerboseLinesAgreeWithTheReport) {
  const Report lines = Pytest("pytest_verbose.txt")->Take();
  const absl::StatusOr<Report> file = ParseJunit(Sample("pytest.xml"));
  ASSERT_TRUE(file.ok());
  EXPECT_EQ(Ids(lines), Ids(*file));
}

TEST(PytestProgress, WorkersOfXdistAreRead) {
  const auto lines = Pytest("pytest_xdist.txt");
  EXPECT_EQ(lines->expected(), 13U);
  EXPECT_EQ(lines->done(), 13U);
  EXPECT_EQ(lines->failed(), 5U);
  EXPECT_EQ(lines->Take().problem, "");
}

TEST(PytestProgress, DotsAreCounted) {
  const auto many = Pytest("pytest_many.txt");
  EXPECT_EQ(many->expected(), 90U);
  EXPECT_EQ(many->done(), 90U);
  EXPECT_EQ(many->failed(), 0U);
  const auto quiet = Pytest("pytest_quiet.txt");
  EXPECT_EQ(quiet->done(), 90U);
  EXPECT_THAT(quiet->Take().tests, IsEmpty());
  const auto some = Pytest("pytest.txt");
  EXPECT_EQ(some->expected(), 13U);
  EXPECT_EQ(some->failed(), 6U);
}

TEST(PytestProgress, DeselectedTestsAreNotExpected) {
  const auto lines = Pytest("pytest_selected.txt");
  EXPECT_EQ(lines->expected(), 3U);
  EXPECT_EQ(lines->done(), 2U);
  EXPECT_EQ(lines->failed(), 1U);
}

TEST(PytestProgress, TheTestInWhichThePythonDiedIsUnfinished) {
  const Report report = Pytest("pytest_died.txt")->Take();
  EXPECT_EQ(report.problem, "the program ended in tests/ut/test_abort.py::test_dies");
  EXPECT_EQ(Find(report, "tests/ut/test_abort.py::test_dies").outcome, Outcome::kUnfinished);
  EXPECT_EQ(Find(report, "tests/ut/test_abort.py::test_before").outcome, Outcome::kPassed);
}

TEST(PytestProgress, TestsThatPrintAndWarnHaveStillPassed) {
  const Report report = Pytest("pytest_printing.txt")->Take();
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(Find(report, "tests/ut/test_warn.py::test_w").outcome, Outcome::kPassed);
  EXPECT_EQ(Find(report, "tests/ut/test_warn.py::test_v").outcome, Outcome::kPassed);
}

TEST(PytestProgress, ASecondSessionIsReadToo) {
  const std::unique_ptr<LineReport> lines = MakeProgressReport(rules::ReportFormat::kJunit);
  Feed(*lines, Sample("pytest_selected.txt"));
  Feed(*lines, Sample("pytest_many.txt"));
  EXPECT_EQ(lines->expected(), 93U);
  EXPECT_EQ(lines->done(), 92U);
}

TEST(PytestProgress, WhatProgramsPrintIsNoTest) {
  const std::unique_ptr<LineReport> lines = MakeProgressReport(rules::ReportFormat::kJunit);
  Feed(*lines, "...\nF\nxXx\nwait ...\n===\n[12%]\nstd::string PASSED\n100 in all\ncollected works\n[gw0] hello\n");
  EXPECT_EQ(lines->done(), 0U);
  EXPECT_EQ(lines->expected(), 0U);
  EXPECT_EQ(lines->Take().problem, "");
}

TEST(Progress, MarkersNeedTheManifest) {
  const std::unique_ptr<LineReport> lines = MakeProgressReport(rules::ReportFormat::kMarkers);
  lines->Line("[PASS] a");
  EXPECT_EQ(lines->done(), 0U);
  EXPECT_THAT(lines->Take().tests, IsEmpty());
}

}  // namespace
}  // namespace yardmaster::worker
