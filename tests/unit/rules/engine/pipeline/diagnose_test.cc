// What the cases of the shipped profiles can't show: laws that hold whatever the signals are. The table itself is in
// rules/packs/hyper-parallel/pipeline.json, whose cases run with the packs.
#include "rules/engine/pipeline/diagnose.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "services/core/defang.h"

namespace yardmaster::rules {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using ::testing::HasSubstr;

const PipelineTime kNow = *ParsePipelineTime("2025-06-10T12:00:00Z");

PipelineProfile TwoGates() {
  PipelineProfile profile;
  profile.trusted_authors = {"gatebot"};
  profile.max_retests = 2;
  profile.description_gate = DescriptionGate{
      .trigger = "/look", .passed = "looked", .failed = "", .passed_comments = {}, .failed_comments = {}};
  std::string error;
  profile.description_gate->failed_comments = {Pattern("not good", error)};
  profile.build_gate.trigger = "/go";
  profile.build_gate.passed = {"built"};
  profile.build_gate.running = {"building"};
  profile.build_gate.bypass = std::chrono::minutes(1);
  return profile;
}

TEST(DiagnoseTest, NothingButBothLabelsIsGreen) {
  // Every combination of the signals that decide; the promise is about the outcome alone.
  const PipelineProfile profile = TwoGates();
  size_t green = 0;
  for (int bits = 0; bits < 1 << 8; ++bits) {
    const auto bit = [bits](int i) { return (bits >> i & 1) != 0; };
    PipelineSignals signals;
    signals.head_at = kNow - hours(2);
    if (bit(0)) signals.labels.emplace_back("looked");
    if (bit(1)) signals.labels.emplace_back("built");
    if (bit(2)) signals.labels.emplace_back("building");
    if (bit(3)) signals.comments.push_back({"gatebot", "not good", kNow - hours(1)});
    if (bit(4)) signals.comments.push_back({"ann", "/go", kNow - minutes(90)});
    signals.builds.emplace();
    if (bit(5)) {
      PipelineBuild build;
      build.number = 1;
      build.result = bit(6) ? "SUCCESS" : "FAILURE";
      build.started = kNow - hours(1);
      build.duration = bit(7) ? std::chrono::seconds(17) : std::chrono::seconds(900);
      signals.builds->push_back(build);
    }
    const PipelineReport report = Diagnose(profile, signals, kNow);
    EXPECT_EQ(report.gate_ok, report.phase == PipelinePhase::kGreen) << bits;
    EXPECT_FALSE(report.why.empty()) << bits;
    EXPECT_TRUE(IsChinese(report.why_zh)) << bits;
    if (report.gate_ok) {
      ++green;
      EXPECT_TRUE(bit(0) && bit(1) && !bit(2)) << bits;
    }
    // Nobody starts what runs, or skips the first gate.
    if (bit(2)) {
      EXPECT_NE(report.action, PipelineAction::kRetest) << bits;
      EXPECT_NE(report.action, PipelineAction::kCheckPr) << bits;
    }
    if (!bit(0)) EXPECT_NE(report.action, PipelineAction::kRetest) << bits;
  }
  EXPECT_GT(green, 0U);
}

TEST(DiagnoseTest, TheOrderOfCommentsAndBuildsMakesNoDifference) {
  const PipelineProfile profile = TwoGates();
  PipelineSignals signals;
  signals.head_at = kNow - hours(3);
  signals.labels = {"looked"};
  signals.label_events = {{"looked", true, kNow - hours(2)}};
  signals.comments = {{"gatebot", "not good", kNow - minutes(150)}, {"ann", "/go", kNow - minutes(50)}};
  signals.builds.emplace();
  for (int64_t i = 1; i <= 2; ++i) {
    PipelineBuild build;
    build.number = i;
    build.result = i == 1 ? "SUCCESS" : "FAILURE";
    build.started = kNow - minutes(60 / i);
    signals.builds->push_back(build);
  }
  const PipelineReport one = Diagnose(profile, signals, kNow);
  std::reverse(signals.comments.begin(), signals.comments.end());
  std::reverse(signals.builds->begin(), signals.builds->end());
  const PipelineReport other = Diagnose(profile, signals, kNow);
  EXPECT_EQ(PipelineReportJson(one), PipelineReportJson(other));
  EXPECT_EQ(one.phase, PipelinePhase::kP2Failed);
}

TEST(DiagnoseTest, AtMostSoManyStartsThenAPerson) {
  const PipelineProfile profile = TwoGates();
  PipelineSignals signals;
  signals.head_at = kNow - hours(5);
  signals.labels = {"looked"};
  PipelineBuild build;
  build.number = 9;
  build.result = "SUCCESS";
  build.started = kNow - minutes(40);
  build.duration = std::chrono::seconds(17);
  signals.builds = {build};
  for (uint32_t starts = 1; starts <= 4; ++starts) {
    signals.comments.push_back({"ann", "/go", kNow - hours(4) + minutes(starts)});
    const PipelineReport report = Diagnose(profile, signals, kNow);
    EXPECT_EQ(report.retests, starts - 1);
    EXPECT_EQ(report.call_person, starts > profile.max_retests) << starts;
    EXPECT_EQ(report.action, starts > profile.max_retests ? PipelineAction::kStop : PipelineAction::kRetest);
  }
}

TEST(DiagnoseTest, EvidenceTellsWhatWasNotBelieved) {
  PipelineSignals signals;
  signals.comments = {{"mallory", "not good", kNow - minutes(5)}};
  const PipelineReport report = Diagnose(TwoGates(), signals, kNow);
  ASSERT_EQ(report.evidence.size(), 1U);
  EXPECT_FALSE(report.evidence[0].trusted);
  EXPECT_EQ(report.evidence[0].value, "not good");
  EXPECT_EQ(report.check_pr_failure, "");
}

TEST(SignalsTest, WhatIsWrongIsNamed) {
  const auto error_of = [](const char* text) {
    std::string error;
    EXPECT_FALSE(ReadPipelineSignals(nlohmann::json::parse(text), error).has_value());
    return error;
  };
  EXPECT_THAT(error_of("[]"), HasSubstr("signals: expected an object"));
  EXPECT_THAT(error_of("{}"), HasSubstr("pr: expected an object"));
  EXPECT_THAT(error_of(R"({"pr": {}, "labels": [3]})"), HasSubstr("labels: expected a list of texts"));
  EXPECT_THAT(error_of(R"({"pr": {}, "builds": [{"started": "yesterday"}]})"), HasSubstr("started: expected a time"));
  EXPECT_THAT(error_of(R"({"pr": {"number": 1e300}})"), HasSubstr("number: expected a whole number"));
  EXPECT_THAT(error_of(R"({"pr": {"head_at": "9999-01-01T00:00:00Z"}})"), HasSubstr("head_at: expected a time"));
  EXPECT_THAT(error_of(R"({"pr": {}, "checks": [{"name": "x", "state": "green"}]})"), HasSubstr("state: expected"));
}

TEST(SignalsTest, TimesHaveAnyOffset) {
  EXPECT_EQ(ParsePipelineTime("2025-06-10T20:00:00+08:00"), kNow);
  EXPECT_EQ(PipelineTimeText(kNow), "2025-06-10T12:00:00Z");
  EXPECT_FALSE(ParsePipelineTime("2025-06-10").has_value());
}

}  // namespace
}  // namespace yardmaster::rules
