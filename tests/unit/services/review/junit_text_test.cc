#include "services/review/junit_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <pugixml.hpp>
#include <string>
#include <string_view>

namespace yardmaster {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

ReportedFinding JunitFinding(rules::Severity severity, FindingStatus status, const std::string& message) {
  ReportedFinding reported;
  reported.finding.rule_id = "R1";
  reported.finding.part = "part";
  reported.finding.path = "a/b.py";
  reported.finding.line = 3;
  reported.finding.column = 5;
  reported.finding.severity = severity;
  reported.finding.message = message;
  reported.finding.fix = "Mend it.";
  reported.status = status;
  return reported;
}

pugi::xml_node SuiteOf(const ReviewReport& report, rules::Severity fail_on, pugi::xml_document& document) {
  EXPECT_TRUE(document.load_string(JunitText(report, fail_on).c_str()));
  return document.child("testsuites").child("testsuite");
}

TEST(JunitText, FindingsThatCountAreFailures) {
  ReviewReport report;
  report.findings = {JunitFinding(rules::Severity::kBlock, FindingStatus::kNone, "one"),
                     JunitFinding(rules::Severity::kMinor, FindingStatus::kNone, "two"),
                     JunitFinding(rules::Severity::kBlock, FindingStatus::kStill, "three"),
                     JunitFinding(rules::Severity::kBlock, FindingStatus::kFixed, "four")};
  pugi::xml_document document;
  const pugi::xml_node suite = SuiteOf(report, rules::Severity::kMajor, document);
  EXPECT_EQ(suite.attribute("tests").as_int(), 3);
  EXPECT_EQ(suite.attribute("failures").as_int(), 1);
  const pugi::xml_node first = suite.child("testcase");
  EXPECT_STREQ(first.attribute("classname").value(), "a/b.py");
  EXPECT_STREQ(first.attribute("name").value(), "R1.part line 3");
  EXPECT_STREQ(first.child("failure").attribute("type").value(), "block");
  EXPECT_THAT(first.child("failure").text().get(), HasSubstr("a/b.py:3:5: block R1.part: one → Mend it."));
}

TEST(JunitText, WhatFilesHoldBreaksNothing) {
  constexpr std::string_view kMessage("<a> & ]]> \"q\" \x01\xff \0 end", 22);
  static_assert(kMessage.ends_with("end"));
  ReviewReport report;
  report.findings = {JunitFinding(rules::Severity::kBlock, FindingStatus::kNone, std::string(kMessage))};
  pugi::xml_document document;
  EXPECT_THAT(SuiteOf(report, rules::Severity::kInfo, document).child("testcase").child("failure").text().get(),
              AllOf(HasSubstr("<a> & ]]> \"q\""), HasSubstr("end")));
}

TEST(JunitText, NothingFoundIsOneCaseThatPasses) {
  ReviewReport report;
  report.files = 2;
  pugi::xml_document document;
  const pugi::xml_node suite = SuiteOf(report, rules::Severity::kInfo, document);
  EXPECT_EQ(suite.attribute("failures").as_int(), 0);
  EXPECT_STREQ(suite.child("testcase").attribute("name").value(), "2 files, nothing found");
}

}  // namespace
}  // namespace yardmaster
