#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "rules/engine/pipeline/profile.h"

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

PackFiles Files(const std::string& profile) {
  return {{"base/pack.json", R"({"name": "base", "title": "Base"})"},
          {"base/pipeline.json", profile},
          {"child/pack.json", R"({"name": "child", "title": "Child", "extends": "base"})"},
          {"other/pack.json", R"({"name": "other", "title": "Other"})"}};
}

std::vector<std::string> Told(const std::string& profile) {
  Problems problems;
  EXPECT_EQ(LoadPipeline(Files(profile), "base", problems), nullptr);
  std::vector<std::string> out;
  for (const Problem& problem : problems) out.push_back(problem.pointer + ": " + problem.message);
  return out;
}

TEST(LoadProfileTest, APackHasItsOwnProfileOrThatOfTheOneItExtends) {
  const PackFiles files = Files(R"({"build_gate": {"trigger": "/go", "bypass_seconds": 5}})");
  Problems problems;
  const auto own = LoadPipeline(files, "base", problems);
  ASSERT_NE(own, nullptr);
  EXPECT_EQ(own->build_gate.trigger, "/go");
  EXPECT_EQ(own->build_gate.bypass, std::chrono::seconds(5));
  EXPECT_EQ(own->trigger_wait, std::chrono::minutes(30));
  const auto inherited = LoadPipeline(files, "child", problems);
  ASSERT_NE(inherited, nullptr);
  EXPECT_EQ(inherited->pack, "base");
  EXPECT_EQ(LoadPipeline(files, "other", problems), nullptr);
  EXPECT_THAT(problems, IsEmpty());
}

TEST(LoadProfileTest, UnknownKeysAndBadPatternsNameTheirPlace) {
  EXPECT_THAT(Told(R"({"build_gate": {"triger": "/go"}})"), ElementsAre(HasSubstr("/build_gate/triger")));
  EXPECT_THAT(Told(R"({"build_gate": {"blocked_comments": ["("]}})"),
              ElementsAre(HasSubstr("/build_gate/blocked_comments/0: expected an RE2 pattern")));
  EXPECT_THAT(Told(R"({"build_gate": {"started_comments": ["started"]}})"),
              ElementsAre(HasSubstr("expected a group (?P<number>")));
  EXPECT_THAT(
      Told(R"({"build_gate": {}, "log": {"failures": [{"id": "a", "pattern": "x"}, {"id": "a", "pattern": "y"}]}})"),
      ElementsAre(HasSubstr("/log/failures/1/id: \"a\" is there already")));
}

TEST(LoadProfileTest, ARowTellsItsResultInOneOfTwoWays) {
  const auto row = [](const std::string& pattern) {
    return R"j({"build_gate": {"result_rows": [")j" + pattern + R"j("]}})j";
  };
  EXPECT_THAT(Told(row("(?P<stage>a)")),
              ElementsAre("/build_gate/result_rows/0: expected a group (?P<result>…), or the groups (?P<passed>…) and "
                          "(?P<failed>…)"));
  EXPECT_THAT(Told(row("(?P<result>a)")), ElementsAre(HasSubstr("expected a group (?P<stage>")));
  Problems problems;
  EXPECT_NE(LoadPipeline(Files(row("(?P<stage>a)(?P<passed>b)(?P<failed>c)")), "base", problems), nullptr);
}

TEST(LoadProfileTest, WhatBlocksIsALabelAPatternOrAMissingLabel) {
  const auto blocker = [](const std::string& keys) {
    return R"j({"build_gate": {}, "blockers": [{"why": "w")j" + keys + "}]}";
  };
  EXPECT_THAT(Told(blocker("")), ::testing::Not(IsEmpty()));
  EXPECT_THAT(Told(blocker(R"(, "label": "a", "missing_label": "b")")), ::testing::Not(IsEmpty()));
  EXPECT_THAT(Told(blocker(R"j(, "label_pattern": "(")j")),
              ElementsAre(HasSubstr("/blockers/0/label_pattern: expected")));
  Problems problems;
  const auto profile = LoadPipeline(Files(blocker(R"j(, "label_pattern": ".+-cla/no")j")), "base", problems);
  ASSERT_NE(profile, nullptr);
  EXPECT_TRUE(profile->blockers[0].pattern.Matches("some-cla/no"));
  EXPECT_FALSE(profile->blockers[0].pattern.Matches("some-cla/not")) << "the whole name";
}

TEST(LoadProfileTest, APlaceHasAFileAndALine) {
  EXPECT_THAT(Told(R"j({"build_gate": {}, "log": {"places": ["In (?P<file>a)"]}})j"),
              ElementsAre(HasSubstr("/log/places/0: expected a group (?P<line>")));
}

TEST(LoadProfileTest, AServerHasASchemeAndNoSecrets) {
  const auto with = [](const std::string& url) {
    return R"j({"build_gate": {}, "jenkins": {"url": ")j" + url +
           R"j(", "jobs": {}, "pull_request": "#(?P<number>\\d+)"}})j";
  };
  EXPECT_THAT(Told(with("build.example.org")),
              ElementsAre(HasSubstr("/jenkins/url: expected an address with its scheme")));
  EXPECT_THAT(Told(with("https://user:secret@build.example.org")), SizeIs(1));
  EXPECT_THAT(Told(with("http://build.example.org")), ElementsAre(HasSubstr("/jenkins/url: expected https")));
  Problems problems;
  const auto profile = LoadPipeline(Files(with("https://build.example.org/")), "base", problems);
  ASSERT_NE(profile, nullptr);
  EXPECT_EQ(profile->jenkins->url, "https://build.example.org");
}

TEST(LoadProfileTest, CasesAreReadWithTheProfile) {
  EXPECT_THAT(
      Told(R"({"build_gate": {}, "cases": [{"id": "a", "now": "today", "signals": {"pr": {}}, "expected": {}}]})"),
      ElementsAre(HasSubstr("/cases/0/now: expected a time")));
  EXPECT_THAT(
      Told(
          R"({"build_gate": {}, "cases": [{"id": "a", "now": "2025-01-01T00:00:00Z", "signals": {}, "expected": {}}]})"),
      ElementsAre(HasSubstr("/cases/0/signals: pr: expected an object")));
}

}  // namespace
}  // namespace yardmaster::rules
