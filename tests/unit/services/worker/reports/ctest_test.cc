#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/worker/reports/ctest_text.h"
#include "services/worker/reports/report.h"
#include "tests/unit/services/worker/reports/samples.h"

namespace yardmaster::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

Report Parsed(const std::string& xml, const std::string& printed) {
  const absl::StatusOr<Report> report = ParseCtestJunit(xml, printed);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.value_or(Report{});
}

TEST(ParseCtestJunit, AMissingExecutableIsNotASkip) {
  // Also without what ctest printed.
  for (const std::string& printed : {Sample("ctest.txt"), std::string()}) {
    const Report report = Parsed(Sample("ctest.xml"), printed);
    const ReportTest missing = Find(report, "missing");
    EXPECT_EQ(missing.outcome, Outcome::kNotStarted);
    EXPECT_EQ(missing.message, "Unable to find executable\nUnable to find executable: /no/such/program");
    EXPECT_EQ(Find(report, "files").outcome, Outcome::kNotStarted);
    EXPECT_EQ(Find(report, "needs").outcome, Outcome::kNotStarted);
  }
}

TEST(ParseCtestJunit, WhatATestSkipsItselfIsASkip) {
  const Report report = Parsed(Sample("ctest.xml"), Sample("ctest.txt"));
  EXPECT_EQ(Find(report, "skipped").outcome, Outcome::kSkipped);
  EXPECT_EQ(Find(report, "skiptext").outcome, Outcome::kSkipped);
  EXPECT_EQ(Find(report, "off").outcome, Outcome::kSkipped);
  EXPECT_EQ(Find(report, "off").message, "disabled");
}

TEST(ParseCtestJunit, ReasonsComeFromWhatWasPrinted) {
  for (const std::string text : {"ctest.txt", "ctest_coloured.txt"}) {
    const Report report = Parsed(Sample("ctest.xml"), Sample(text));
    EXPECT_EQ(report.problem, "");
    EXPECT_EQ(Find(report, "slow").outcome, Outcome::kTimedOut) << text;
    EXPECT_EQ(Find(report, "slow").message, "Timeout");
    EXPECT_EQ(Find(report, "bad").outcome, Outcome::kFailed);
    EXPECT_EQ(Find(report, "bad").message, "Failed\nsome output");
    EXPECT_THAT(Find(report, "dies").message, HasSubstr("SEGFAULT"));
    EXPECT_EQ(Find(report, "aborts").message, "Subprocess aborted");
    EXPECT_THAT(Find(report, "regex").message, HasSubstr("Required regular expression not found"));
    EXPECT_EQ(Find(report, "with spaces and (paren)").outcome, Outcome::kFailed);
    EXPECT_EQ(Find(report, "willfail").outcome, Outcome::kPassed);
  }
}

TEST(ParseCtestJunit, WithoutWhatWasPrintedAFailureKeepsItsOutput) {
  const Report report = Parsed(Sample("ctest.xml"), "");
  EXPECT_EQ(Find(report, "bad").message, "some output");
  EXPECT_EQ(Find(report, "slow").outcome, Outcome::kFailed);
}

TEST(ParseCtestJunit, FailuresThatOnlyCtestNamesAreAProblem) {
  const std::string one = R"(<testsuite tests="1"><testcase name="a" status="run" time="0"/></testsuite>)";
  EXPECT_EQ(Parsed(one, "The following tests FAILED:\n\t  2 - b (Failed)\n").problem,
            "ctest printed that \"b\" failed, and it is not in the report");
  EXPECT_EQ(Parsed(one, "50% tests passed, 1 tests failed out of 2\n").problem,
            "ctest printed that 1 tests failed, and the report shows 0");
  EXPECT_EQ(Find(Parsed(one, "The following tests FAILED:\n\t  1 - a (Failed)\n"), "a").outcome, Outcome::kFailed);
}

TEST(ParseCtestJunit, ATestThatPassedWhenRepeatedHasPassed) {
  const Report report = Parsed(R"(<testsuite tests="1"><testcase name="a" status="run" time="0"/></testsuite>)",
                               " 1/1 Test #1: a ....***Failed  0.1 sec\n 1/1 Test #1: a ....   Passed    0.1 sec\n");
  EXPECT_EQ(Find(report, "a").outcome, Outcome::kPassed);
  EXPECT_EQ(report.problem, "");
}

TEST(ParseCtestJunit, NoTestsIsAReportWithoutTests) {
  EXPECT_THAT(Parsed(Sample("ctest_nothing.xml"), "No tests were found!!!").tests, IsEmpty());
}

TEST(ParseCtestJunit, AnUnknownStatusIsNoPass) {
  const Report report = Parsed(R"(<testsuite><testcase name="a" status="odd"/><testcase name="b"/></testsuite>)", "");
  EXPECT_EQ(Find(report, "a").outcome, Outcome::kUnfinished);
  EXPECT_EQ(Find(report, "b").outcome, Outcome::kUnfinished);
}

TEST(ParseCtestLine, NamesMayHaveDotsAndBlanks) {
  const auto line = ParseCtestLine("15/15 Test #15: unit.a b. and (c) ..........***Failed    0.25 sec");
  ASSERT_TRUE(line.has_value());
  EXPECT_EQ(line->test.id, "unit.a b. and (c)");
  EXPECT_EQ(line->test.outcome, Outcome::kFailed);
  EXPECT_DOUBLE_EQ(line->test.seconds, 0.25);
  EXPECT_EQ(line->total, 15U);
}

TEST(ParseCtestLine, OtherOutputIsNone) {
  for (const char* text : {"", "3/15", "      Start  1: good", "3 / 4 Test #1", "1/2 Test #x: a ... Passed",
                           "1/2 Test #1: a", "1/2 Test #1:  ***Failed", "1/2 Test #1: ....***Failed 1 sec"}) {
    EXPECT_FALSE(ParseCtestLine(text).has_value()) << text;
  }
}

TEST(CtestProgress, CountsTheLinesOfTests) {
  const std::unique_ptr<LineReport> lines = MakeProgressReport(rules::ReportFormat::kCtest);
  Feed(*lines, Sample("ctest.txt"));
  EXPECT_EQ(lines->done(), 15U);
  EXPECT_EQ(lines->failed(), 10U);
  EXPECT_EQ(lines->expected(), 15U);
  const Report report = lines->Take();
  EXPECT_EQ(Find(report, "slow").outcome, Outcome::kTimedOut);
  EXPECT_EQ(Find(report, "missing").outcome, Outcome::kNotStarted);
  EXPECT_EQ(Find(report, "aborts").message, "Subprocess aborted");
}

}  // namespace
}  // namespace yardmaster::worker
