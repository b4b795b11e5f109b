#include "services/review/sarif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/unit/services/review/sarif_schema.h"

namespace yardmaster {
namespace {

using ::testing::IsEmpty;
using OrderedJson = nlohmann::ordered_json;

ReportedFinding Finding(const std::string& rule, rules::Severity severity, const std::string& path, uint32_t line) {
  ReportedFinding reported;
  reported.finding.rule_id = rule;
  reported.finding.severity = severity;
  reported.finding.path = path;
  reported.finding.line = line;
  reported.finding.column = line == 0 ? 0 : 3;
  reported.finding.end_line = line;
  reported.finding.end_column = line == 0 ? 0 : 8;
  reported.finding.message = "a message";
  reported.finding.fingerprint = "0123456789abcdef";
  return reported;
}

// Valid by the schema, and what the schema can't say: indexes that lead to the right rule, regions that end behind
// their start.
void CheckLog(const OrderedJson& log) {
  EXPECT_THAT(testing::SarifProblems(nlohmann::json(log)), IsEmpty()) << log.dump(1);
  for (const OrderedJson& run : log["runs"]) {
    EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
    const OrderedJson& rules = run["tool"]["driver"]["rules"];
    for (const OrderedJson& result : run["results"]) {
      EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
      ASSERT_LT(result["ruleIndex"].get<size_t>(), rules.size());
      EXPECT_EQ(rules[result["ruleIndex"].get<size_t>()]["id"], result["ruleId"]);
      std::vector<OrderedJson> regions;
      if (result.contains("locations") && result["locations"][0]["physicalLocation"].contains("region"))
        regions.push_back(result["locations"][0]["physicalLocation"]["region"]);
      for (const OrderedJson& fix : result.value("fixes", OrderedJson::array())) {
        for (const OrderedJson& replacement : fix["artifactChanges"][0]["replacements"])
          regions.push_back(replacement["deletedRegion"]);
      }
      for (const OrderedJson& region : regions) {
        if (!region.contains("endLine")) continue;
        EXPECT_LE(std::pair(region["startLine"].get<int>(), region["startColumn"].get<int>()),
                  std::pair(region["endLine"].get<int>(), region["endColumn"].get<int>()));
      }
    }
  }
}

TEST(Sarif, AnEmptyReviewIsALogWithOneRun) {
  const OrderedJson log = SarifLog({}, {});
  CheckLog(log);
  EXPECT_EQ(log["runs"].size(), 1u);
  EXPECT_TRUE(log["runs"][0]["results"].empty());
}

TEST(Sarif, ListsEachRuleOnceAndPointsAtIt) {
  rules::CheckInfo info;
  info.id = "A1";
  info.title = "one entry";
  info.fix = "Remove the others.";
  ReviewReport report;
  report.findings = {Finding("A1", rules::Severity::kBlock, "a.py", 3),
                     Finding("A2", rules::Severity::kMinor, "a.py", 4),
                     Finding("A1", rules::Severity::kBlock, "b.py", 0)};
  report.skipped = {{"A3", "a.py", "there is no golden"}};
  const OrderedJson log = SarifLog(report, {{"A1", &info}});
  CheckLog(log);
  const OrderedJson& run = log["runs"][0];
  ASSERT_EQ(run["tool"]["driver"]["rules"].size(), 2u);
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["shortDescription"]["text"], "one entry");
  EXPECT_EQ(run["results"][2]["ruleIndex"], 0);
  EXPECT_EQ(run["results"][0]["level"], "error");
  EXPECT_EQ(run["results"][1]["level"], "warning");
  EXPECT_FALSE(run["results"][2]["locations"][0]["physicalLocation"].contains("region"));
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["region"],
            OrderedJson::parse(R"({"startLine":3,"startColumn":3,"endLine":3,"endColumn":8})"));
  EXPECT_EQ(run["invocations"][0]["toolExecutionNotifications"].size(), 1u);
}

TEST(Sarif, ComparedFindingsHaveABaselineState) {
  ReviewReport report;
  report.findings = {Finding("A1", rules::Severity::kBlock, "a.py", 3),
                     Finding("A1", rules::Severity::kBlock, "a.py", 4),
                     Finding("A1", rules::Severity::kBlock, "a.py", 5)};
  report.findings[0].status = FindingStatus::kNew;
  report.findings[1].status = FindingStatus::kStill;
  report.findings[2].status = FindingStatus::kFixed;
  const OrderedJson log = SarifLog(report, {});
  CheckLog(log);
  const OrderedJson& results = log["runs"][0]["results"];
  EXPECT_EQ(results[0]["baselineState"], "new");
  EXPECT_EQ(results[1]["baselineState"], "unchanged");
  EXPECT_EQ(results[2]["baselineState"], "absent");
}

TEST(Sarif, HostilePathsBecomeUriReferences) {
  EXPECT_EQ(UriOfPath("a b/ü#?.py"), "a%20b/%C3%BC%23%3F.py");
  EXPECT_EQ(UriOfPath("http://x/y.py"), "http%3A//x/y.py");
  EXPECT_EQ(UriOfPath("//host/share.py"), "/host/share.py");
  EXPECT_EQ(UriOfPath("100%.py"), "100%25.py");
  EXPECT_EQ(UriOfPath(std::string("a\0b\n\xff", 5)), "a%00b%0A%FF");
}

TEST(Sarif, HostileTextsStayValidJson) {
  ReviewReport report;
  report.findings = {Finding("A1", rules::Severity::kBlock, "a\xff.py", 3)};
  report.findings[0].finding.message = std::string("\xc3(\0\x1b\"\\", 6);
  report.findings[0].finding.end_line = 1;  // before its start
  const OrderedJson again = OrderedJson::parse(DumpReport(SarifLog(report, {})), nullptr, false);
  ASSERT_FALSE(again.is_discarded());
  CheckLog(again);
  const OrderedJson& region = again["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
  EXPECT_EQ(region["endLine"], 3);
}

TEST(Sarif, EditsAreFixesInCodePoints) {
  ReviewReport report;
  report.findings = {Finding("A1", rules::Severity::kBlock, "ü b.py", 3),
                     Finding("A2", rules::Severity::kInfo, "c.py", 1)};
  rules::Finding& finding = report.findings[0].finding;
  finding.fix = "Write it so.";
  finding.edits = {{3, 3, 3, 8, "new \"text\"\n"}, {4, 1, 4, 1, ""}};
  // An edit at the edge: of a file without lines, and one whose end is before its start.
  report.findings[1].finding.edits = {{0, 0, 0, 0, "x"}, {5, 9, 5, 2, "y"}, {6, 9, 4, 2, "z"}};
  const OrderedJson log = SarifLog(report, {});
  CheckLog(log);
  const OrderedJson& results = log["runs"][0]["results"];
  EXPECT_EQ(results[0]["fixes"],
            OrderedJson::parse(R"([{"artifactChanges": [{"artifactLocation": {"uri": "%C3%BC%20b.py"},
      "replacements": [
        {"deletedRegion": {"startLine": 3, "startColumn": 3, "endLine": 3, "endColumn": 8},
         "insertedContent": {"text": "new \"text\"\n"}},
        {"deletedRegion": {"startLine": 4, "startColumn": 1, "endLine": 4, "endColumn": 1},
         "insertedContent": {"text": ""}}]}],
      "description": {"text": "Write it so."}}])"));
}

TEST(Sarif, AFindingAboutNothingInParticularHasNoPlace) {
  ReviewReport report;
  report.findings = {Finding("YM-GATE", rules::Severity::kBlock, "", 0)};
  report.skipped = {{"*", "", "nobody knows"}};
  const OrderedJson log = SarifLog(report, {});
  CheckLog(log);
  EXPECT_FALSE(log["runs"][0]["results"][0].contains("locations"));
}

TEST(Sarif, EverySeverityStatusAndTextIsValid) {
  ReviewReport report;
  const std::vector<std::string> texts = {
      "", "\xff\xfe", std::string("\0", 1), "a{0}b", "[link](http://x)", "\u2028", std::string(100'000, 'x')};
  const std::vector<std::string> paths = {"..", "a:b", "?", "#", "a\\b", "%zz", "\xf0\x9f\x90\x8d.py", "/", "[x]"};
  rules::CheckInfo info;
  info.title = info.description = info.fix = texts[1];
  info.pack = "p";
  SarifRules rules;
  for (size_t i = 0; i < texts.size() * paths.size(); ++i) {
    ReportedFinding reported = Finding("R" + texts[i % texts.size()].substr(0, 9), static_cast<rules::Severity>(i % 4),
                                       paths[i % paths.size()], i % 3);
    reported.finding.message = reported.finding.fix = reported.finding.fingerprint = texts[i % texts.size()];
    reported.status = static_cast<FindingStatus>(i % 4);
    rules.emplace(reported.finding.rule_id, &info);
    report.findings.push_back(reported);
    report.skipped.push_back({texts[i % texts.size()], paths[i % paths.size()], texts[i % texts.size()]});
  }
  report.packs = {"p", texts[1]};
  // As a reader gets it: bytes that are no UTF-8 are mended on the way out.
  const OrderedJson again = OrderedJson::parse(DumpReport(SarifLog(report, rules)), nullptr, false);
  ASSERT_FALSE(again.is_discarded());
  CheckLog(again);
}

TEST(Sarif, ThePartOfARuleIsAProperty) {
  ReviewReport report;
  report.findings = {Finding("A1", rules::Severity::kBlock, "a.py", 3),
                     Finding("A1", rules::Severity::kBlock, "a.py", 4)};
  report.findings[1].finding.part = "more";
  const OrderedJson log = SarifLog(report, {});
  CheckLog(log);
  const OrderedJson& run = log["runs"][0];
  EXPECT_EQ(run["tool"]["driver"]["rules"].size(), 1u);
  EXPECT_FALSE(run["results"][0]["properties"].contains("part"));
  EXPECT_EQ(run["results"][1]["ruleId"], "A1");
  EXPECT_EQ(run["results"][1]["properties"]["part"], "more");
}

}  // namespace
}  // namespace yardmaster
