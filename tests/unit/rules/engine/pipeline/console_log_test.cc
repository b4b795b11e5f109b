#include "rules/engine/pipeline/console_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <string_view>

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Pattern Compiled(std::string_view text) {
  std::string error;
  Pattern pattern(text, error);
  EXPECT_EQ(error, "");
  return pattern;
}

LogRules Rules() {
  LogRules rules;
  rules.strip = {Compiled(R"(^\[\d\d:\d\d\] )")};
  rules.stages = {Compiled(R"(stage (?P<stage>\w+) failed)")};
  rules.failures = {
      {"lint", "Lint", "", Compiled(R"((?P<file>\S+):(?P<line>\d+): (?P<rule>[A-Z]\d+) (?P<message>.*))")},
      {"test", "", "", Compiled(R"(FAILED (?P<file>[^:]+)::(?P<test>.+?)(?: - (?P<message>.*))?$)")}};
  rules.markers = {Compiled("ERROR")};
  rules.infrastructure = {{"lost", "the machine was lost", Compiled("machine lost")}};
  return rules;
}

TEST(ConsoleLogTest, AFailureHasItsPlaceStageAndExcerpt) {
  const LogReport log =
      ReadConsoleLog(Rules(), "[10:00] begin\n[10:01] a/b.py:7: E12 wrong\n[10:02] stage Lint failed\n");
  ASSERT_THAT(log.failures, SizeIs(1));
  const LogFailure& failure = log.failures[0];
  EXPECT_EQ(failure.pattern, "lint");
  EXPECT_EQ(failure.stage, "Lint");
  EXPECT_EQ(failure.rule, "E12");
  EXPECT_EQ(failure.file, "a/b.py");
  EXPECT_EQ(failure.line, 7U);
  EXPECT_EQ(failure.message, "wrong");
  EXPECT_EQ(failure.log_line, 2U);
  EXPECT_THAT(log.stages, ElementsAre("Lint"));
  EXPECT_THAT(log.excerpt, ElementsAre("begin", "a/b.py:7: E12 wrong", "stage Lint failed"));
  EXPECT_TRUE(log.complete);
}

TEST(ConsoleLogTest, ARuleThatTheLineDoesNotNameIsThatOfThePattern) {
  LogRules rules = Rules();
  rules.failures.push_back({"cc", "", "error", Compiled(R"(^error: (?P<message>.*?)(?: \[(?P<rule>-W\w+)\])?$)")});
  const LogReport log = ReadConsoleLog(rules, "error: gone\nerror: unused [-Wunused]\n");
  ASSERT_THAT(log.failures, SizeIs(2));
  EXPECT_EQ(log.failures[0].rule, "error");
  EXPECT_EQ(log.failures[1].rule, "-Wunused");
  EXPECT_EQ(log.failures[1].message, "unused");
}

TEST(ConsoleLogTest, APlaceIsThatOfWhatFollowsInItsStage) {
  LogRules rules = Rules();
  rules.places = {Compiled(R"(^In (?P<file>\S+) line (?P<line>\d+):$)")};
  rules.failures.push_back({"shell", "", "", Compiled(R"(^(?P<rule>SC\d+): (?P<message>.*))"), true});
  const LogReport log = ReadConsoleLog(rules,
                                       "SC1: before any place\n"
                                       "In a.sh line 9:\n  echo $x\nSC2: one\nSC3: two\nIn b.sh line 3:\nSC4: three\n"
                                       "t.py:7: E12 has its own\nstage Shell failed\nSC5: behind it\n");
  ASSERT_THAT(log.failures, SizeIs(6));
  const auto place = [&](size_t i) { return log.failures[i].file + ":" + std::to_string(log.failures[i].line); };
  EXPECT_EQ(place(0), ":0");
  EXPECT_EQ(place(1), "a.sh:9");
  EXPECT_EQ(place(2), "a.sh:9");
  EXPECT_EQ(place(3), "b.sh:3");
  EXPECT_EQ(place(4), "t.py:7");
  EXPECT_EQ(place(5), ":0");
}

TEST(ConsoleLogTest, AFailureWithoutAStageBelongsToTheOneThatEndsNext) {
  const LogReport log = ReadConsoleLog(
      Rules(), "FAILED t.py::test_a[2 x 4] - boom\nstage UT failed\nFAILED t.py::test_b\nstage ST failed\n");
  ASSERT_THAT(log.failures, SizeIs(2));
  EXPECT_EQ(log.failures[0].test, "test_a[2 x 4]");
  EXPECT_EQ(log.failures[0].stage, "UT");
  EXPECT_EQ(log.failures[1].stage, "ST");
  EXPECT_THAT(log.stages, ElementsAre("UT", "ST"));
}

TEST(ConsoleLogTest, ASummaryTellsNothingTwice) {
  const LogReport log = ReadConsoleLog(Rules(), "FAILED t.py::test_a - boom\nFAILED t.py::test_a\nstage UT failed\n");
  EXPECT_THAT(log.failures, SizeIs(1));
}

TEST(ConsoleLogTest, AStageOfWhichNothingIsKnownHasTheLastLineWorthShowing) {
  const LogReport log = ReadConsoleLog(Rules(), "ERROR first\nERROR second\nstage Scan failed\n");
  ASSERT_THAT(log.failures, SizeIs(1));
  EXPECT_EQ(log.failures[0].pattern, "");
  EXPECT_EQ(log.failures[0].message, "ERROR second");
  EXPECT_THAT(log.markers, ElementsAre("ERROR first", "ERROR second"));
}

TEST(ConsoleLogTest, ColoursAreNoPartOfALine) {
  const LogReport log = ReadConsoleLog(Rules(), "\x1b[31ma.py:7: E12 wrong\x1b[0m\n");
  ASSERT_THAT(log.failures, SizeIs(1));
  EXPECT_EQ(log.failures[0].file, "a.py");
  EXPECT_EQ(log.failures[0].message, "wrong");
}

TEST(ConsoleLogTest, TheMachinesFaultsAreToldOnce) {
  const LogReport log = ReadConsoleLog(Rules(), "machine lost\nmachine lost\n");
  EXPECT_THAT(log.infrastructure, ElementsAre("lost"));
  EXPECT_THAT(log.failures, IsEmpty());
}

TEST(ConsoleLogTest, OfALongLogTheEndIsRead) {
  std::string text(kMaxConsoleBytes, 'x');
  text += "\na.py:7: E12 wrong\n";
  const LogReport log = ReadConsoleLog(Rules(), text);
  EXPECT_FALSE(log.complete);
  ASSERT_THAT(log.failures, SizeIs(1));
  EXPECT_EQ(log.failures[0].file, "a.py");
}

TEST(ConsoleLogTest, LimitsAreTold) {
  std::string text;
  for (size_t i = 0; i < kMaxLogFailures + 5; ++i) text += "a.py:" + std::to_string(i + 1) + ": E1 x\n";
  const LogReport many = ReadConsoleLog(Rules(), text);
  EXPECT_THAT(many.failures, SizeIs(kMaxLogFailures));
  EXPECT_FALSE(many.complete);
  const LogReport wide = ReadConsoleLog(Rules(), "ERROR " + std::string(2 * kMaxConsoleLineBytes, 'y'));
  EXPECT_FALSE(wide.complete);
  ASSERT_THAT(wide.markers, SizeIs(1));
  EXPECT_LE(wide.markers[0].size(), kMaxConsoleLineBytes + 3);
}

TEST(ConsoleLogTest, ALineNumberThatIsNoneIsUnknown) {
  const LogReport log = ReadConsoleLog(Rules(), "a.py:99999999999999999999: E1 x\n");
  ASSERT_THAT(log.failures, SizeIs(1));
  EXPECT_EQ(log.failures[0].line, 0U);
}

TEST(PatternTest, WhatIsNoPatternIsAnError) {
  std::string error;
  const Pattern pattern("(", error);
  EXPECT_THAT(error, HasSubstr("missing"));
  EXPECT_FALSE(pattern.Matches("("));
  EXPECT_FALSE(pattern.Find("(").has_value());
}

}  // namespace
}  // namespace yardmaster::rules
