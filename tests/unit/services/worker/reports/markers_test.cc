#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/worker/reports/report.h"
#include "tests/unit/services/worker/reports/samples.h"

namespace yardmaster::worker {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

rules::ReportModel Precision() {
  rules::ReportModel model;
  model.format = rules::ReportFormat::kMarkers;
  model.pass = R"(\[PRECISION_PASS\])";
  model.fail = R"(\[PRECISION_FAIL\])";
  return model;
}

rules::ReportModel Examples() {
  rules::ReportModel model;
  model.format = rules::ReportFormat::kMarkers;
  model.line =
      R"(^\[(?P<verdict>PASS|FAIL|SKIP|TIMEOUT)\] (?P<name>\S+)(?: \((?P<seconds>[\d.]+)s\))?(?: (?P<message>.*))?)";
  model.summary = R"(^Result: (?P<passed>\d+) passed, (?P<failed>\d+) failed, (?P<total>\d+) total)";
  return model;
}

TEST(MarkerReport, MarksAreCountedEach) {
  const std::unique_ptr<MarkerReport> report = MakeMarkerReport(Precision());
  Feed(*report, "loading\n\x1b[32m[PRECISION_PASS]\x1b[0m\nx [PRECISION_FAIL] y\n[PRECISION_PASS]\r\n");
  EXPECT_EQ(report->marks().passed, 2U);
  EXPECT_EQ(report->marks().failed, 1U);
  EXPECT_THAT(report->Take().tests, IsEmpty());
  EXPECT_EQ(report->Take().problem, "");
}

TEST(MarkerReport, NumbersOfABenchmarkAreKeptAndDecideNothing) {
  rules::ReportModel model = Precision();
  model.number =
      R"re(^\{"kernel": "(?P<name>[^"]+", "shape": "[^"]+)".*"(?P<unit>gb_s|gflop_s)": (?P<value>[0-9.e+]+))re";
  const std::unique_ptr<MarkerReport> report = MakeMarkerReport(model);
  Feed(*report,
       "{\"kernel\": \"gemm\", \"shape\": \"512x512\", \"gflop_s\": 12.5}\n"
       "{\"kernel\": \"add\", \"shape\": \"1024\", \"gb_s\": 1.5e+2}\n{\"kernel\": \"x\", \"shape\": \"1\", \"gb_s\": "
       "..}\n");
  const Report taken = report->Take();
  ASSERT_EQ(taken.numbers.size(), 2U);
  EXPECT_EQ(taken.numbers[0].name, "gemm, shape: 512x512");
  EXPECT_EQ(taken.numbers[0].value, 12.5);
  EXPECT_EQ(taken.numbers[0].unit, "gflop_s");
  EXPECT_EQ(taken.numbers[1].value, 150);
  EXPECT_EQ(report->marks().passed, 0U);
}

TEST(MarkerReport, NoPatternNeverMatches) {
  const std::unique_ptr<MarkerReport> report = MakeMarkerReport(rules::ReportModel{});
  Feed(*report, "a\n\nb\n");
  EXPECT_EQ(report->marks().passed, 0U);
  EXPECT_EQ(report->marks().failed, 0U);
  EXPECT_EQ(report->done(), 0U);
}

TEST(MarkerReport, LinesAreTestsAndTotalsAgree) {
  const std::unique_ptr<MarkerReport> report = MakeMarkerReport(Examples());
  Feed(*report,
       "[PASS] examples/softmax.py (1.5s)\n[FAIL] examples/gemm.py (2s) max error 0.5\n[SKIP] examples/a3.py\n"
       "[TIMEOUT] examples/slow.py\nResult: 1 passed, 2 failed, 4 total\n");
  const Report tests = report->Take();
  EXPECT_THAT(Ids(tests), ElementsAre("examples/softmax.py", "examples/gemm.py", "examples/a3.py", "examples/slow.py"));
  EXPECT_EQ(tests.tests[0].outcome, Outcome::kPassed);
  EXPECT_DOUBLE_EQ(tests.tests[0].seconds, 1.5);
  EXPECT_EQ(tests.tests[1].outcome, Outcome::kFailed);
  EXPECT_EQ(tests.tests[1].message, "max error 0.5");
  EXPECT_EQ(tests.tests[2].outcome, Outcome::kSkipped);
  EXPECT_EQ(tests.tests[3].outcome, Outcome::kTimedOut);
  EXPECT_EQ(tests.problem, "");
  EXPECT_EQ(report->done(), 4U);
  EXPECT_EQ(report->failed(), 2U);
}

TEST(MarkerReport, TotalsThatDisagreeAreAProblem) {
  const std::unique_ptr<MarkerReport> report = MakeMarkerReport(Examples());
  Feed(*report, "[PASS] a\nResult: 1 passed, 1 failed, 2 total\n");
  EXPECT_EQ(report->Take().problem,
            "the totals say 1 passed, 1 failed of 2; the lines above them 1 passed, 0 failed of 1");
}

TEST(MarkerReport, MissingTotalsMeanThatTheProgramDidNotEnd) {
  const std::unique_ptr<MarkerReport> report = MakeMarkerReport(Examples());
  Feed(*report, "[PASS] a\n");
  EXPECT_THAT(report->Take().problem, HasSubstr("the line with the totals is missing"));
}

TEST(MarkerReport, SeveralProgramsPrintTheirTotalsEach) {
  const std::unique_ptr<MarkerReport> report = MakeMarkerReport(Examples());
  Feed(*report,
       "[PASS] a\nResult: 1 passed, 0 failed, 1 total\n[PASS] b\n[FAIL] c\nResult: 1 passed, 1 failed, 2 total\n");
  EXPECT_EQ(report->Take().problem, "");
  const std::unique_ptr<MarkerReport> twice = MakeMarkerReport(Examples());
  Feed(*twice, "[PASS] a\nResult: 1 passed, 0 failed, 1 total\nResult: 1 passed, 0 failed, 1 total\n");
  EXPECT_EQ(twice->Take().problem, "");
}

TEST(MarkerReport, ANameThatFailsOnceHasFailed) {
  const std::unique_ptr<MarkerReport> report = MakeMarkerReport(Examples());
  Feed(*report, "[FAIL] a\n[PASS] a\nResult: 1 passed, 1 failed, 2 total\n");
  const Report tests = report->Take();
  EXPECT_THAT(Ids(tests), ElementsAre("a"));
  EXPECT_EQ(tests.tests[0].outcome, Outcome::kFailed);
  EXPECT_EQ(tests.problem, "");
}

TEST(MarkerReport, ABadPatternIsSaidAndMatchesNothing) {
  rules::ReportModel model = Precision();
  model.fail = "(";
  const std::unique_ptr<MarkerReport> report = MakeMarkerReport(model);
  Feed(*report, "[PRECISION_PASS]\n(\n");
  EXPECT_EQ(report->marks().failed, 0U);
  EXPECT_EQ(report->Take().problem, "a pattern of the manifest is not a regular expression");
}

}  // namespace
}  // namespace yardmaster::worker
