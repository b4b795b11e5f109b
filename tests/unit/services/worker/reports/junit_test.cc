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

Report Parsed(const std::string& xml) {
  const absl::StatusOr<Report> report = ParseJunit(xml);
  EXPECT_TRUE(report.ok()) << report.status();
  return report.value_or(Report{});
}

std::string Error(const std::string& xml) {
  const absl::StatusOr<Report> report = ParseJunit(xml);
  EXPECT_EQ(report.status().code(), absl::StatusCode::kInvalidArgument);
  return std::string(report.status().message());
}

TEST(ParseJunit, IdsAreThoseThatPytestTakesAsArguments) {
  const Report report = Parsed(Sample("pytest.xml"));
  EXPECT_THAT(
      Ids(report),
      ElementsAre("tests/ut/test_shard.py::TestShard::test_even", "tests/ut/test_shard.py::TestShard::test_uneven",
                  "tests/ut/test_shard.py::TestShard::TestInner::test_deep",
                  "tests/ut/test_shard.py::test_dtype[float32]", "tests/ut/test_shard.py::test_dtype[bf16/x]",
                  "tests/ut/test_shard.py::test_dtype[a.b]", "tests/ut/test_shard.py::test_dtype[a b]",
                  "tests/ut/test_shard.py::test_npu", "tests/ut/test_shard.py::test_known",
                  "tests/ut/test_shard.py::test_xpass", "tests/ut/test_shard.py::test_setup",
                  "tests/ut/test_shard.py::test_teardown", "tests/ut/test_shard.py::test_both"));
  EXPECT_EQ(report.problem, "");
}

TEST(ParseJunit, TheOlderFormatGivesTheSameTests) {
  const Report now = Parsed(Sample("pytest.xml"));
  const Report old = Parsed(Sample("pytest_xunit1.xml"));
  EXPECT_EQ(Ids(old), Ids(now));
}

TEST(ParseJunit, OutcomesAndMessagesOfARealReport) {
  const Report report = Parsed(Sample("pytest.xml"));
  EXPECT_EQ(Find(report, "tests/ut/test_shard.py::TestShard::test_even").outcome, Outcome::kPassed);
  const ReportTest uneven = Find(report, "tests/ut/test_shard.py::TestShard::test_uneven");
  EXPECT_EQ(uneven.outcome, Outcome::kFailed);
  EXPECT_EQ(uneven.message.rfind("AssertionError: rank 3 holds another slice\n", 0), 0U) << uneven.message;
  EXPECT_THAT(uneven.message, HasSubstr("tests/ut/test_shard.py:6: AssertionError"));
  EXPECT_DOUBLE_EQ(uneven.seconds, 0.001);
  const ReportTest npu = Find(report, "tests/ut/test_shard.py::test_npu");
  EXPECT_EQ(npu.outcome, Outcome::kSkipped);
  EXPECT_THAT(npu.message, HasSubstr("needs 8 NPUs"));
  const ReportTest known = Find(report, "tests/ut/test_shard.py::test_known");
  EXPECT_EQ(known.outcome, Outcome::kSkipped);
  EXPECT_EQ(known.message, "expected to fail: known: uneven shards");
  EXPECT_EQ(Find(report, "tests/ut/test_shard.py::test_setup").outcome, Outcome::kFailed);
  EXPECT_EQ(Find(report, "tests/ut/test_shard.py::test_teardown").outcome, Outcome::kFailed);
}

TEST(ParseJunit, ATestThatFailsTwiceIsOneTestWithBothMessages) {
  const ReportTest both = Find(Parsed(Sample("pytest.xml")), "tests/ut/test_shard.py::test_both");
  EXPECT_EQ(both.outcome, Outcome::kFailed);
  EXPECT_THAT(both.message, HasSubstr("AssertionError: first"));
  EXPECT_THAT(both.message, HasSubstr("group not destroyed"));
}

TEST(ParseJunit, AModuleThatCannotBeImportedIsAFailedTest) {
  const Report report = Parsed(Sample("pytest_collection_error.xml"));
  EXPECT_THAT(Ids(report), ElementsAre("tests/ut/test_broken.py"));
  EXPECT_EQ(report.tests[0].outcome, Outcome::kFailed);
  EXPECT_THAT(report.tests[0].message, HasSubstr("No module named 'no_such_module'"));
}

TEST(ParseJunit, NothingCollectedIsAReportWithoutTests) {
  const Report report = Parsed(Sample("pytest_nothing_collected.xml"));
  EXPECT_THAT(report.tests, IsEmpty());
  EXPECT_EQ(report.problem, "");
}

TEST(ParseJunit, AReportCutOffInTheMiddleNamesItsPlace) {
  const std::string whole = Sample("pytest.xml");
  for (const size_t size : {whole.size() / 3, whole.size() / 2, whole.size() - 3}) {
    EXPECT_THAT(Error(whole.substr(0, size)), HasSubstr("the JUnit report ends in the middle, in line ")) << size;
  }
  EXPECT_THAT(Error("<testsuite>\n<testcase name=\"a\"/>\n"), HasSubstr("in line 3"));
}

TEST(ParseJunit, AnEmptyFileSaysThatTheProgramEndedBefore) {
  EXPECT_EQ(Error(""), "the JUnit report is empty: the program ended before it wrote it");
  EXPECT_THAT(Error("  \n "), HasSubstr("is empty"));
}

TEST(ParseJunit, WhatIsNoReportIsNamed) {
  EXPECT_THAT(Error("Traceback (most recent call last):"), HasSubstr("line 1"));
  EXPECT_THAT(Error("<html><body/></html>"), HasSubstr("begins with <html>"));
  EXPECT_THAT(Error("<testsuite>\n</testcase>\n</testsuite>"), HasSubstr("line 2"));
}

TEST(ParseJunit, ATestIsNotPassedByTotalsThatHideIt) {
  const Report lost =
      Parsed(R"(<testsuite tests="3" failures="0"><testcase classname="test_a" name="b"/></testsuite>)");
  EXPECT_EQ(lost.problem, "it says that there were 3 tests, and has 1");
  const Report failed =
      Parsed(R"(<testsuite tests="1" failures="1"><testcase classname="test_a" name="b"/></testsuite>)");
  EXPECT_EQ(failed.problem, "it says that 1 tests failed, and shows 0 of them");
}

TEST(ParseJunit, WithoutTotalsNothingIsContradicted) {
  const Report report = Parsed(R"(<testsuites><testsuite><testcase classname="test_a" name="b"><failure/></testcase>
      </testsuite><testsuite tests="x"/></testsuites>)");
  EXPECT_EQ(report.problem, "");
  EXPECT_EQ(report.tests.at(0).outcome, Outcome::kFailed);
  EXPECT_EQ(report.tests.at(0).message, "");
}

TEST(ParseJunit, ClassesAreToldFromModulesByTheirNames) {
  const Report report = Parsed(R"(<testsuite>
    <testcase classname="tests.test_ops.test_gemm.TestBig.TestBigger" name="a"/>
    <testcase classname="pkg.checks.Checks" name="b"/>
    <testcase classname="shard_test" name="c"/>
    <testcase classname="" name="d"/>
    <testcase classname="pytest" name="internal"><error message="internal error"/></testcase></testsuite>)");
  EXPECT_THAT(Ids(report), ElementsAre("tests/test_ops/test_gemm.py::TestBig::TestBigger::a",
                                       "pkg/checks.py::Checks::b", "shard_test.py::c", "d", "pytest::internal"));
}

TEST(ParseJunit, TimesThatAreNoneCountAsZero) {
  const Report report = Parsed(R"(<testsuite><testcase name="a" time="-1"/><testcase name="b" time="nan"/>
    <testcase name="c" time="1,234.5"/><testcase name="d" time="1e999"/><testcase name="e"/></testsuite>)");
  std::vector<double> seconds;
  seconds.reserve(report.tests.size());
  for (const ReportTest& test : report.tests) seconds.push_back(test.seconds);
  EXPECT_THAT(seconds, ElementsAre(0, 0, 1234.5, 0, 0));
}

TEST(ParseJunit, LongMessagesKeepBeginAndEnd) {
  const Report report = Parsed("<testsuite><testcase name=\"a\"><failure message=\"first words\">" +
                               std::string(100'000, 'x') + " the end</failure></testcase></testsuite>");
  const std::string& message = report.tests.at(0).message;
  EXPECT_LE(message.size(), kMaxReportMessageBytes);
  EXPECT_EQ(message.rfind("first words", 0), 0U);
  EXPECT_THAT(message, ::testing::EndsWith("the end"));
}

TEST(ParseJunit, EntitiesOfADocumentTypeAreNotRead) {
  EXPECT_THAT(Error("<!DOCTYPE x [<!ENTITY a \"aaaa\"><!ENTITY b \"&a;&a;\">]><testsuite>&b;</testsuite>"),
              HasSubstr("declares a document type"));
}

TEST(ParseJunit, BytesThatAreNotUtf8DoNotSpoilAReport) {
  const Report report =
      Parsed("<testsuite><testcase name=\"a\"><failure message=\"\xff\xfe\x01\"/></testcase></testsuite>");
  EXPECT_EQ(report.tests.at(0).outcome, Outcome::kFailed);
}

TEST(ParseJunit, LimitsAreNamed) {
  std::string deep;
  for (int i = 0; i < 40; ++i) deep += "<testsuite>";
  deep += "<testcase name=\"a\"/>";
  for (int i = 0; i < 40; ++i) deep += "</testsuite>";
  EXPECT_THAT(Error(deep), HasSubstr("more than 16 deep"));

  std::string many = "<testsuite>";
  for (size_t i = 0; i <= kMaxReportTests; ++i) many += "<testcase name=\"t" + std::to_string(i) + "\"/>";
  EXPECT_THAT(Error(many + "</testsuite>"), HasSubstr("more than 200000 tests"));

  EXPECT_THAT(Error(std::string(kMaxReportBytes + 1, ' ')), HasSubstr("bytes; at most"));
}

TEST(ParseJunit, ATestThatPassedSaysWhatItComposed) {
  const auto report = ParseJunit(
      "<testsuites><testsuite name='pytest' tests='2'><testcase classname='test_a' name='test_b' time='1'><properties>"
      "<property name='composed' value='reduce_scatter of all_reduce'/><property name='other' value='x'/><property "
      "name='composed' value='all_to_all of send'/></properties></testcase><testcase classname='test_a' name='test_c'>"
      "<properties><property name='other' value='x'/></properties></testcase></testsuite></testsuites>");
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->tests.size(), 2u);
  EXPECT_EQ(report->tests[0].outcome, Outcome::kPassed);
  EXPECT_EQ(report->tests[0].message, "composed: reduce_scatter of all_reduce; all_to_all of send");
  EXPECT_EQ(report->tests[1].message, "");
}

}  // namespace
}  // namespace yardmaster::worker
