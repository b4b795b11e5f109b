#include "services/packs/pack_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "services/packs/answers.h"
#include "tests/support/tiny_pack.h"

namespace yardmaster {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

// The tiny pack with these cases.
std::shared_ptr<const rules::CompiledPack> TinyWith(const std::string& cases) {
  rules::PackFiles files = testing::TinyPackFiles();
  files["tiny/cases/c.json"] = "{\"cases\": [\n" + cases + "\n]}";
  return testing::CompileTinyPack(files);
}

PackTest RunCases(const std::string& cases) {
  const absl::StatusOr<PackTest> result = TestPack(*TinyWith(cases));
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? *result : PackTest();
}

TEST(TestPack, ACaseThatComesOutAsWrittenPasses) {
  const PackTest result = RunCases(
      R"({"id": "k", "title": "socket error", "body": "", "rules": ["net.word", "area"], "not_rules": ["disk.word", "ask"],
          "labels": ["area: net", "team b"], "has_labels": ["area: net"], "lacks_labels": ["area: disk"],
          "applied": ["done", "team b", "area: net"], "comment": null})");
  EXPECT_EQ(result.pack, "tiny");
  EXPECT_EQ(result.cases, 1u);
  for (const FailedCase& failed : result.failures) ADD_FAILURE() << ::testing::PrintToString(failed.differences);
}

TEST(TestPack, EveryDifferenceIsTold) {
  const PackTest result = RunCases(
      R"({"id": "wrong", "title": "socket error", "body": "", "rules": ["disk.word"], "not_rules": ["net.word"],
          "labels": ["area: disk", "team b"], "has_labels": ["area: disk"], "lacks_labels": ["area: net"],
          "applied": [], "comment": "more"})");
  ASSERT_THAT(result.failures, SizeIs(1));
  EXPECT_EQ(result.failures[0].case_id, "wrong");
  EXPECT_EQ(result.failures[0].file, "tiny/cases/c.json");
  EXPECT_EQ(result.failures[0].line, 2u);
  EXPECT_THAT(result.failures[0].differences,
              ElementsAre("rules: \"disk.word\" did not fire", "not_rules: \"net.word\" fired",
                          "labels: expected \"area: disk\", \"team b\", got \"area: net\", \"team b\"; missing \"area: "
                          "disk\"; too much "
                          "\"area: net\"",
                          "has_labels: missing \"area: disk\", got \"area: net\", \"team b\"",
                          "lacks_labels: got \"area: net\"", HasSubstr("applied: expected none, got "),
                          "comment: expected \"more\", got none"));
}

TEST(TestPack, ACommentThatIsExpectedIsCompared) {
  EXPECT_THAT(RunCases(R"({"id": "k", "title": "it does not work", "body": "", "comment": "more"})").failures,
              IsEmpty());
  const PackTest result = RunCases(R"({"id": "k", "title": "it does not work", "body": "", "comment": null})");
  ASSERT_THAT(result.failures, SizeIs(1));
  EXPECT_THAT(result.failures[0].differences, ElementsAre("comment: expected none, got \"more\""));
}

TEST(TestPack, LabelsAndCommentsOfACaseAreLookedAt) {
  const PackTest result = RunCases(
      R"({"id": "k", "title": "x", "body": "", "labels_before": ["queue", "team a", "area: net"], "rules": ["done"], "applied": ["done"]},
         {"id": "l", "title": "x", "body": "", "comments": [{"body": "the socket", "author": "ann"}], "rules": ["net.word"]})");
  EXPECT_THAT(result.failures, IsEmpty()) << result.failures[0].differences[0];
}

TEST(TestPack, TwinsHaveTheSameClassification) {
  const std::string original = R"({"id": "en", "title": "socket", "body": "", "labels": ["area: net", "team b"]},)";
  EXPECT_THAT(RunCases(original + R"({"id": "zh", "title": "网络", "body": "", "twin_of": "en"})").failures, IsEmpty());
  const PackTest result = RunCases(original + R"({"id": "zh", "title": "磁盘 disk", "body": "", "twin_of": "en"})");
  ASSERT_THAT(result.failures, SizeIs(1));
  EXPECT_EQ(result.failures[0].case_id, "zh");
  EXPECT_THAT(result.failures[0].differences[0],
              HasSubstr("twin_of \"en\": expected \"area: net\", \"team b\", got \"area: disk\""));
}

TEST(TestPack, OnlyRulesThatAPassingCaseNamesAreCovered) {
  const PackTest result = RunCases(
      R"({"id": "a", "title": "socket", "body": "", "rules": ["net.word"]},
         {"id": "b", "title": "disk", "body": "", "rules": ["disk.word"], "labels": ["team b"]},
         {"id": "c", "title": "it does not work", "body": "", "labels": ["team a", "needs info"]})");
  EXPECT_THAT(result.failures, SizeIs(1)) << "b fails, so that it covers nothing";
  EXPECT_EQ(result.rules, 9u) << "four signals, a suppressor and four steps; classifiers are no rules here";
  EXPECT_EQ(result.rules_covered, 1u);
  EXPECT_THAT(result.uncovered,
              ElementsAre("net.error", "disk.word", "vague.word", "net.only-code", "done", "team", "area", "ask"));
}

TEST(TestPack, InheritedRulesCountWhereTheyAreWritten) {
  rules::PackFiles files = testing::TinyPackFiles();
  files["child/pack.json"] = R"({"name": "child", "title": "C", "extends": "tiny"})";
  files["child/rubric.json"] = R"({"signals": [{"id": "own", "words": ["own"], "label": "area: net"},
                                              {"id": "disk.word", "words": ["disk", "ssd"], "label": "area: disk"}]})";
  files["child/cases/c.json"] =
      R"({"cases": [{"id": "k", "title": "own socket", "body": "", "rules": ["own", "net.word"]}]})";
  const absl::StatusOr<PackTest> result = TestPack(*testing::CompileTinyPack(files, "child"));
  ASSERT_TRUE(result.ok()) << result.status();
  EXPECT_THAT(result->failures, IsEmpty());
  EXPECT_EQ(result->rules, 2u) << "its own and the one that it replaces";
  EXPECT_EQ(result->rules_covered, 1u);
  EXPECT_THAT(result->uncovered, ElementsAre("disk.word"));
}

TEST(TestPack, ItEndsWhenItIsToldTo) {
  const auto pack = TinyWith(
      R"({"id": "a", "title": "x", "body": "", "lacks_labels": ["done"]}, {"id": "b", "title": "x", "body": "", "lacks_labels": ["done"]})");
  int asked = 0;
  const absl::StatusOr<PackTest> result =
      TestPack(*pack, [&] { return ++asked == 2 ? absl::CancelledError("gone") : absl::OkStatus(); });
  EXPECT_EQ(result.status(), absl::CancelledError("gone"));
  EXPECT_EQ(asked, 2);
}

TEST(PackTestTotals, TheLastLineIsTheOneThatScriptsRead) {
  PackTestTotals totals;
  PackTest first;
  first.cases = 7;
  first.rules = 200;
  first.rules_covered = 199;
  first.failures.resize(2);
  PackTest second;
  second.cases = 3;
  totals.Add(first);
  totals.Add(second);
  EXPECT_EQ(totals.Line(), "10 cases in 2 packs, 2 failed, 99 % of rules covered") << "never rounded up to 100";
}

TEST(PackTestLine, SaysWhichShareOfTheRulesNeedsAFunctionOfItsOwn) {
  v1::PackTestResult result;
  result.set_pack("p");
  result.set_cases(5);
  EXPECT_THAT(PackTestLine(result), HasSubstr("p: 5 cases, 0 failed, 100 % of rules covered, 0 % of rules need"));
  result.set_rules(40);
  result.set_rules_covered(39);
  result.set_rules_with_own_function(6);
  result.set_rules_with_own_function_in_pack(3);
  EXPECT_THAT(PackTestLine(result), HasSubstr("97 % of rules covered, 15 % of rules need a function of their own"));
  EXPECT_THAT(PackTestLine(result), HasSubstr("(7 % within the pack)"));
}

TEST(PackTestTotals, NothingToCoverIsCovered) {
  EXPECT_EQ(PackTestTotals().Line(), "0 cases in 0 packs, 0 failed, 100 % of rules covered");
}

}  // namespace
}  // namespace yardmaster
