#include "services/review/sarif.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace yardmaster {
namespace {

using Json = nlohmann::ordered_json;

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

// What SARIF 2.1.0 asks of the objects that we write: their keys, types and bounds.
void CheckObject(const Json& object, const std::set<std::string>& required, const std::set<std::string>& allowed) {
  ASSERT_TRUE(object.is_object());
  for (const std::string& key : required) EXPECT_TRUE(object.contains(key)) << key << " in " << object.dump();
  for (const auto& [key, value] : object.items()) EXPECT_TRUE(allowed.count(key) > 0) << key;
}

void CheckLog(const Json& log) {
  CheckObject(log, {"version", "runs"}, {"$schema", "version", "runs"});
  EXPECT_EQ(log["version"], "2.1.0");
  for (const Json& run : log["runs"]) {
    CheckObject(run, {"tool", "results"}, {"tool", "invocations", "columnKind", "results", "properties"});
    const Json& driver = run["tool"]["driver"];
    CheckObject(driver, {"name"}, {"name", "version", "rules"});
    EXPECT_FALSE(driver["name"].get<std::string>().empty());
    std::set<std::string> ids;
    for (const Json& rule : driver["rules"]) {
      CheckObject(rule, {"id"},
                  {"id", "shortDescription", "fullDescription", "help", "defaultConfiguration", "properties"});
      EXPECT_TRUE(ids.insert(rule.dump()).second) << "rules must be unique";
    }
    EXPECT_EQ(run["columnKind"], "unicodeCodePoints");
    for (const Json& invocation : run["invocations"]) {
      CheckObject(invocation, {"executionSuccessful"}, {"executionSuccessful", "toolExecutionNotifications"});
    }
    for (const Json& result : run["results"]) {
      CheckObject(result, {"message"},
                  {"ruleId", "ruleIndex", "level", "message", "locations", "partialFingerprints", "baselineState",
                   "properties"});
      EXPECT_FALSE(result["message"]["text"].get<std::string>().empty());
      const auto index = result["ruleIndex"].get<size_t>();
      ASSERT_LT(index, driver["rules"].size());
      EXPECT_EQ(driver["rules"][index]["id"], result["ruleId"]);
      static const std::set<std::string> kLevels = {"none", "note", "warning", "error"};
      EXPECT_EQ(kLevels.count(result["level"].get<std::string>()), 1u);
      for (const Json& location : result["locations"]) {
        const Json& place = location["physicalLocation"];
        CheckObject(place, {"artifactLocation"}, {"artifactLocation", "region"});
        if (!place.contains("region")) continue;
        CheckObject(place["region"], {"startLine"}, {"startLine", "startColumn", "endLine", "endColumn"});
        for (const auto& [key, value] : place["region"].items()) EXPECT_GE(value.get<int64_t>(), 1) << key;
      }
      for (const auto& [key, value] : result["partialFingerprints"].items()) EXPECT_TRUE(value.is_string());
    }
  }
}

TEST(Sarif, AnEmptyReviewIsALogWithOneRun) {
  const Json log = SarifLog({}, {});
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
  const Json log = SarifLog(report, {{"A1", &info}});
  CheckLog(log);
  const Json& run = log["runs"][0];
  ASSERT_EQ(run["tool"]["driver"]["rules"].size(), 2u);
  EXPECT_EQ(run["tool"]["driver"]["rules"][0]["shortDescription"]["text"], "one entry");
  EXPECT_EQ(run["results"][2]["ruleIndex"], 0);
  EXPECT_EQ(run["results"][0]["level"], "error");
  EXPECT_EQ(run["results"][1]["level"], "warning");
  EXPECT_FALSE(run["results"][2]["locations"][0]["physicalLocation"].contains("region"));
  EXPECT_EQ(run["results"][0]["locations"][0]["physicalLocation"]["region"],
            Json::parse(R"({"startLine":3,"startColumn":3,"endLine":3,"endColumn":8})"));
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
  const Json log = SarifLog(report, {});
  CheckLog(log);
  const Json& results = log["runs"][0]["results"];
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
  const Json again = Json::parse(DumpReport(SarifLog(report, {})), nullptr, false);
  ASSERT_FALSE(again.is_discarded());
  CheckLog(again);
  const Json& region = again["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
  EXPECT_EQ(region["endLine"], 3);
}

}  // namespace
}  // namespace yardmaster
