#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "rules/engine/linters/linter_settings.h"

namespace yardmaster::rules {
namespace {

using ::testing::ElementsAre;

PackFiles With(const std::string& linters) {
  return {{"base/pack.json", R"({"name": "base", "title": "Base"})"},
          {"base/linters.json", linters},
          {"top/pack.json", R"({"name": "top", "title": "Top", "extends": "base"})"}};
}

std::string Problem(const std::string& linters) {
  Problems problems;
  EXPECT_EQ(LoadLinters(With(linters), "base", problems), nullptr);
  return problems.empty() ? "" : problems.front().ToString();
}

TEST(LoadLinters, APackHasThoseOfTheOneThatItExtends) {
  Problems problems;
  const auto profile = LoadLinters(With(
                                       R"({"linters": [{"name": "pylint", "arguments": ["--max-line-length=120"],
      "files": ["lib/**/*.py"], "except": ["lib/old/**"],
      "filters": ["ci/filter.txt"], "allowed": ["ci/white.txt"], "settings": {"path": ".pylintrc", "content": "[X]\n"}},
      {"name": "markdownlint-cli2", "settings": {"path": "a/b.json", "content": {"MD013": false}}}]})"),
                                   "top", problems);
  ASSERT_NE(profile, nullptr) << problems.front().ToString();
  EXPECT_EQ(profile->pack, "base");
  const LinterSettings* const pylint = profile->Find("pylint");
  ASSERT_NE(pylint, nullptr);
  EXPECT_THAT(pylint->arguments, ElementsAre("--max-line-length=120"));
  EXPECT_THAT(pylint->files, ElementsAre("lib/**/*.py"));
  EXPECT_THAT(pylint->except, ElementsAre("lib/old/**"));
  EXPECT_THAT(pylint->filters, ElementsAre("ci/filter.txt"));
  EXPECT_THAT(pylint->allowed, ElementsAre("ci/white.txt"));
  EXPECT_EQ(pylint->settings_path, ".pylintrc");
  EXPECT_EQ(pylint->settings, "[X]\n");
  EXPECT_EQ(profile->Find("markdownlint-cli2")->settings, "{\n  \"MD013\": false\n}\n");
  EXPECT_EQ(profile->Find("ruff"), nullptr);
}

TEST(LoadLinters, WithoutAFileThereIsNoneAndNoProblem) {
  Problems problems;
  EXPECT_EQ(LoadLinters({{"base/pack.json", "{}"}}, "base", problems), nullptr);
  EXPECT_TRUE(problems.empty());
}

TEST(LoadLinters, WhatIsWrongIsNamedWithItsPlace) {
  EXPECT_THAT(Problem(R"({"linters": [{"name": "nolint"}]})"),
              ::testing::HasSubstr("base/linters.json:1:23: /linters/0/name"));
  EXPECT_THAT(Problem(R"({"linters": [{"name": "ruff"}, {"name": "ruff"}]})"),
              ::testing::HasSubstr("each linter once"));
  EXPECT_THAT(Problem(R"({"linters": [{"name": "ruff", "filters": ["../x"]}]})"),
              ::testing::HasSubstr("/linters/0/filters/0"));
  EXPECT_THAT(Problem(R"({"linters": [{"name": "ruff", "filters": ["/etc/passwd"]}]})"),
              ::testing::HasSubstr("/linters/0/filters/0"));
  EXPECT_THAT(Problem(R"({"linters": [{"name": "ruff", "rules": []}]})"), ::testing::HasSubstr("rules"));
}

}  // namespace
}  // namespace yardmaster::rules
