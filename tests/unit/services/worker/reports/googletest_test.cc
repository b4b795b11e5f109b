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

Report FromText(std::string_view text) {
  const std::unique_ptr<LineReport> lines = MakeGoogleTestText();
  Feed(*lines, text);
  return lines->Take();
}

Report FromXml(const std::string& xml) {
  const absl::StatusOr<Report> report = ParseGoogleTestXml(xml);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.value_or(Report{});
}

TEST(ParseGoogleTestXml, OutcomesOfARealReport) {
  const Report report = FromXml(Sample("googletest.xml"));
  EXPECT_EQ(report.tests.size(), 11U);
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(Find(report, "Reduce.Sums").outcome, Outcome::kPassed);
  EXPECT_EQ(Find(report, "Typed/1.Works").outcome, Outcome::kPassed);
  EXPECT_EQ(Find(report, "Odd/Shapes.Holds/1").outcome, Outcome::kFailed);
  const ReportTest skipped = Find(report, "Reduce.Skips");
  EXPECT_EQ(skipped.outcome, Outcome::kSkipped);
  EXPECT_EQ(skipped.message, "t.cc:5\nneeds a GPU");
  const ReportTest disabled = Find(report, "Reduce.DISABLED_Later");
  EXPECT_EQ(disabled.outcome, Outcome::kSkipped);
  EXPECT_EQ(disabled.message, "disabled");
}

TEST(ParseGoogleTestXml, AllFailuresOfATestAreInItsMessageOnce) {
  const std::string message = Find(FromXml(Sample("googletest.xml")), "Reduce.Nan").message;
  EXPECT_EQ(message,
            "t.cc:4\nExpected equality of these values:\n  1\n  2\nelement 7\n"
            "t.cc:4\nThe difference between 1.0 and 2.0 is 1, which exceeds 0.1, where\n1.0 evaluates to 1,\n"
            "2.0 evaluates to 2, and\n0.1 evaluates to 0.10000000000000001.");
}

TEST(ParseGoogleTestXml, AFilterThatMatchesNothingGivesNoTests) {
  EXPECT_THAT(FromXml(Sample("googletest_nothing_ran.xml")).tests, IsEmpty());
}

TEST(ParseGoogleTestXml, OnlyWhatWasCompletedHasPassed) {
  const Report report = FromXml(R"(<testsuites><testsuite name="A">
      <testcase name="a" status="run" result="interrupted" classname="A"/>
      <testcase name="b" status="run" classname="A"/>
      <testcase name="" status="run" result="completed" classname="A"><failure message="no memory"/></testcase>
    </testsuite></testsuites>)");
  EXPECT_EQ(Find(report, "A.a").outcome, Outcome::kUnfinished);
  EXPECT_EQ(Find(report, "A.b").outcome, Outcome::kPassed);
  EXPECT_EQ(Find(report, "A: outside of its tests").outcome, Outcome::kFailed);
}

TEST(ParseGoogleTestXml, CutOffOrContradictedIsSaid) {
  const std::string whole = Sample("googletest.xml");
  EXPECT_THAT(std::string(ParseGoogleTestXml(whole.substr(0, 1000)).status().message()),
              HasSubstr("the GoogleTest report ends in the middle, in line "));
  EXPECT_EQ(FromXml(R"(<testsuites tests="2" failures="0"><testsuite/></testsuites>)").problem,
            "it says that there were 2 tests, and has 0");
  EXPECT_EQ(FromXml(R"(<testsuites tests="0" failures="2"><testsuite/></testsuites>)").problem,
            "it says that 2 tests failed, and shows 0 of them");
}

TEST(GoogleTestText, AgreesWithTheFile) {
  const Report text = FromText(Sample("googletest.txt"));
  Report xml = FromXml(Sample("googletest.xml"));
  EXPECT_EQ(text.problem, "");
  for (const ReportTest& test : text.tests) EXPECT_EQ(Find(xml, test.id).outcome, test.outcome) << test.id;
  // The text does not list those that are disabled.
  EXPECT_EQ(text.tests.size() + 1, xml.tests.size());
  EXPECT_THAT(Find(text, "Reduce.Nan").message, HasSubstr("t.cc:4: Failure\nExpected equality"));
}

TEST(GoogleTestText, ColoursDoNotMatter) {
  EXPECT_EQ(Ids(FromText(Sample("googletest_coloured.txt"))), Ids(FromText(Sample("googletest.txt"))));
}

TEST(GoogleTestText, TheTestInWhichTheProgramDiedIsUnfinished) {
  const Report report = FromText(Sample("googletest_died.txt"));
  EXPECT_EQ(report.problem, "the program ended in Zlast.Aborts");
  EXPECT_EQ(Find(report, "Zlast.Aborts").outcome, Outcome::kUnfinished);
  EXPECT_EQ(Count(report, Outcome::kUnfinished), 1U);
  EXPECT_EQ(Find(report, "Env.One").outcome, Outcome::kPassed);
}

TEST(GoogleTestText, AFailedSetUpOfASuiteCountsThoughTheFileDoesNotShowIt) {
  EXPECT_EQ(Count(FromXml(Sample("googletest_bad_set_up.xml")), Outcome::kFailed), 0U);
  const Report text = FromText(Sample("googletest_bad_set_up.txt"));
  EXPECT_EQ(Find(text, "Env: SetUpTestSuite or TearDownTestSuite").outcome, Outcome::kFailed);
}

TEST(GoogleTestText, AMarkBehindOtherOutputCounts) {
  const Report report = FromText("[ RUN      ] A.B\nstep 1 of 2[  FAILED  ] A.B (1500 ms)\n");
  EXPECT_EQ(Find(report, "A.B").outcome, Outcome::kFailed);
  EXPECT_DOUBLE_EQ(Find(report, "A.B").seconds, 1.5);
  EXPECT_EQ(Find(report, "A.B").message, "step 1 of 2");
}

TEST(GoogleTestText, AnEndBetweenTwoTestsIsNoticed) {
  const Report report =
      FromText("[==========] Running 3 tests from 1 test suite.\n[ RUN      ] A.B\n[       OK ] A.B (0 ms)\n");
  EXPECT_EQ(report.problem, "its output ends before GoogleTest's summary: 1 of 3 tests were run");
  EXPECT_THAT(Ids(report), ElementsAre("A.B"));
}

TEST(GoogleTestText, TwoProgramsThatShareTheOutputAreToldApart) {
  const Report report = FromText(
      "[ RUN      ] A.One\n[ RUN      ] B.Two\n[       OK ] A.One (1 ms)\n[       OK ] B.Two (1 ms)\n"
      "[ RUN      ] A.Three\n[ RUN      ] B.Four\n[       OK ] B.Four (1 ms)\n");
  EXPECT_EQ(Find(report, "A.One").outcome, Outcome::kPassed);
  EXPECT_EQ(Find(report, "B.Two").outcome, Outcome::kPassed);
  EXPECT_EQ(Find(report, "A.Three").outcome, Outcome::kUnfinished);
  EXPECT_EQ(Find(report, "B.Four").outcome, Outcome::kPassed);
}

TEST(GoogleTestText, ARepetitionThatFailsOnceHasFailed) {
  const Report report = FromText(
      "[ RUN      ] A.B\n[       OK ] A.B (1 ms)\n[ RUN      ] A.B\n[  FAILED  ] A.B (1 ms)\n"
      "[ RUN      ] A.B\n[       OK ] A.B (1 ms)\n");
  EXPECT_THAT(Ids(report), ElementsAre("A.B"));
  EXPECT_EQ(report.tests[0].outcome, Outcome::kFailed);
}

TEST(GoogleTestText, ProgressCountsWhileTestsRun) {
  const std::unique_ptr<LineReport> lines = MakeProgressReport(rules::ReportFormat::kGoogleTest);
  lines->Line("[==========] Running 10 tests from 6 test suites.");
  lines->Line("[ RUN      ] Reduce.Sums");
  EXPECT_EQ(lines->done(), 0U);
  lines->Line("[       OK ] Reduce.Sums (0 ms)");
  lines->Line("[ RUN      ] Reduce.Nan");
  lines->Line("[  FAILED  ] Reduce.Nan (0 ms)");
  EXPECT_EQ(lines->expected(), 10U);
  EXPECT_EQ(lines->done(), 2U);
  EXPECT_EQ(lines->failed(), 1U);
}

}  // namespace
}  // namespace yardmaster::worker
