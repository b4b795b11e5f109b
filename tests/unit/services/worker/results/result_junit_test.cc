#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "services/worker/results/result_files.h"
#include "tests/unit/services/worker/results/occurrences.h"
#include "tests/unit/services/worker/results/sample_run.h"

namespace yardmaster::worker {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(ResultJunit, EachRankOfAStepIsASuiteOfItsOwn) {
  const std::string xml = ResultJunit(SampleRun());
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"correctness/all_reduce[dtype=float32] rank 2\" tests=\"2\" "
                             "failures=\"1\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"correctness/all_reduce[dtype=float32] rank 0\" tests=\"2\" "
                             "failures=\"0\" errors=\"0\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<failure message=\"AssertionError: tensors differ\" type=\"failed\">AssertionError: "
                             "tensors differ\nmore lines</failure>"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"gloo lacks it: MAX of bool\"/>"));
  // A build step has no tests and is one.
  EXPECT_THAT(xml, HasSubstr("classname=\"yardmaster/collectives/build/configure\" name=\"configure\""));
  // The layer and the step that were not run.
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"the layer &#39;correctness&#39; has failed\"/>"));
  EXPECT_THAT(xml, HasSubstr("<testsuites name=\"yardmaster/collectives\" tests=\"11\" failures=\"1\" errors=\"0\" "
                             "skipped=\"6\""));
}

TEST(ResultJunit, AStepThatFailedWithoutAFailingTestIsATestCase) {
  RunResult run = SampleRun();
  for (TestResult& test : run.tests) test.verdict = Verdict::kPassed;
  run.steps[1].verdict = Verdict::kError;
  const std::string xml = ResultJunit(run);
  EXPECT_EQ(Occurrences(xml, "<error "), 1u);
  EXPECT_THAT(xml, HasSubstr("<error message=\"3 of 4,096 elements of sum are off on rank 2\" type=\"error\">"));
  EXPECT_THAT(xml, HasSubstr("\n[2] AssertionError: tensors differ"));
}

TEST(ResultJunit, ARunThatWasNotRunIsNotGreen) {
  RunResult run;
  run.suite = "pypto/st";
  run.reason = "no NPU";
  run.layers = {{"st", "", Verdict::kNotRun, "no NPU", 0, 0, 0, 0}};
  const std::string xml = ResultJunit(run);
  EXPECT_THAT(xml, HasSubstr("<error message=\"no NPU\" type=\"error\">no NPU</error>"));
  EXPECT_THAT(xml, HasSubstr("errors=\"1\" skipped=\"1\""));
}

TEST(ResultJunit, APassedRunHasNoFailure) {
  RunResult run = SampleRun();
  run.verdict = Verdict::kPassed;
  for (TestResult& test : run.tests) test.verdict = Verdict::kPassed;
  run.steps.resize(1);
  run.layers.resize(1);
  const std::string xml = ResultJunit(run);
  EXPECT_EQ(Occurrences(xml, "<failure") + Occurrences(xml, "<error") + Occurrences(xml, "<skipped"), 0u);
}

TEST(ResultJunit, HostileTextsStayTexts) {
  RunResult run = SampleRun();
  run.tests[0].id = run.tests[4].message = run.steps[0].name = run.suite = kHostileText;
  const std::string xml = ResultJunit(run);
  EXPECT_THAT(xml, Not(HasSubstr("<script")));
  EXPECT_THAT(xml, Not(HasSubstr("<img")));
  EXPECT_EQ(xml.find('\x1b'), std::string::npos);
  EXPECT_EQ(xml.find('\x01'), std::string::npos);
  EXPECT_EQ(xml.find('\xff'), std::string::npos);
}

}  // namespace
}  // namespace yardmaster::worker
