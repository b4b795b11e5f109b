#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/review/sarif.h"
#include "tests/unit/services/review/import/read_findings.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Imported;
using ::testing::IsEmpty;
using testing::LeftOutOf;
using testing::Told;

std::string Log(const std::string& run) { return R"({"version": "2.1.0", "runs": [)" + run + "]}"; }

// A run of the tool "T" with these members and one result for each element of `results`.
std::string RunWith(const std::string& results, const std::string& more = "") {
  return Log(R"({"tool": {"driver": {"name": "T", "rules": [
      {"id": "R0", "defaultConfiguration": {"level": "note"}, "messageStrings": {"m": {"text": "{0} is {{not}} {1}"}}},
      {"id": "R1", "properties": {"security-severity": "9.8"}}]}})" +
             more + R"(, "results": [)" + results + "]}");
}

std::string At(const std::string& uri, const std::string& more = "") {
  return R"("locations": [{"physicalLocation": {"artifactLocation": {"uri": ")" + uri + R"(" )" + more +
         R"(}, "region": {"startLine": 3, "startColumn": 5, "endLine": 4, "endColumn": 2}}}])";
}

// The paths of one finding for each location.
std::vector<std::string> Paths(const std::string& location, const std::string& run = "", const std::string& root = "") {
  std::vector<std::string> paths;
  const std::string result = R"({"ruleId": "R", "message": {"text": "m"}, "locations": [{"physicalLocation":
      {"artifactLocation": )" +
                             location + "}}]}";
  for (const rules::Finding& one : Imported(RunWith(result, run), ImportFormat::kSarif, {.root = root}).findings) {
    paths.push_back(one.path);
  }
  return paths;
}

TEST(SarifReader, ResultsAreFindings) {
  const ImportedFindings imported =
      Imported(RunWith(R"({"ruleId": "R9", "level": "error", "message": {"text": "first"}, )" + At("a.py") + R"(},
         {"ruleIndex": 0, "message": {"id": "m", "arguments": ["x", "y"]}, )" +
                       At("b.py") + R"(},
         {"rule": {"id": "R1", "index": 1}, "level": "warning", "message": {"text": "critical"}, )" +
                       At("c.py") + R"(},
         {"ruleId": "R9", "message": {"text": "default"}, "locations": [{"physicalLocation": {"artifactLocation": {"uri": "d.py"}}}],
          "partialFingerprints": {"primaryLocationLineHash": "39fa2ee980eb94b0:1"}})"));
  EXPECT_EQ(imported.format, ImportFormat::kSarif);
  EXPECT_THAT(Told(imported), ElementsAre("a.py:3:5-4:2 major t/R9 first", "b.py:3:5-4:2 info t/R0 x is {not} y",
                                          "c.py:3:5-4:2 major t/R1 critical", "d.py minor t/R9 default"));
  EXPECT_THAT(imported.left_out, IsEmpty());
  EXPECT_EQ(imported.findings[3].fingerprint, "");
}

TEST(SarifReader, SuppressedAndPassedResultsAreLeftOutAndCounted) {
  const ImportedFindings imported =
      Imported(RunWith(R"({"message": {"text": "1"}, "suppressions": [{"kind": "inSource"}], )" + At("a.py") + R"(},
         {"message": {"text": "2"}, "suppressions": [{"kind": "external", "status": "accepted"}], )" +
                       At("a.py") + R"(},
         {"message": {"text": "3"}, "suppressions": [{"kind": "external", "status": "rejected"}], )" +
                       At("a.py") + R"(},
         {"message": {"text": "4"}, "suppressions": [], )" +
                       At("a.py") + R"(},
         {"message": {"text": "5"}, "kind": "pass", )" +
                       At("a.py") + R"(},
         {"message": {"text": "6"}, "baselineState": "absent", )" +
                       At("a.py") + R"(},
         {"message": {"text": "7"}})"));
  EXPECT_THAT(Told(imported), ElementsAre("a.py:3:5-4:2 minor t/unnamed 3", "a.py:3:5-4:2 minor t/unnamed 4"));
  EXPECT_THAT(LeftOutOf(imported),
              ElementsAre("2 it is suppressed in the tool: 1", "1 it is no failure, the tool says: 5",
                          "1 it is gone, the tool says: 6", "1 it names no file: 7"));
}

TEST(SarifReader, UrisBecomePathsOfTheRepository) {
  EXPECT_THAT(Paths(R"({"uri": "a%20b/%C3%BC.py"})"), ElementsAre("a b/ü.py"));
  EXPECT_THAT(Paths(R"({"uri": "100%.py"})"), ElementsAre("100%.py"));
  EXPECT_THAT(Paths(R"({"uri": "file:///ci/repo/a.py"})", "", "/ci/repo"), ElementsAre("a.py"));
  EXPECT_THAT(Paths(R"({"uri": "file://localhost/ci/repo/a.py"})", "", "/ci/repo"), ElementsAre("a.py"));
  EXPECT_THAT(Paths(R"({"uri": "file:/ci/repo/a.py"})", "", "/ci/repo"), ElementsAre("a.py"));
  EXPECT_THAT(Paths(R"({"index": 1})", R"(, "artifacts": [{}, {"location": {"uri": "b.py"}}])"), ElementsAre("b.py"));
}

TEST(SarifReader, BasesStandBeforeRelativeUris) {
  const std::string bases = R"(, "originalUriBaseIds": {
      "SRC": {"uri": "src/", "uriBaseId": "ROOT"}, "ROOT": {"uri": "file:///ci/repo/"}, "LOOP": {"uri": "l", "uriBaseId": "LOOP"},
      "NONE": {"description": {"text": "the root"}}})";
  EXPECT_THAT(Paths(R"({"uri": "a.py", "uriBaseId": "SRC"})", bases, "/ci/repo"), ElementsAre("src/a.py"));
  EXPECT_THAT(Paths(R"({"uri": "a.py", "uriBaseId": "SRC"})", bases), ElementsAre("src/a.py"))
      << "without a root, the absolute base is the repository";
  EXPECT_THAT(Paths(R"({"uri": "a.py", "uriBaseId": "ROOT"})", bases, "/other"), IsEmpty());
  EXPECT_THAT(Paths(R"({"uri": "a.py", "uriBaseId": "%SRCROOT%"})", bases, "/ci/repo"), ElementsAre("a.py"));
  EXPECT_THAT(Paths(R"({"uri": "a.py", "uriBaseId": "NONE"})", bases), ElementsAre("a.py"));
  EXPECT_THAT(Paths(R"({"uri": "a.py", "uriBaseId": "LOOP"})", bases), ElementsAre("l/l/l/l/l/l/l/l/a.py"));
}

TEST(SarifReader, PathsThatLeaveTheRepositoryAreTold) {
  const ImportedFindings imported = Imported(RunWith(R"({"message": {"text": "1"}, )" + At("../../etc/passwd") + R"(},
                      {"message": {"text": "2"}, )" + At("a/%2e%2e/%2e%2e/b.py") +
                                                     R"(},
                      {"message": {"text": "3"}, )" + At("file:///etc/passwd") +
                                                     R"(},
                      {"message": {"text": "4"}, )" + At("https://example.com/a.py") +
                                                     R"(},
                      {"message": {"text": "5"}, )" + At("file://host/share/a.py") +
                                                     "}"));
  EXPECT_THAT(Told(imported), IsEmpty());
  EXPECT_THAT(LeftOutOf(imported),
              ElementsAre("3 the path is not in the repository: ../../etc/passwd", "2 its URI is none of a file: 4"));
}

TEST(SarifReader, OurOwnLogsComeBack) {
  ReviewReport report;
  ReportedFinding& one = report.findings.emplace_back();
  one.finding.rule_id = "OL01";
  one.finding.severity = rules::Severity::kMajor;
  one.finding.path = "a b/ü#?.py";
  one.finding.line = one.finding.end_line = 3;
  one.finding.column = 2;
  one.finding.end_column = 9;
  one.finding.message = "100% {0} bad";
  EXPECT_THAT(Told(Imported(DumpReport(SarifLog(report, {})))),
              ElementsAre("a b/ü#?.py:3:2-3:9 major yardmaster/OL01 100% {0} bad"));
}

TEST(SarifReader, WhatIsNoLogIsAnError) {
  const auto error = [](const std::string& text) {
    const absl::Status status = ReadFindings(text, ImportFormat::kAuto, {}).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
    return std::string(status.message());
  };
  EXPECT_THAT(error("{"), HasSubstr("can't be read as SARIF"));
  EXPECT_THAT(error(R"({"version": "1.0.0", "runs": []})"), HasSubstr("its version is not 2.1.0"));
  EXPECT_THAT(error(R"({"version": "2.1.0"})"), HasSubstr("it has no list of runs"));
  EXPECT_THAT(error(R"({"version": "2.1.0", "runs": )" + std::string(100, '[') + std::string(100, ']') + "}"),
              HasSubstr("can't be read as SARIF"));
}

TEST(SarifReader, WrongKindsAreNeverTakenForOthers) {
  const ImportedFindings imported = Imported(
      Log(R"({"results": [1, null, "x", {"locations": {}}, {"message": 3, "ruleId": [], "level": {}, "ruleIndex": -1,
              "locations": [{"physicalLocation": {"artifactLocation": {"uri": "a.py"}, "region": {"startLine": 1.5}}}]}]}, 7, {"results": "x"})"));
  EXPECT_THAT(Told(imported), IsEmpty());
  EXPECT_THAT(LeftOutOf(imported),
              ElementsAre("5 it names no file: ", "1 the line or column is not a number from 1: a.py"));
}

}  // namespace
}  // namespace yardmaster
