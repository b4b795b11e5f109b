#include "services/review/report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace yardmaster {
namespace {

using ::testing::HasSubstr;

rules::Finding MakeFinding(const std::string& rule, rules::Severity severity, const std::string& path, uint32_t line,
                           const std::string& fingerprint) {
  rules::Finding finding;
  finding.rule_id = rule;
  finding.pack = "lantern";
  finding.severity = severity;
  finding.pack_severity = severity == rules::Severity::kBlock ? "S0" : "S2";
  finding.path = path;
  finding.line = line;
  finding.column = line == 0 ? 0 : 5;
  finding.end_line = line;
  finding.end_column = line == 0 ? 0 : 9;
  finding.message = "message of " + rule;
  finding.fix = "fix of " + rule;
  finding.fingerprint = fingerprint;
  return finding;
}

TEST(ReportJson, HasTheKeysThatScriptsReadAndCountsBySeverity) {
  ReviewReport report;
  report.packs = {"lantern"};
  report.profile = "strict";
  report.files = 2;
  report.seconds = 0.0123456789;
  report.findings = {{MakeFinding("A1", rules::Severity::kBlock, "a.py", 3, "f1")},
                     {MakeFinding("A2", rules::Severity::kInfo, "b.py", 4, "f2")}};
  report.skipped = {{"A3", "a.py", "there is no golden"}};
  const nlohmann::ordered_json json = ReportJson(report);
  EXPECT_EQ(
      json.dump(),
      R"({"packs":["lantern"],"profile":"strict","findings":[{"rule_id":"A1","pack":"lantern","severity":"block",)"
      R"("pack_severity":"S0","path":"a.py","line":3,"column":5,"end_line":3,"end_column":9,"message":"message of A1",)"
      R"("fix":{"hint":"fix of A1"},"fingerprint":"f1"},{"rule_id":"A2","pack":"lantern","severity":"info",)"
      R"("pack_severity":"S2","path":"b.py","line":4,"column":5,"end_line":4,"end_column":9,"message":"message of A2",)"
      R"("fix":{"hint":"fix of A2"},"fingerprint":"f2"}],"skipped":[{"rule_id":"A3","path":"a.py","reason":)"
      R"("there is no golden"}],"checklist":[],"summary":{"files":2,"block":1,"major":0,"minor":0,"info":1,)"
      R"("seconds":0.012346}})");
}

TEST(ReportJson, AFindingAboutAWholeFileStandsAtItsFirstCharacter) {
  const nlohmann::ordered_json json = FindingJson({MakeFinding("A1", rules::Severity::kBlock, "a.py", 0, "f1")});
  EXPECT_EQ(json["line"], 1);
  EXPECT_EQ(json["end_column"], 1);
  EXPECT_EQ(json["whole_file"], true);
}

TEST(FoldLimits, OneFindingStandsForManyFilesThatWereLeftOutForTheSameReason) {
  std::vector<ReportedFinding> findings;
  const auto add = [&](const std::string& rule, const std::string& path, const std::string& message) {
    findings.push_back({MakeFinding(rule, rules::Severity::kBlock, path, 0, "f")});
    findings.back().finding.message = message;
  };
  const std::string limit(rules::kLimitRule);
  for (const char* path : {"a.py", "b.py", "c.py", "d.py", "e.py"}) add(limit, path, "not read");
  for (const char* path : {"f.py", "g.py", "h.py"}) add(limit, path, "too slow");
  for (const char* path : {"i.py", "j.py", "k.py", "l.py"}) add("A1", path, "wrong");
  FoldLimits(findings);
  std::vector<std::string> told;
  told.reserve(findings.size());
  for (const ReportedFinding& one : findings) told.push_back(one.finding.path + ": " + one.finding.message);
  EXPECT_THAT(told,
              ::testing::ElementsAre("a.py: not read; the same of 4 more files", "f.py: too slow", "g.py: too slow",
                                     "h.py: too slow", "i.py: wrong", "j.py: wrong", "k.py: wrong", "l.py: wrong"));
}

TEST(ReviewReport, ReachesTheSeverityOfItsWorstStandingFinding) {
  ReviewReport report;
  report.findings = {{MakeFinding("A1", rules::Severity::kBlock, "a.py", 3, "f1"), FindingStatus::kFixed},
                     {MakeFinding("A2", rules::Severity::kMinor, "a.py", 4, "f2")}};
  EXPECT_FALSE(report.Reaches(rules::Severity::kBlock));
  EXPECT_FALSE(report.Reaches(rules::Severity::kMajor));
  EXPECT_TRUE(report.Reaches(rules::Severity::kMinor));
  EXPECT_TRUE(report.Reaches(rules::Severity::kInfo));
}

TEST(Baseline, KnowsWhatIsNewWhatStaysAndWhatIsGone) {
  ReviewReport before;
  before.findings = {{MakeFinding("A1", rules::Severity::kBlock, "a.py", 3, "same")},
                     {MakeFinding("A2", rules::Severity::kBlock, "a.py", 4, "gone")},
                     {MakeFinding("A3", rules::Severity::kBlock, "elsewhere.py", 4, "not looked at")}};
  std::string error;
  const auto baseline = ReadBaseline(ReportJson(before).dump(), error);
  ASSERT_TRUE(baseline.has_value()) << error;

  ReviewReport now;
  now.findings = {{MakeFinding("A1", rules::Severity::kBlock, "a.py", 30, "same")},
                  {MakeFinding("A4", rules::Severity::kMajor, "a.py", 5, "new")}};
  CompareWithBaseline(*baseline, {"a.py"}, now);
  ASSERT_EQ(now.findings.size(), 3u);
  EXPECT_EQ(now.findings[0].finding.rule_id, "A4");
  EXPECT_EQ(now.findings[0].status, FindingStatus::kNew);
  EXPECT_EQ(now.findings[1].finding.rule_id, "A1");
  EXPECT_EQ(now.findings[1].status, FindingStatus::kStill);
  EXPECT_EQ(now.findings[2].finding.rule_id, "A2");
  EXPECT_EQ(now.findings[2].status, FindingStatus::kFixed);
  // What was there before does not fail a run.
  EXPECT_FALSE(now.Reaches(rules::Severity::kBlock));
  EXPECT_TRUE(now.Reaches(rules::Severity::kMajor));
}

TEST(Baseline, EqualFindingsAreMatchedOneToOneAndThoseOfTheSameFileFirst) {
  const std::vector<rules::Finding> baseline = {MakeFinding("A1", rules::Severity::kBlock, "b/x.md", 1, "f")};
  ReviewReport now;
  now.findings = {{MakeFinding("A1", rules::Severity::kBlock, "a/x.md", 1, "f")},
                  {MakeFinding("A1", rules::Severity::kBlock, "b/x.md", 1, "f")}};
  CompareWithBaseline(baseline, {"a/x.md", "b/x.md"}, now);
  EXPECT_EQ(now.findings[0].status, FindingStatus::kNew);
  EXPECT_EQ(now.findings[1].status, FindingStatus::kStill);
}

TEST(Baseline, OtherTextsAreRefusedWithAReason) {
  std::string error;
  EXPECT_FALSE(ReadBaseline("{", error).has_value());
  EXPECT_FALSE(ReadBaseline("[]", error).has_value());
  EXPECT_THAT(error, HasSubstr("findings"));
  EXPECT_FALSE(ReadBaseline(R"({"findings": [{"rule_id": "A1"}]})", error).has_value());
  EXPECT_THAT(error, HasSubstr("fingerprint"));
  EXPECT_TRUE(ReadBaseline(R"({"findings": []})", error).has_value());
}

TEST(ReportJson, ThePartOfARuleIsAFieldOfItsOwn) {
  ReviewReport report;
  report.findings = {{MakeFinding("A1", rules::Severity::kBlock, "a.py", 3, "f1")}};
  report.findings[0].finding.part = "more";
  report.skipped = {{"A1", "a.py", "needs golden", "last"}};
  const nlohmann::ordered_json json = ReportJson(report);
  EXPECT_EQ(json["findings"][0]["rule_id"], "A1");
  EXPECT_EQ(json["findings"][0]["part"], "more");
  EXPECT_EQ(json["skipped"][0].dump(), R"({"rule_id":"A1","part":"last","path":"a.py","reason":"needs golden"})");
  std::string error;
  const auto baseline = ReadBaseline(json.dump(), error);
  ASSERT_TRUE(baseline.has_value()) << error;
  EXPECT_EQ(baseline->front().part, "more");
}

}  // namespace
}  // namespace yardmaster
