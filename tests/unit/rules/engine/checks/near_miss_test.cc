#include "rules/engine/checks/near_miss.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "rules/engine/checks/review.h"

namespace yardmaster::rules {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

// What the bad case of a check is told; `keys` are those of the check besides id and texts, `definitions` an object.
std::string ToldOf(const std::string& keys, const std::string& bad, const std::string& definitions = "{}") {
  Problems problems;
  const auto set = LoadChecks(
      {{"p/pack.json", R"json({"name": "p", "title": "test"})json"},
       {"p/checks/a.json",
        R"json({"definitions": )json" + definitions +
            R"json(, "checks": [{"id": "C1", "title": "t", "severity": "S3", "message": "m", "good": [""], "bad": [)json" +
            bad + "], " + keys + "}]}"}},
      "p", problems);
  for (const Problem& problem : problems) ADD_FAILURE() << problem.ToString();
  return set == nullptr ? "" : RunCheckCases(*set).front().message;
}

TEST(NearMiss, NamesTheRowForWhichTheMostConditionsHold) {
  EXPECT_EQ(ToldOf(R"json("each": "call", "where": {"name": "f", "size": 2, "keywords": "eps"})json",
                   R"json(["g(1)", "f(1, 2)"])json"),
            "expected a finding, found nothing; nearest: example.py:2 \"f(1, 2)\", 2 of 3 conditions hold, stopped by "
            "\"keywords\": \"eps\", which saw an empty list");
}

TEST(NearMiss, SaysWhatTheConditionSaw) {
  const std::string text = R"json(["f(1, 2)"])json";
  EXPECT_THAT(ToldOf(R"json("each": "call", "where": {"size": 3})json", text), HasSubstr("\"size\": 3, which saw 2"));
  EXPECT_THAT(ToldOf(R"json("each": "call", "where": {"function": {"missing": false}})json", text),
              HasSubstr("saw nothing"));
  EXPECT_THAT(ToldOf(R"json("each": "call", "where": {"not": {"name": "f"}})json", text), HasSubstr("saw \"f\""));
  EXPECT_THAT(ToldOf(R"json("each": "call", "where": {"launch": true})json", text), HasSubstr("saw false"));
}

TEST(NearMiss, ConditionsAboutOtherRowsSayTheirLines) {
  const std::string text = R"json(["f(1)", "f(2)"])json";
  EXPECT_THAT(ToldOf(R"json("each": "file", "where": {"absent": {"each": "call"}})json", text),
              HasSubstr("saw some in lines 1, 2"));
  EXPECT_THAT(ToldOf(R"json("each": "file", "where": {"exists": {"each": "loop"}})json", text),
              HasSubstr("saw no such row"));
  EXPECT_THAT(ToldOf(R"json("each": "file", "where": {"count": {"each": "call", "above": 2}})json", text),
              HasSubstr("which saw 2"));
}

TEST(NearMiss, AnExemptionIsAConditionThatMustNotHold) {
  EXPECT_THAT(ToldOf(R"json("each": "call", "where": {"name": "f"}, "exempt": {"size": 0})json", R"json(["f()"])json"),
              HasSubstr("1 of 2 conditions hold, stopped by \"not\": {\"size\":0}, which saw 0"));
}

TEST(NearMiss, NamedValuesAndListsOfConditionsAreSeenToo) {
  EXPECT_THAT(
      ToldOf(
          R"json("each": "call", "let": {"n": {"field": "size"}}, "where": [{"name": "f"}, {"all": [{"n": 7}]}])json",
          R"json(["f(1)"])json"),
      HasSubstr("1 of 2 conditions hold, stopped by \"n\": 7, which saw 1"));
}

TEST(NearMiss, LooksInTheLinesThatTheCaseNames) {
  const std::string told = ToldOf(R"json("each": "call", "where": {"name": "f", "size": 1})json",
                                  R"json({"files": {"a.py": ["f(1)", "f()", "g()"]}, "lines": [1, 3]})json");
  EXPECT_THAT(
      told, HasSubstr("nearest: a.py:3 \"g()\", 0 of 2 conditions hold, stopped by \"name\": \"f\", which saw \"g\""));
}

TEST(NearMiss, SaysWhenThereIsNothingToLookAt) {
  EXPECT_THAT(ToldOf(R"json("each": "loop")json", R"json(["x = 1"])json"), HasSubstr("there is no loop"));
  EXPECT_THAT(ToldOf(R"json("each": "mine")json", R"json(["f()"])json",
                     R"json({"mine": {"each": "call", "where": {"name": "g"}}})json"),
              HasSubstr("there is no mine"));
  EXPECT_THAT(ToldOf(R"json("each": "call", "files": ["b.py"])json", R"json({"files": {"a.py": "f()"}})json"),
              HasSubstr("the check is about none of the files"));
}

TEST(NearMiss, NothingIsNearWhereSomethingWasFound) {
  EXPECT_THAT(ToldOf(R"json("each": "call", "where": {"name": "f"})json",
                     R"json({"files": {"a.py": "f()"}, "contains": "no"})json"),
              Not(HasSubstr("nearest")));
}

}  // namespace
}  // namespace yardmaster::rules
